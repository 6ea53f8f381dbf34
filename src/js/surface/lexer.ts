/** The grammar of JSON (RFC 8259), read in pieces: where values are, and the first fault. `JSON.parse` reads values. */

/** What the grammar allows next, in the words of messages: the signs that may stand there are in backquotes. */
const VALUE = "a value";
const VALUE_OR_CLOSE = "a value or `]`";
const KEY = "a key in double quotes";
const KEY_OR_CLOSE = "a key in double quotes or `}`";
const COLON = "a colon";
const LIST_GOES_ON = "`,` or `]`";
const OBJECT_GOES_ON = "`,` or `}`";
const END = "the end of the text";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they end a run
const RUN = /[^"\\\u0000-\u001f]*/y;
const WORD = /[\w$.+-]*/y;
const BLANKS = /[ \t\r\n]*/y;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const LITERAL = /^(?:null|true|false)$/;
const ESCAPE = /^\\(?:["\\/bfnrt]|u[\da-fA-F]{4})$/;
const ESCAPE_SO_FAR = /^\\(?:u[\da-fA-F]{0,3})?$/;

/** Subclasses are told where values are. Places are those of the piece that is being read. */
export abstract class Lexer {
  /** Of each list and object around, whether it is an object. */
  readonly #stack: boolean[] = [];
  #expect = VALUE;
  #inside: "string" | "word" | undefined;
  #isKey = false;
  #escape = "";
  /** The number or word, or the string, so far. */
  #text = "";
  fault: string | undefined;

  protected abstract begins(at: number, opens: string): void;
  protected abstract ends(at: number): void;
  /** A string, as it is written between its quotes. */
  protected abstract string(isKey: boolean, raw: string): void;
  /** Whether the text so far ends inside of what is too deep: there it need not be JSON. */
  abstract get isOver(): boolean;

  get depth(): number {
    return this.#stack.length;
  }

  get inList(): boolean {
    return this.#stack.at(-1) === false;
  }

  /** Whether the text so far ends inside of a number or a word, or with one that is none. */
  get inWord(): boolean {
    return this.#inside === "word";
  }

  get isComplete(): boolean {
    return this.#expect === END;
  }

  /** Reads text; gives the place where it stopped: the end of the text, a fault, or right behind the whole value. */
  feed(text: string): number {
    let at = 0;
    while (at < text.length && this.fault === undefined) {
      const wasComplete = this.isComplete;
      if (this.#inside === "string") at = this.#string(text, at);
      else if (this.#inside) at = this.#word(text, at);
      else at = this.#structure(text, at);
      if (this.isComplete && !wasComplete) return at;
    }
    return at;
  }

  /** The text ends here. Whether the value is whole; if not, there is a fault. */
  finish(): boolean {
    if (this.inWord) this.#endWord(0);
    if (this.fault === undefined && !this.isComplete) {
      const where = this.#inside ? ' inside a string, expected "' : `, expected ${this.#expect}`;
      this.fault = `Unexpected end of the text${where}`;
    }
    return this.fault === undefined;
  }

  #structure(text: string, at: number): number {
    const char = text[at] as string;
    if (" \t\r\n".includes(char)) return at + runAt(BLANKS, text, at).length;
    const opens = char === "{" || char === "[" ? char : "";
    const isText = char === '"';
    if (this.isOver) {
      if (opens) this.#stack.push(true);
      else if (isText) this.#inside = "string";
      else if ("}]".includes(char)) this.#stack.pop();
      if (!this.isOver) this.#valueEnds(at + 1);
      return at + 1;
    }
    const expect = this.#expect;
    if (expect === COLON ? char === ":" : ",]}".includes(char) && expect.includes(char)) {
      if (char === ":" || char === ",") {
        this.#expect = expect === OBJECT_GOES_ON ? KEY : VALUE;
      } else {
        this.#stack.pop();
        this.#valueEnds(at + 1);
      }
      return at + 1;
    }
    const awaitsValue = expect === VALUE || expect === VALUE_OR_CLOSE;
    const awaitsKey = expect === KEY || expect === KEY_OR_CLOSE;
    const fits = opens || isText ? awaitsValue || (isText && awaitsKey) : runAt(WORD, text, at) !== "";
    if (!fits) {
      // Behind a colon a value is missing, and there was no comma.
      const isTrailing =
        this.depth > 0 && (this.inList ? char === "]" && expect === VALUE : char === "}" && expect === KEY);
      const found = String.fromCodePoint(text.codePointAt(at) as number);
      return this.#wrong(`\`${found}\`${isTrailing ? " after a comma" : ""}, expected ${expect}`, at);
    }
    if (awaitsValue) this.begins(at, opens);
    if (opens) {
      this.#stack.push(char === "{");
      this.#expect = char === "{" ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
      return at + 1;
    }
    this.#isKey = awaitsKey;
    this.#text = "";
    this.#inside = isText ? "string" : "word";
    return isText ? at + 1 : at;
  }

  #string(text: string, at: number): number {
    const run = this.#escape === "" ? runAt(RUN, text, at) : "";
    this.#text += run;
    const end = at + run.length;
    if (end === text.length) return end;
    const char = text[end] as string;
    if (this.#escape !== "" || char === "\\") {
      this.#escape += char;
      if (ESCAPE.test(this.#escape)) this.#escape = "";
      else if (!ESCAPE_SO_FAR.test(this.#escape)) {
        const isLong = this.#escape[1] === "u";
        const wanted = isLong ? "\\u and four hexadecimal digits" : 'one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u';
        return this.#wrong(`escape, expected ${wanted}`, end);
      }
      this.#text += char;
      return end + 1;
    }
    if (char !== '"') return this.#wrong(controlWords(char), end);
    this.#inside = undefined;
    if (this.isOver) return end + 1;
    this.string(this.#isKey, this.#text);
    if (this.#isKey) this.#expect = COLON;
    else this.#valueEnds(end + 1);
    return end + 1;
  }

  #word(text: string, at: number): number {
    const run = runAt(WORD, text, at);
    this.#text += run;
    const end = at + run.length;
    return end === text.length ? end : this.#endWord(end);
  }

  #endWord(at: number): number {
    const word = this.#text;
    const expect = this.#expect;
    const isNumber = NUMBER.test(word);
    if (expect.startsWith(VALUE) && (isNumber || LITERAL.test(word))) {
      this.#inside = undefined;
      this.#valueEnds(at);
      return at;
    }
    const wanted = !expect.startsWith(KEY) && !isNumber && /^[-\d]/.test(word) ? "a JSON number" : expect;
    return this.#wrong(`\`${word.slice(0, 40)}\`, expected ${wanted}`, at);
  }

  #valueEnds(at: number): void {
    this.#expect = this.depth === 0 ? END : this.inList ? LIST_GOES_ON : OBJECT_GOES_ON;
    this.ends(at);
  }

  #wrong(what: string, at: number): number {
    this.fault = `Unexpected ${what}`;
    return at;
  }
}

function runAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

function controlWords(char: string): string {
  if (char === "\n" || char === "\r") return "line break inside a string, expected \\n";
  if (char === "\t") return "tab inside a string, expected \\t";
  const code = char.charCodeAt(0).toString(16).padStart(4, "0");
  return `control character U+${code.toUpperCase()} inside a string, expected \\u${code}`;
}
