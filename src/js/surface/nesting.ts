/**
 * `Nesting`: follows JSON text that arrives in pieces by its brackets and strings alone. `JSON.parse` reads the values. A *sign*
 * is what structures the text: a bracket, a colon, a comma, or the `"` that ends a string.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The codes of all signs but the `"`. */
const SIGNS: ReadonlySet<number> = /* @__PURE__ */ new Set(Array.from("{}[]:,", (sign) => sign.charCodeAt(0)));

export class Nesting {
  /** The closing brackets of the lists and objects that are open, from the outermost. */
  readonly #closers: string[] = [];
  #isInString = false;
  /** The last character is a backslash, in a string, that escapes the next one. */
  #isEscaped = false;
  /** The sign that {@link next} has found; `""` if it has reached the end of its text. */
  sign = "";
  /** The last sign at any depth, also one that `next` has passed over; `""` at the start of the text. */
  #last = "";
  /** The sign before {@link sign}, at any depth. */
  previous = "";
  /** The last string, as it is written between its quotes. Strings deeper than `next` looks are not kept. */
  string = "";
  /** The last key at each depth, as it is written: `keys[1]` is the last key of the outermost object. */
  readonly keys: string[] = [];
  /** The greatest depth so far. */
  deepest = 0;
  /** A bracket stands where JSON allows none; the text is not followed any further. Other errors are left to `JSON.parse`. */
  isBroken = false;

  /** `closers`: the closing brackets of the list in which the text begins, from the outermost to the list's own `]`. */
  constructor(...closers: string[]) {
    this.#closers = closers;
    this.deepest = closers.length;
    // As after the `[` of the list: the first value of the text needs no comma before it.
    if (closers.length > 0) this.#last = "[";
  }

  /** How many lists and objects are open after {@link sign}. */
  get depth(): number {
    return this.#closers.length;
  }

  get isInString(): boolean {
    return this.#isInString;
  }

  /**
   * Finds the next sign from the index `from` on with at most `maxDepth` lists and objects around it, and sets {@link sign}. A
   * bracket that breaks the text is found at any depth. Returns the index after the sign, or the end of the text.
   */
  next(text: string, from: number, maxDepth: number): number {
    // In a string: the index of its first character that has not been added to `string`.
    let start = from;
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.#isEscaped) {
        this.#isEscaped = false;
      } else if (this.#isInString) {
        if (code === BACKSLASH) this.#isEscaped = true;
        if (code !== QUOTE) continue;
        this.#isInString = false;
        if (this.depth <= maxDepth) {
          this.string += text.slice(start, at);
          this.#track('"');
          return at + 1;
        }
        this.#last = '"';
      } else if (code === QUOTE) {
        this.#isInString = true;
        this.string = "";
        start = at + 1;
      } else if (SIGNS.has(code)) {
        const depthBefore = this.depth;
        this.#track(text.charAt(at));
        // A bracket does not count as around itself.
        const depthAround = Math.min(depthBefore, this.depth);
        if (this.isBroken || depthAround <= maxDepth) return at + 1;
      }
    }
    // Deeper signs have set it.
    this.sign = "";
    if (this.#isInString && this.depth <= maxDepth) this.string += text.slice(start);
    return text.length;
  }

  /** Follows a sign: updates the open brackets, the keys and the last signs, but not for a bracket that breaks the text. */
  #track(sign: string): void {
    const closers = this.#closers;
    this.sign = sign;
    if (sign === ":") {
      this.keys[closers.length] = this.string;
    } else if (sign === "{" || sign === "[") {
      const closer = closers.at(-1);
      const lastSign = this.#last;
      // A list or object follows the `:` of its key in an object, the `[` or a `,` in a list, or begins the text.
      const mayOpen =
        closer === "}" ? lastSign === ":" : closer === "]" ? lastSign === "[" || lastSign === "," : lastSign === "";
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
