/**
 * The grammar of JSON (RFC 8259), read in pieces: where values begin and end, and what the first fault is. Values
 * themselves are read by `JSON.parse`, of text that has an end.
 */

/** What the grammar allows next, in the words of messages. */
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
const HEX = /[\da-fA-F]/;

/** Hears where values are. Places are those of the piece that is being read. */
export interface Hearer {
  /** A value begins: a list, an object, or something else. */
  begins(at: number, opens: string): void;
  /** A value has ended before this place. */
  ends(at: number): void;
  /** A string, as it is written between its quotes, if it stands in few objects. */
  string(isKey: boolean, raw: string): void;
}

export class Lexer {
  readonly #hearer: Hearer;
  readonly #maxDepth: number;
  /** Of each list and object around, whether it is an object. */
  readonly #stack: boolean[] = [];
  #expect = VALUE;
  #inString = false;
  #inWord = false;
  #isKey = false;
  /** What is left of an escape: 5 behind its backslash, 4 to 1 for digits. */
  #escape = 0;
  /** The number or word, or the string, so far. */
  #text = "";
  /** Lists and objects inside of the deepest one that is allowed. */
  #over = 0;
  /** Something was too deep: the value that is read will not be taken. */
  isTooDeep = false;
  /** What is wrong; nothing is read behind it. */
  fault: string | undefined;

  constructor(hearer: Hearer, maxDepth: number) {
    this.#hearer = hearer;
    this.#maxDepth = maxDepth;
  }

  /** How many lists and objects are open. */
  get depth(): number {
    return this.#stack.length;
  }

  /** Whether the innermost of them is a list. */
  get inList(): boolean {
    return this.#stack.at(-1) === false;
  }

  /** Whether the text so far ends inside of a number or a word, or with one that is none. */
  get inWord(): boolean {
    return this.#inWord;
  }

  get isComplete(): boolean {
    return this.#expect === END;
  }

  /** Whether the text so far ends inside of what is too deep. */
  get isOver(): boolean {
    return this.#over > 0;
  }

