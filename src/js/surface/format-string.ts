/** `formatString` of A2UI v0.9: text in which `${…}` is a path of the data or a function call, and `\${` is text. */
import type { Members } from "../core/kinds.js";
import { put } from "../core/tree.js";
import type { Json } from "../types.js";

export interface Source {
  read(path: string): Json;
  call(name: string, args: Members): Json;
  /** So deep may expressions stand inside each other. */
  maxDepth: number;
  /** So many characters may the text have: a short template can ask for the same long value many times. */
  maxLength: number;
}

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const PATH = /[^\s,(){}'"$]+/y;
const BLANK = /\s*/y;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

/** The text with its expressions replaced. Throws an Error for one that cannot be read. */
export function evaluate(template: Json, { read, call, maxDepth, maxLength }: Source): Json {
  if (template === null) return null;
  const text = toText(template);
  let place = 0;
  let out = "";
  for (let next = text.indexOf("${"); next >= 0; next = text.indexOf("${", place)) {
    const isText = text[next - 1] === "\\" && next > place;
    out += text.slice(place, isText ? next - 1 : next);
    place = next + 2;
    out += isText ? "${" : toText(expression(0));
    if (isText) continue;
    if (out.length > maxLength) throw new Error(`the text is longer than ${maxLength} characters`);
    expect("}");
  }
  return out + text.slice(place);

  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = place;
    const found = pattern.exec(text)?.[0];
    place += found?.length ?? 0;
    return found;
  }

  /** The same, if the expression ends behind it. */
  function takeWhole(pattern: RegExp): string | undefined {
    const start = place;
    const found = take(pattern);
    const end = place;
    if (found !== undefined) take(BLANK);
    const isWhole = ",)}".includes(text[place] ?? " ");
    place = isWhole ? end : start;
    return isWhole ? found : undefined;
  }

  function string(): string | undefined {
    const quote = text[place];
    if (quote !== "'" && quote !== '"') return undefined;
    let value = "";
    let from = place + 1;
    for (let at = from; at < text.length; at++) {
      const char = text[at] as string;
      if (char !== quote && char !== "\\") continue;
      value += text.slice(from, at);
      if (char === quote) {
        place = at + 1;
        return value;
      }
      at += 1;
      const escaped = text[at] ?? "";
      value += ESCAPES[escaped] ?? escaped;
      from = at + 1;
    }
    throw new Error("a string has no end");
  }

  function expect(char: string): void {
    take(BLANK);
    if (text[place] !== char) throw new Error(`"${char}" was expected at ${place}`);
    place += 1;
  }

  function expression(depth: number): Json {
    if (depth >= maxDepth) throw new Error("expressions stand too deep inside each other");
    take(BLANK);
    if (text.startsWith("${", place)) {
      place += 2;
      const value = expression(depth + 1);
      expect("}");
      return value;
    }
    const quoted = string();
    if (quoted !== undefined) return quoted;
    const number = takeWhole(NUMBER);
    if (number !== undefined) return Number(number);
    const word = takeWhole(WORD);
    if (word !== undefined) return JSON.parse(word) as Json;
    const start = place;
    const name = take(NAME);
    if (name !== undefined) {
      take(BLANK);
      if (text[place] === "(") return call(name, args(depth));
      place = start;
    }
    const path = take(PATH);
    if (path === undefined) throw new Error(`an expression was expected at ${place}`);
    if (/^-?\.?\d[\d.]*$/.test(path)) throw new Error(`"${path}" is no number`);
    return read(path);
  }

  function args(depth: number): Members {
    const args: Members = {};
    expect("(");
    take(BLANK);
    while (text[place] !== ")") {
      const name = take(NAME);
      if (name === undefined) throw new Error(`the name of an argument was expected at ${place}`);
      expect(":");
      put(args, name, expression(depth + 1));
      take(BLANK);
      if (text[place] !== ")") expect(",");
      take(BLANK);
    }
    place += 1;
    return args;
  }
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
