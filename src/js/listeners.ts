/** Listeners, told one event after another: what a listener does is told after the event that it was told. */
export class Listeners<Event> {
  readonly #listeners = new Map<object, (event: Event) => void>();
  readonly #queue: Event[] = [];
  #telling = false;
  #held = 0;

  get wanted(): boolean {
    return this.#listeners.size > 0;
  }

  subscribe(listener: (event: Event) => void): () => void {
    const key = {};
    this.#listeners.set(key, listener);
    return () => void this.#listeners.delete(key);
  }

  clear(): void {
    this.#listeners.clear();
  }

  /** Keeps what is told from here on until it is released: a listener acts on what is done with all of it. */
  hold(): void {
    this.#held += 1;
  }

  release(): void {
    this.#held -= 1;
    this.#flush();
  }

  tell(event: Event): void {
    this.#queue.push(event);
    this.#flush();
  }

  #flush(): void {
    if (this.#telling || this.#held > 0) return;
    this.#telling = true;
    // What is added meanwhile is told as well.
    for (const next of this.#queue) {
      for (const [key, listener] of [...this.#listeners]) {
        // One that another listener has ended is not told any more.
        if (this.#listeners.has(key)) callSafely(listener, next);
      }
    }
    this.#queue.length = 0;
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
