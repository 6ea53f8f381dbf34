/** Listeners, told one event after another: what a listener does is told after the event that it was told. */
export class Listeners<Event> {
  readonly #listeners = new Map<object, (event: Event) => void>();
  readonly #queue: Event[] = [];
  #telling = false;

  subscribe(listener: (event: Event) => void): () => void {
    const key = {};
    this.#listeners.set(key, listener);
    return () => void this.#listeners.delete(key);
  }

  clear(): void {
    this.#listeners.clear();
  }

  tell(event: Event): void {
    this.#queue.push(event);
    if (this.#telling) return;
    this.#telling = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      for (const [key, listener] of [...this.#listeners]) {
        // One that another listener has ended is not told any more.
        if (this.#listeners.has(key)) callSafely(listener, next);
      }
    }
    this.#telling = false;
  }
}

/** A listener that throws is reported like any uncaught error, and the others are told all the same. */
function callSafely<Event>(listener: (event: Event) => void, event: Event): void {
  try {
    listener(event);
  } catch (cause) {
    queueMicrotask(() => {
      throw cause;
    });
  }
}
