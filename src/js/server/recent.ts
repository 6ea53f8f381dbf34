/** `Recent`: the last messages of a room, for pages that have missed some. */

const MOST = 10_000;
const MOST_LENGTH = 16 * 2 ** 20;
/** Messages that are dropped at once: each time, all others are moved. */
const AT_ONCE = 1_000;

export class Recent {
  readonly #texts: string[] = [];
  #length = 0;
  /** The number of the first message. */
  #first: number;

  /** @param start the number of the last message that is not kept. */
  constructor(start = 0) {
    this.#first = start + 1;
  }

  /** The number before the first message that is kept. */
  get start(): number {
    return this.#first - 1;
  }

  add(number: number, text: string): void {
    if (this.#texts.length === 0) this.#first = number;
    this.#texts.push(text);
    this.#length += text.length;
    if (this.#texts.length < MOST + AT_ONCE && this.#length <= MOST_LENGTH) return;
    let drop = Math.max(0, this.#texts.length - MOST);
    for (let at = 0; at < drop || this.#length > MOST_LENGTH - MOST_LENGTH / 8; at++) {
      this.#length -= this.#texts[at]?.length ?? 0;
      drop = Math.max(drop, at + 1);
    }
    this.#texts.splice(0, drop);
    this.#first += drop;
  }

  /** The messages after a number; `undefined` if not all of them are kept. */
  after(number: number): readonly string[] | undefined {
    return number >= this.start ? this.#texts.slice(number - this.start) : undefined;
  }
}
