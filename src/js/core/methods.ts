/** Methods that can be passed on without their object. */

/** Binds an object's public methods to it, inherited ones too. If it has `dispose`, `using` calls it. */
export function bindMethods(instance: object): void {
  for (
    let at = Object.getPrototypeOf(instance);
    at !== null && at !== Object.prototype;
    at = Object.getPrototypeOf(at)
  ) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (typeof value !== "function" || name === "constructor" || Object.hasOwn(instance, name)) continue;
      Object.defineProperty(instance, name, { value: value.bind(instance), writable: true, configurable: true });
    }
  }
  // Not every platform has the symbol yet.
  const value = "dispose" in instance ? instance.dispose : undefined;
  if (Symbol.dispose) Object.defineProperty(instance, Symbol.dispose, { value, writable: true, configurable: true });
}
