/** `Recent`: the last messages of a room, for pages that have missed some. */

const MOST = 10_000;
const MOST_LENGTH = 16 * 2 ** 20;

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
    let drop = 0;
    while (this.#texts.length - drop > MOST || this.#length > MOST_LENGTH) {
      this.#length -= this.#texts[drop]?.length ?? 0;
      drop += 1;
    }
    // Not one by one, which would move all others each time.
    if (drop < 256 && this.#length <= MOST_LENGTH && this.#texts.length <= MOST) return;
    this.#texts.splice(0, drop);
    this.#first += drop;
  }

  /** The messages after a number; `undefined` if not all of them are kept. */
  after(number: number): readonly string[] | undefined {
    return number >= this.start ? this.#texts.slice(number - this.start) : undefined;
  }
}
