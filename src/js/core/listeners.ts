/** `Listeners`: the subscribers to a stream of events, called in the order of events and of subscriptions. */

/** One subscription. */
export interface Listener<Event> {
  /** The number of the subscription, from 1: earlier ones are called first. */
  readonly number: number;
  readonly call: (event: Event) => void;
}

/** An event that a listener causes is delivered after the current one has reached every listener. */
export class Listeners<Event> {
  readonly #listeners = new Set<Listener<Event>>();
  /** The events that have not reached all listeners yet. */
  readonly #queue: Event[] = [];
  /** The number of subscriptions so far, ended ones included. */
  #count = 0;
  #isDelivering = false;
  /** How many calls of {@link pause} still lack their {@link resume}. */
  #pauses = 0;

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Returns a function that ends the subscription. */
  subscribe(call: (event: Event) => void): () => void {
    const listener = this.add(call);
    return () => void this.remove(listener);
  }

  protected add(call: (event: Event) => void): Listener<Event> {
    this.#count += 1;
    const listener = { number: this.#count, call };
    this.#listeners.add(listener);
    return listener;
  }

  /** Returns whether the subscription had not ended yet. */
  protected remove(listener: Listener<Event>): boolean {
    return this.#listeners.delete(listener);
  }

  /**
   * The listeners of an event, in the order of their subscriptions: a copy, since listeners may subscribe others. A subclass may
   * leave out those that do not want this event.
   */
  protected listenersOf(_event: Event): Iterable<Listener<Event>> {
    return [...this.#listeners];
  }

  /** Ends all subscriptions. */
  clear(): void {
    this.#listeners.clear();
  }

  /** Queues events until {@link resume}, while a listener could see an object that is only partly up to date. Pauses nest. */
  pause(): void {
    this.#pauses += 1;
  }

  resume(): void {
    this.#pauses -= 1;
    this.#deliver();
  }

  emit(event: Event): void {
    this.#queue.push(event);
    this.#deliver();
  }

  #deliver(): void {
    if (this.#isDelivering || this.#pauses > 0) return;
    this.#isDelivering = true;
    // Events that listeners add to the queue are delivered too.
    for (const event of this.#queue) {
      for (const listener of this.listenersOf(event)) {
        // Another listener may have ended this subscription.
        if (!this.#listeners.has(listener)) continue;
        try {
          listener.call(event);
        } catch (cause) {
          // Reported as an uncaught error; the other listeners are called all the same.
          queueMicrotask(() => {
            throw cause;
          });
        }
      }
    }
    this.#queue.length = 0;
    this.#isDelivering = false;
  }
}
