/** `formatString` of A2UI v0.9 and 1.0: in its text, `${…}` is a path of the data or a function call. `\${` is plain text. */
import { fromText } from "../core/json.js";
import type { Members } from "../core/kinds.js";
import { put } from "../core/tree.js";
import type { Json } from "../types.js";

/** The data and functions that expressions may use, and their limits. */
export interface Source {
  /** The value at a path; `null` without data. */
  read(path: string): Json;
  call(name: string, args: Members): Json;
  /** How deep expressions may be nested. */
  maxDepth: number;
  /** The maximum length of the result: a short template can contain the same long value many times. */
  maxLength: number;
}

const NAME = /@?[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const PATH = /[^\s,(){}'"$]+/y;
const BLANK = /\s*/y;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

/** The text with its expressions replaced by their values. @throws Error for an invalid expression. */
export function evaluate(template: Json, { read, call, maxDepth, maxLength }: Source): Json {
  if (template === null) return null;
  const text = toText(template);
  let place = 0;
  let out = "";
  for (let next = text.indexOf("${"); next >= 0; next = text.indexOf("${", place)) {
    const isEscaped = text[next - 1] === "\\" && next > place;
    out += text.slice(place, isEscaped ? next - 1 : next);
    place = next + 2;
    out += isEscaped ? "${" : toText(expression(0));
    if (isEscaped) continue;
    if (out.length > maxLength) throw new Error(`the text is longer than ${maxLength} characters`);
    expect("}");
  }
  return out + text.slice(place);

  /** The match of a pattern at the current place, which moves after it; else `undefined`. */
  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = place;
    const found = pattern.exec(text)?.[0];
    place += found?.length ?? 0;
    return found;
  }

  /** Like {@link match}, but only if the expression ends after it. */
  function matchWhole(pattern: RegExp): string | undefined {
    const start = place;
    const found = match(pattern);
    const end = place;
    if (found !== undefined) match(BLANK);
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
      const char = text.charAt(at);
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
    throw new Error("a string is not closed");
  }

  function expect(char: string): void {
    match(BLANK);
    if (text[place] !== char) throw new Error(`"${char}" was expected at ${place}`);
    place += 1;
  }

  function expression(depth: number): Json {
    if (depth >= maxDepth) throw new Error("expressions are nested too deep");
    match(BLANK);
    if (text.startsWith("${", place)) {
      place += 2;
      const value = expression(depth + 1);
      expect("}");
      return value;
    }
    const quoted = string();
    if (quoted !== undefined) return quoted;
    const number = matchWhole(NUMBER);
    if (number !== undefined) return Number(number);
    const word = matchWhole(WORD);
    if (word !== undefined) return fromText(word);
    const start = place;
    const name = match(NAME);
    if (name !== undefined) {
      match(BLANK);
      if (text[place] === "(") return call(name, args(depth));
      place = start;
    }
    const path = match(PATH);
    if (path === undefined) throw new Error(`an expression was expected at ${place}`);
    if (/^-?\.?\d[\d.]*$/.test(path)) throw new Error(`"${path}" is not a number`);
    return read(path);
  }

  function args(depth: number): Members {
    const args: Members = {};
    expect("(");
    match(BLANK);
    while (text[place] !== ")") {
      const name = match(NAME);
      if (name === undefined) throw new Error(`the name of an argument was expected at ${place}`);
      expect(":");
      put(args, name, expression(depth + 1));
      match(BLANK);
      if (text[place] !== ")") expect(",");
      match(BLANK);
    }
    place += 1;
    return args;
  }
}

/** Caches the texts of frozen data, which many components may show. */
const texts = new WeakMap<object, string>();

function toText(value: Json): string {
  if (value === null) return "";
  if (typeof value !== "object") return String(value);
  const text = texts.get(value) ?? JSON.stringify(value);
  if (Object.isFrozen(value)) texts.set(value, text);
  return text;
}