  /** Reads text; gives the place where it stopped: the end of the text, a fault, or right behind the whole value. */
  feed(text: string): number {
    let at = 0;
    while (at < text.length && this.fault === undefined) {
      const wasComplete = this.isComplete;
      if (this.#inString) at = this.#string(text, at);
      else if (this.#inWord) at = this.#word(text, at);
      else at = this.#structure(text, at);
      if (this.isComplete && !wasComplete) return at;
    }
    return at;
  }

  /** The text ends here. Whether the value is whole; if not, there is a fault. */
  finish(): boolean {
    if (this.#inWord) this.#endWord(0);
    if (this.fault === undefined && !this.isComplete) {
      const where = this.#inString ? ' inside a string, expected "' : `, expected ${this.#expect}`;
      this.fault = `Unexpected end of the text${where}`;
    }
    return this.fault === undefined;
  }

  #structure(text: string, at: number): number {
    const char = text[at] as string;
    switch (char) {
      case " ":
      case "\t":
      case "\r":
      case "\n":
        BLANKS.lastIndex = at;
        return at + (BLANKS.exec(text)?.[0].length ?? 1);
      case "{":
      case "[":
        return this.#open(char, at);
      case "}":
      case "]":
        return this.#close(char, at);
      case '"':
        if (this.#over === 0) {
          this.#isKey = this.#expect === KEY || this.#expect === KEY_OR_CLOSE;
          if (!this.#isKey && !this.#awaitsValue()) return this.#wrong(char, at);
          if (!this.#isKey) this.#hearer.begins(at, "");
        }
        this.#inString = true;
        this.#text = "";
        return at + 1;
    }
    if (this.#over > 0) return at + 1;
    if (char === ",") {
      if (this.#expect !== LIST_GOES_ON && this.#expect !== OBJECT_GOES_ON) return this.#wrong(char, at);
      this.#expect = this.inList ? VALUE : KEY;
      return at + 1;
    }
    if (char === ":") {
      if (this.#expect !== COLON) return this.#wrong(char, at);
      this.#expect = VALUE;
      return at + 1;
    }
    WORD.lastIndex = at;
    if (WORD.exec(text)?.[0] === "") return this.#wrong(String.fromCodePoint(text.codePointAt(at) as number), at);
    if (this.#awaitsValue()) this.#hearer.begins(at, "");
    this.#inWord = true;
    this.#text = "";
    return at;
  }

  #open(char: string, at: number): number {
    if (this.#over > 0 || (this.#awaitsValue() && this.depth >= this.#maxDepth)) {
      this.#over += 1;
      this.isTooDeep = true;
      return at + 1;
    }
    if (!this.#awaitsValue()) return this.#wrong(char, at);
    this.#hearer.begins(at, char);
    this.#stack.push(char === "{");
    this.#expect = char === "{" ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
    return at + 1;
  }

  #close(char: string, at: number): number {
    if (this.#over > 0) {
      this.#over -= 1;
      if (this.#over === 0) this.#valueEnds(at + 1);
      return at + 1;
    }
    const [goesOn, empty, more] =
      char === "}" ? [OBJECT_GOES_ON, KEY_OR_CLOSE, KEY] : [LIST_GOES_ON, VALUE_OR_CLOSE, VALUE];
    if (this.#expect !== goesOn && this.#expect !== empty) {
      const fits = this.depth > 0 && this.inList === (char === "]");
      // Behind a colon a value is missing, and there was no comma.
      const trailing = fits && this.#expect === more;
      this.fault = `Unexpected \`${char}\`${trailing ? " after a comma" : ""}, expected ${this.#expect}`;
      return at;
    }
    this.#stack.pop();
    this.#valueEnds(at + 1);
    return at + 1;
  }

  #string(text: string, at: number): number {
    if (this.#escape > 0) return this.#escaped(text, at);
    RUN.lastIndex = at;
    const run = RUN.exec(text)?.[0] ?? "";
    const end = at + run.length;
    const isHeard = this.#over === 0 && this.depth <= HEARD;
    if (isHeard) this.#text += run;
    if (end === text.length) return end;
    const char = text[end] as string;
    if (char === "\\") {
      this.#escape = 5;
      if (isHeard) this.#text += char;
      return end + 1;
    }
    if (char !== '"') {
      this.fault = `Unexpected ${controlWords(char)}`;
      return end;
    }
    this.#inString = false;
    if (this.#over > 0) return end + 1;
    if (isHeard) this.#hearer.string(this.#isKey, this.#text);
    if (this.#isKey) this.#expect = COLON;
    else this.#valueEnds(end + 1);
    return end + 1;
  }

  #escaped(text: string, at: number): number {
    const char = text[at] as string;
    if (this.#escape < 5) {
      if (!HEX.test(char)) {
        this.fault = "Unexpected escape, expected \\u and four hexadecimal digits";
        return at;
      }
      this.#escape -= 1;
    } else if (char === "u") {
      this.#escape = 4;
    } else if ('"\\/bfnrt'.includes(char)) {
      this.#escape = 0;
    } else {
      this.fault = 'Unexpected escape, expected one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u';
      return at;
    }
    if (this.depth <= HEARD) this.#text += char;
    return at + 1;
  }

  #word(text: string, at: number): number {
    WORD.lastIndex = at;
    const run = WORD.exec(text)?.[0] ?? "";
    this.#text += run;
    const end = at + run.length;
    return end === text.length ? end : this.#endWord(end);
  }

  #endWord(at: number): number {
    const word = this.#text;
    if (this.#awaitsValue() && (NUMBER.test(word) || LITERAL.test(word))) {
      this.#inWord = false;
      this.#valueEnds(at);
      return at;
    }
    const isKey = this.#expect === KEY || this.#expect === KEY_OR_CLOSE;
    const isNumber = !isKey && /^[-\d]/.test(word) && !NUMBER.test(word);
    this.fault = `Unexpected \`${word.slice(0, 40)}\`, expected ${isNumber ? "a JSON number" : this.#expect}`;
    return at;
  }

  #awaitsValue(): boolean {
    return this.#expect === VALUE || this.#expect === VALUE_OR_CLOSE;
  }

  #valueEnds(at: number): void {
    this.#expect = this.depth === 0 ? END : this.inList ? LIST_GOES_ON : OBJECT_GOES_ON;
    this.#hearer.ends(at);
  }

  #wrong(char: string, at: number): number {
    this.fault = `Unexpected \`${char}\`, expected ${this.#expect}`;
    return at;
  }
}

/** Strings deeper than that are none of the hearer's business. */
const HEARD = 4;

function controlWords(char: string): string {
  if (char === "\n" || char === "\r") return "line break inside a string, expected \\n";
  if (char === "\t") return "tab inside a string, expected \\t";
  const code = char.charCodeAt(0).toString(16).padStart(4, "0");
  return `control character U+${code.toUpperCase()} inside a string, expected \\u${code}`;
}

const NOBODY: Hearer = { begins() {}, ends() {}, string() {} };

/** What is wrong with a text that is no JSON. */
export function faultOf(text: string): string | undefined {
  const lexer = new Lexer(NOBODY, Number.POSITIVE_INFINITY);
  for (let at = 0; at < text.length && lexer.fault === undefined; ) at += lexer.feed(text.slice(at));
  lexer.finish();
  return lexer.fault;
}
