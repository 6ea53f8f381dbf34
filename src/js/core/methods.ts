/** Methods that can be passed on without their object. */

/**
 * Binds an object's public methods to it, inherited ones too: each becomes a property of the object. If it has `dispose`, `using`
 * calls it.
 */
export function bindMethods(object: object): void {
  let prototype = Object.getPrototypeOf(object);
  for (; prototype !== null && prototype !== Object.prototype; prototype = Object.getPrototypeOf(prototype)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      // A property that exists is the method of a subclass, bound before, or a field.
      if (typeof value !== "function" || name === "constructor" || Object.hasOwn(object, name)) continue;
      Object.defineProperty(object, name, { value: value.bind(object), writable: true, configurable: true });
    }
  }
  const value = "dispose" in object ? object.dispose : undefined;
  // Not every platform has the symbol yet.
  if (Symbol.dispose) Object.defineProperty(object, Symbol.dispose, { value, writable: true, configurable: true });
}
