/** Methods that work when they are handed on by themselves. */

/** Binds an object's public methods to it, those of the classes above its own too. */
export function bindMethods(own: object): void {
  for (let at = Object.getPrototypeOf(own); at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (typeof value !== "function" || name === "constructor" || Object.hasOwn(own, name)) continue;
      Object.defineProperty(own, name, { value: value.bind(own), writable: true, configurable: true });
    }
  }
}
