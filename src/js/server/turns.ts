/**
 * `Turns`: a server that appends to a room without a gap makes one now and then, so that other servers of the room can append
 * too.
 */

/** A turn lasts half a second, or 20 appends if these take longer. */
const TURN_MILLISECONDS = 500;
const TURN_APPENDS = 20;
/** A gap is as long as 10 appends: another server needs a few requests to read what it has missed, and one to append. */
const GAP_APPENDS = 10;
/** Bounds of a gap in milliseconds, whatever the appends took. */
const SHORTEST_GAP = 5;
const LONGEST_GAP = 1_000;

/**
 * The storage accepts the append of the server that is first. A server that is second reads what it has missed, and tries again;
 * while another one appends without a gap, it would be second each time. A turn is a series of appends without a gap. All times
 * are those of `performance.now()`.
 */
export class Turns {
  /** When the turn began; `undefined` while there is none. */
  #turnStart: number | undefined;
  /** When the last append ended. */
  #lastAppendEnd = 0;
  /** Milliseconds that the last append took. */
  #lastAppendDuration = 0;

  /** Runs an append. */
  async append(run: () => Promise<void>): Promise<void> {
    const start = performance.now();
    const hadGap = start - this.#lastAppendEnd > this.#gapLength;
    if (hadGap) this.#turnStart = undefined;
    this.#turnStart ??= start;
    await run();
    this.#lastAppendEnd = performance.now();
    this.#lastAppendDuration = this.#lastAppendEnd - start;
  }

  /** The milliseconds that a gap lasts. */
  get #gapLength(): number {
    return Math.min(LONGEST_GAP, Math.max(SHORTEST_GAP, this.#lastAppendDuration * GAP_APPENDS));
  }

  /** Called before each append. If the turn is over, waits until the last append is a gap ago. */
  async giveWay(): Promise<void> {
    const turnLength = Math.max(TURN_MILLISECONDS, this.#lastAppendDuration * TURN_APPENDS);
    if (this.#turnStart === undefined || this.#lastAppendEnd - this.#turnStart < turnLength) return;
    const remaining = this.#lastAppendEnd + this.#gapLength - performance.now();
    if (remaining > 0) await new Promise((resolve) => setTimeout(resolve, remaining));
    this.#turnStart = undefined;
  }
}
