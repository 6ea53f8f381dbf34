/** Methods that can be passed on without their object. */

/** Binds an object's public methods to it, inherited ones too. If it has `dispose`, `using` calls it. */
export function bindMethods(object: object): void {
  let prototype = Object.getPrototypeOf(object);
  for (; prototype !== null && prototype !== Object.prototype; prototype = Object.getPrototypeOf(prototype)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (typeof value !== "function" || name === "constructor" || Object.hasOwn(object, name)) continue;
      Object.defineProperty(object, name, { value: value.bind(object), writable: true, configurable: true });
    }
  }
  // Not every platform has the symbol yet.
  const value = "dispose" in object ? object.dispose : undefined;
  if (Symbol.dispose) Object.defineProperty(object, Symbol.dispose, { value, writable: true, configurable: true });
}
