/** Listeners, and the order in which they are told of events. */

export interface Listener<Event> {
  readonly number: number;
  readonly tell: (event: Event) => void;
}

/** Listeners, told one event after another: what a listener does is told after the event that it was told. */
export class Listeners<Event> {
  readonly #listeners = new Set<Listener<Event>>();
  readonly #queue: Event[] = [];
  #count = 0;
  #telling = false;
  #held = 0;

  get wanted(): boolean {
    return this.#listeners.size > 0;
  }

  subscribe(listener: (event: Event) => void): () => void {
    const own = this.join(listener);
    return () => void this.leave(own);
  }

  protected join(tell: (event: Event) => void): Listener<Event> {
    this.#count += 1;
    const listener = { number: this.#count, tell };
    this.#listeners.add(listener);
    return listener;
  }

  protected leave(listener: Listener<Event>): boolean {
    return this.#listeners.delete(listener);
  }

  /** Those who are to be told of an event, in the order in which they came. */
  protected wanting(_event: Event): Iterable<Listener<Event>> {
    return [...this.#listeners];
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
      for (const listener of this.wanting(next)) {
        // One that another listener has ended is not told any more.
        if (!this.#listeners.has(listener)) continue;
        try {
          listener.tell(next);
        } catch (cause) {
          // It is reported like any uncaught error, and the others are told all the same.
          queueMicrotask(() => {
            throw cause;
          });
        }
      }
    }
    this.#queue.length = 0;
    this.#telling = false;
  }
}
