/**
 * Texts that are as one before but for their last value, as they come from a model or a server that sets one place again
 * and again: of such a text nothing need be read but that value.
 */

export type Scalar = string | number | boolean;

/** What a text begins and ends with, what was read of it, and the value of the text that was found last. */
interface Head<Known> {
  readonly tail: string;
  readonly known: Known;
  value: Scalar;
}

/** Longer texts, and longer beginnings, are not kept. */
const LONGEST_TEXT = 1024;
const LONGEST_HEAD = 256;
const MOST_HEADS = 4096;

const QUOTE = 0x22;
/** The beginning of a text up to a value that is called so. */
const BEFORE_VALUE = /"value"\s*:\s*"?$/;
/** A string that JSON writes as it is, and that is the same in the module. */
const STRING = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;
const NO_STRING = /^ ?(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/;

export class Heads<Known> {
  readonly #heads = new Map<string, Head<Known>>();
  /** Where the last value of the last text begins and ends. */
  #start = 0;
  #end = 0;

  /** What is known of a text, with its value, if one like it was kept. */
  find(text: string): Head<Known> | undefined {
    if (this.#heads.size === 0) return undefined;
    const value = this.#cut(text);
    if (value === undefined) return undefined;
    const head = this.#heads.get(text.slice(0, this.#start));
    if (head === undefined || head.tail.length !== text.length - this.#end || !text.endsWith(head.tail))
      return undefined;
    head.value = value;
    return head;
  }

  /**
   * Keeps what was read of a text, which JSON.parse has taken, if its last value is its only "value", and plain. Another
   * plain value in its place then makes no other difference.
   */
  learn(text: string, known: Known): void {
    const value = this.#cut(text);
    const head = text.slice(0, this.#start);
    if (value === undefined || head.length > LONGEST_HEAD || !BEFORE_VALUE.test(head)) return;
    if (this.#heads.size >= MOST_HEADS) this.#heads.clear();
    this.#heads.set(head, { tail: text.slice(this.#end), known, value });
  }

  clear(): void {
    this.#heads.clear();
  }

  /** The last value of a text, if it is plain. */
  #cut(text: string): Scalar | undefined {
    if (text.length > LONGEST_TEXT) return undefined;
    let end = text.length - 1;
    while (isClosing(text.charCodeAt(end))) end--;
    this.#end = end;
    if (text.charCodeAt(end) === QUOTE) {
      this.#start = text.lastIndexOf('"', end - 1) + 1;
      const value = text.slice(this.#start, end);
      return STRING.test(value) ? value : undefined;
    }
    this.#end = end + 1;
    this.#start = text.lastIndexOf(":", end) + 1;
    const word = text.slice(this.#start, this.#end);
    if (!NO_STRING.test(word)) return undefined;
    if (word.endsWith("e")) return word.endsWith("true");
    const number = Number(word);
    return Number.isFinite(number) ? number : undefined;
  }
}

/** Whether a unit may stand behind the last value of a text. */
function isClosing(unit: number): boolean {
  return unit === 0x7d || unit === 0x5d || unit === 0x20 || unit === 0x0a;
}
