/** `Nesting`: follows JSON text that arrives in pieces by its brackets and strings alone. `JSON.parse` reads the values. */

const OUTSIDE_STRING = /["{}[\]:,]/g;
const INSIDE_STRING = /["\\]/g;

export class Nesting {
  /** The bracket that closes each list and object which is open. */
  readonly #closers: string[] = [];
  #isInString = false;
  #isEscaped = false;
  /** The sign found last: a bracket, a colon, a comma, or the `"` that ends a string; `""` if the text has no more. */
  sign = "";
  /** The last sign of the whole text, and the one before it. */
  #last = "";
  previous = "";
  /** The last string, as it is written between its quotes. */
  string = "";
  /** The last key at each depth. */
  readonly keys: string[] = [];
  deepest = 0;
  /** No JSON text begins like this. */
  isBroken = false;

  /** With closing brackets: the text continues in a list that has them around it. */
  constructor(...closers: string[]) {
    this.#closers = closers;
    this.deepest = closers.length;
    if (closers.length > 0) this.#last = "[";
  }

  get depth(): number {
    return this.#closers.length;
  }

  get isInString(): boolean {
    return this.#isInString;
  }

  /** Finds the next sign. Returns the place after it, or the end of the text. */
  next(text: string, from: number): number {
    this.sign = "";
    let at = from;
    while (at < text.length) {
      if (this.#isEscaped) {
        this.#isEscaped = false;
        this.string += text[at];
        at += 1;
        continue;
      }
      const pattern = this.#isInString ? INSIDE_STRING : OUTSIDE_STRING;
      pattern.lastIndex = at;
      const end = pattern.test(text) ? pattern.lastIndex : text.length + 1;
      if (this.#isInString) this.string += text.slice(at, end - 1);
      if (end > text.length) return text.length;
      at = end;
      const sign = text[at - 1] as string;
      if (sign === "\\") {
        this.#isEscaped = true;
        this.string += sign;
      } else if (sign === '"' && !this.#isInString) {
        this.#isInString = true;
        this.string = "";
      } else {
        this.#isInString = false;
        this.#found(sign);
        return at;
      }
    }
    return text.length;
  }

  #found(sign: string): void {
    const closers = this.#closers;
    this.sign = sign;
    if (sign === ":") {
      this.keys[closers.length] = this.string;
    } else if (sign === "{" || sign === "[") {
      const around = closers.at(-1);
      const last = this.#last;
      this.isBroken ||= !(around === "}" ? last === ":" : around === "]" ? last === "[" || last === "," : last === "");
      if (this.isBroken) return;
      closers.push(sign === "{" ? "}" : "]");
      this.deepest = Math.max(this.deepest, closers.length);
    } else if (sign === "}" || sign === "]") {
      this.isBroken ||= closers.at(-1) !== sign;
      if (this.isBroken) return;
      closers.pop();
    }
    this.previous = this.#last;
    this.#last = sign;
  }
}
