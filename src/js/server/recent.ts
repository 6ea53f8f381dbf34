/** `RecentMessages`: the last messages of a room, for pages that have missed some. */

/** Messages that are kept. */
const MOST_MESSAGES = 10_000;
/** The sum of the lengths of the messages, in UTF-16 units. */
const MOST_LENGTH = 16 * 2 ** 20;
/**
 * Dropping messages moves all others, so many are dropped at once. Messages are dropped when there are this many more than the
 * limit.
 */
const MORE_MESSAGES = 1_000;
/** The length of the messages that are kept when others are dropped because of their length. */
const LENGTH_AFTER_DROP = MOST_LENGTH - MOST_LENGTH / 8;

export class RecentMessages {
  /** Messages whose numbers count up by one from `#first`. */
  readonly #texts: string[] = [];
  /** The sum of the lengths of the messages, in UTF-16 units. */
  #length = 0;
  /** The number of the first message that is kept, or, if none is, of the next one that is expected. */
  #first: number;

  /** @param start the number of the last message that is not kept. */
  constructor(start = 0) {
    this.#first = start + 1;
  }

  /** The number before the first message that is kept. */
  get start(): number {
    return this.#first - 1;
  }

  /** Adds the next message. After the first one, numbers must count up by one. */
  add(number: number, text: string): void {
    if (this.#texts.length === 0) this.#first = number;
    this.#texts.push(text);
    this.#length += text.length;
    if (this.#texts.length < MOST_MESSAGES + MORE_MESSAGES && this.#length <= MOST_LENGTH) return;
    let dropCount = 0;
    while (this.#texts.length - dropCount > MOST_MESSAGES || this.#length > LENGTH_AFTER_DROP) {
      this.#length -= this.#texts[dropCount]?.length ?? 0;
      dropCount += 1;
    }
    this.#texts.splice(0, dropCount);
    this.#first += dropCount;
  }

  /** The messages after a number; `undefined` if not all of them are kept. */
  after(number: number): readonly string[] | undefined {
    return number >= this.start ? this.#texts.slice(number - this.start) : undefined;
  }
}
