/**
 * `formatString` of A2UI v0.9: text with `${…}` in it, where a path of the data stands, or a function call with named
 * arguments. `\${` is text.
 */
import { put } from "../mirror.js";
import type { Json } from "../types.js";

export interface Source {
  read(path: string): Json;
  call(name: string, args: { [name: string]: Json }): Json;
  /** So deep may expressions stand inside each other. */
  maxDepth: number;
}

/** A short template can ask for the same long value many times. */
const LONGEST = 1 << 20;

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?=\s*[,)}])/y;
const WORD = /(?:true|false|null)(?=\s*[,)}])/y;
const PATH = /[^\s,(){}'"$]+/y;
const BLANK = /\s*/y;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

/**
 * The text with its expressions replaced.
 * @throws Error for an expression that cannot be read.
 */
export function evaluate(template: Json, source: Source): Json {
  if (template === null) return null;
  const text = toText(template);
  let out = "";
  let place = 0;
  while (place < text.length) {
    const next = text.indexOf("${", place);
    if (next < 0) return out + text.slice(place);
    if (text[next - 1] === "\\" && next > place) {
      out += `${text.slice(place, next - 1)}\${`;
      place = next + 2;
      continue;
    }
    const reader = new Reader(text, next + 2, source);
    out += text.slice(place, next) + toText(reader.expression(0));
    if (out.length > LONGEST) throw new Error(`the text is longer than ${LONGEST} characters`);
    reader.expect("}");
    place = reader.place;
  }
  return out;
}

/** Of data, which is frozen, the text is made once: many components may ask for the same. */
const texts = new WeakMap<object, string>();

function toText(value: Json): string {
  if (value === null) return "";
  if (typeof value !== "object") return String(value);
  const text = texts.get(value) ?? JSON.stringify(value);
  if (Object.isFrozen(value)) texts.set(value, text);
  return text;
}

class Reader {
  readonly #text: string;
  readonly #source: Source;
  place: number;

  constructor(text: string, place: number, source: Source) {
    this.#text = text;
    this.place = place;
    this.#source = source;
  }

  expression(depth: number): Json {
    if (depth >= this.#source.maxDepth) throw new Error("expressions stand too deep inside each other");
    this.#take(BLANK);
    const next = this.#text[this.place];
    if (this.#text.startsWith("${", this.place)) {
      this.place += 2;
      const value = this.expression(depth + 1);
      this.expect("}");
      return value;
    }
    if (next === "'" || next === '"') return this.#string(next);
    const number = this.#take(NUMBER);
    if (number !== undefined) return Number(number);
    const word = this.#take(WORD);
    if (word !== undefined) return JSON.parse(word) as Json;
    const start = this.place;
    const name = this.#take(NAME);
    if (name !== undefined) {
      this.#take(BLANK);
      if (this.#text[this.place] === "(") return this.#source.call(name, this.#args(depth));
      this.place = start;
    }
    const path = this.#take(PATH);
    if (path === undefined) throw new Error(`an expression was expected at ${this.place}`);
    if (/^-?[\d.]+$/.test(path)) throw new Error(`"${path}" is no number`);
    return this.#source.read(path);
  }

  expect(char: string): void {
    this.#take(BLANK);
    if (this.#text[this.place] !== char) throw new Error(`"${char}" was expected at ${this.place}`);
    this.place += 1;
  }

  #args(depth: number): { [name: string]: Json } {
    const args: { [name: string]: Json } = {};
    this.expect("(");
    this.#take(BLANK);
    while (this.#text[this.place] !== ")") {
      const name = this.#take(NAME);
      if (name === undefined) throw new Error(`the name of an argument was expected at ${this.place}`);
      this.expect(":");
      put(args, name, this.expression(depth + 1));
      this.#take(BLANK);
      if (this.#text[this.place] !== ")") this.expect(",");
      this.#take(BLANK);
    }
    this.place += 1;
    return args;
  }

  #string(quote: string): string {
    let out = "";
    for (this.place += 1; this.place < this.#text.length; this.place++) {
      const char = this.#text[this.place];
      if (char === quote) {
        this.place += 1;
        return out;
      }
      if (char === "\\") {
        this.place += 1;
        const escaped = this.#text[this.place] ?? "";
        out += ESCAPES[escaped] ?? escaped;
      } else {
        out += char;
      }
    }
    throw new Error("a string has no end");
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.place;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.place += found.length;
    return found;
  }
}
