/** `Turns`: a server that writes a room without a gap makes one now and then, so that other servers of the room can write too. */

/** Milliseconds of appends without a gap at least, and in appends. */
const TURN = 500;
const APPENDS_IN_TURN = 20;
/** A gap in appends: another server needs a few requests to read what it has missed, and one to write. */
const APPENDS_IN_GAP = 10;
/** Milliseconds of a gap. */
const LEAST = 5;
const MOST = 1_000;

/**
 * The storage takes the append of the server that was first. A server that was second reads what it has missed, and tries
 * again; while another one appends without a gap, it would be second each time.
 */
export class Turns {
  /** When the first append without a gap began. */
  #began: number | undefined;
  #ended = 0;
  /** Milliseconds that the last append took. */
  #took = 0;

  /** Runs an append. */
  async append(run: () => Promise<void>): Promise<void> {
    const start = performance.now();
    if (start - this.#ended > this.#gap) this.#began = undefined;
    this.#began ??= start;
    await run();
    this.#ended = performance.now();
    this.#took = this.#ended - start;
  }

  get #gap(): number {
    return Math.min(MOST, Math.max(LEAST, this.#took * APPENDS_IN_GAP));
  }

  /** Waits before the next append, if the turn is over. */
  async giveWay(): Promise<void> {
    if (this.#began === undefined || this.#ended - this.#began < Math.max(TURN, this.#took * APPENDS_IN_TURN)) return;
    const left = this.#ended + this.#gap - performance.now();
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
    this.#began = undefined;
  }
}
