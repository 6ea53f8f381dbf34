/** `Nesting`: follows JSON text that arrives in pieces by its brackets and strings alone. `JSON.parse` reads the values. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SIGNS: ReadonlySet<number> = /* @__PURE__ */ new Set(Array.from("{}[]:,", (sign) => sign.charCodeAt(0)));

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
  /** The greatest depth so far. */
  deepest = 0;
  /** No JSON text begins like this. */
  isBroken = false;

  /** `closers`: the closing brackets of the list in which the text begins, from the outermost to the list's own `]`. */
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

  /** Finds the next sign at most `most` levels deep. Returns the place after it, or the end of the text. */
  next(text: string, from: number, most: number): number {
    this.sign = "";
    // Where the part of a string begins that is not in `string` yet.
    let start = from;
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.#isEscaped) {
        this.#isEscaped = false;
      } else if (this.#isInString) {
        if (code === BACKSLASH) this.#isEscaped = true;
        if (code !== QUOTE) continue;
        this.#isInString = false;
        if (this.depth <= most) {
          this.string += text.slice(start, at);
          this.#found('"');
          return at + 1;
        }
        this.#last = '"';
      } else if (code === QUOTE) {
        this.#isInString = true;
        this.string = "";
        start = at + 1;
      } else if (SIGNS.has(code)) {
        const depth = this.depth;
        this.#found(text.charAt(at));
        if (this.isBroken || Math.min(depth, this.depth) <= most) return at + 1;
      }
    }
    this.sign = "";
    if (this.#isInString && this.depth <= most) this.string += text.slice(start);
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
      // A value follows the `:` of its key, the `[` or `,` of a list, or nothing at all.
      const mayOpen = around === "}" ? last === ":" : around === "]" ? last === "[" || last === "," : last === "";
      this.isBroken ||= !mayOpen;
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
