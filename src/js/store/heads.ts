/**
 * Texts that are as one before but for their last value, as they come from a model or a server that sets one place again
 * and again: of such a text nothing need be read but that value.
 */

export type Scalar = string | number | boolean;

/** What stands before and behind the value, what was read of such a text, and the value of the one that was found last. */
interface Head<Known> {
  readonly before: string;
  readonly behind: string;
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
  /** The one that was found last, which is the likeliest. */
  #last: Head<Known> | undefined;

  /** What is known of a text, with its value, if one like it was kept. */
  find(text: string): Head<Known> | undefined {
    if (this.#heads.size === 0 || text.length > LONGEST_TEXT) return undefined;
    let head = this.#last;
    let value = head && text.slice(0, head.before.length) === head.before ? valueIn(text, head) : undefined;
    if (value === undefined) {
      head = this.#heads.get(text.slice(0, startOf(text, endOf(text))));
      value = head && valueIn(text, head);
      this.#last = head;
    }
    if (head === undefined || value === undefined) return undefined;
    head.value = value;
    return head;
  }

  /**
   * Keeps what was read of a text, which JSON.parse has taken, if its last value is its only "value", and plain. Another
   * plain value in its place then makes no other difference.
   */
  learn(text: string, known: Known): void {
    const end = endOf(text);
    const before = text.slice(0, startOf(text, end));
    if (text.length > LONGEST_TEXT || before.length > LONGEST_HEAD || !BEFORE_VALUE.test(before)) return;
    const behind = text.slice(isQuote(text, end) ? end : end + 1);
    const head = { before, behind, known, value: "" };
    if (valueIn(text, head) === undefined) return;
    if (this.#heads.size >= MOST_HEADS) this.clear();
    this.#heads.set(before, head);
  }

  clear(): void {
    this.#heads.clear();
    this.#last = undefined;
  }
}

/** Where the last value of a text ends: its last unit. Behind it stand only what closes lists and objects, and space. */
function endOf(text: string): number {
  let end = text.length - 1;
  for (let unit = text.charCodeAt(end); isClosing(unit); unit = text.charCodeAt(end)) end--;
  return end;
}

function isClosing(unit: number): boolean {
  return unit === 0x7d || unit === 0x5d || unit === 0x20 || unit === 0x0a;
}

/** Where the last value of a text begins; for a string, behind its quote. */
function startOf(text: string, end: number): number {
  return 1 + (isQuote(text, end) ? text.lastIndexOf('"', end - 1) : text.lastIndexOf(":", end));
}

const isQuote = (text: string, place: number): boolean => text.charCodeAt(place) === QUOTE;

/** The value of a text that begins like those of a head, if it ends like them and the value is plain. */
function valueIn(text: string, { before, behind }: Head<unknown>): Scalar | undefined {
  const end = text.length - behind.length;
  if (end < before.length || !text.endsWith(behind)) return undefined;
  const word = text.slice(before.length, end);
  if (isQuote(behind, 0)) return STRING.test(word) ? word : undefined;
  if (!NO_STRING.test(word)) return undefined;
  if (word.endsWith("e")) return word.endsWith("true");
  const number = Number(word);
  return Number.isFinite(number) ? number : undefined;
}
