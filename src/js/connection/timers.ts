/** Timers by name: one of each name at a time. */
export class Timers<Name extends string> {
  readonly #running = new Map<Name, ReturnType<typeof setTimeout>>();

  /** Starts a timer, in place of a running one of this name. */
  start(name: Name, milliseconds: number, run: () => void): void {
    this.cancel(name);
    const timer = setTimeout(() => {
      this.#running.delete(name);
      run();
    }, milliseconds);
    this.#running.set(name, timer);
  }

  has(name: Name): boolean {
    return this.#running.has(name);
  }

  cancel(name: Name): void {
    clearTimeout(this.#running.get(name));
    this.#running.delete(name);
  }

  clear(): void {
    for (const name of this.#running.keys()) this.cancel(name);
  }
}
