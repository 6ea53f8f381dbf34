/** Methods that can be passed on without their object. */

/** Binds an object's public methods to it, inherited ones too. If it has `dispose`, `using` calls it. */
export function bindMethods(own: object): void {
  for (let at = Object.getPrototypeOf(own); at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (typeof value !== "function" || name === "constructor" || Object.hasOwn(own, name)) continue;
      Object.defineProperty(own, name, { value: value.bind(own), writable: true, configurable: true });
    }
  }
  // Not every platform has the symbol yet.
  const value = "dispose" in own ? own.dispose : undefined;
  if (Symbol.dispose) Object.defineProperty(own, Symbol.dispose, { value, writable: true, configurable: true });
}
