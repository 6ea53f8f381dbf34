/** `formatString` of A2UI v0.9 and 1.0: in its text, `${…}` is a path of the data or a function call. `\${` is plain text. */
import { fromText } from "../core/json.js";
import type { Members } from "../core/kinds.js";
import { put } from "../core/tree.js";
import type { Json } from "../types.js";

/** The data and functions that expressions may use, and their limits. */
export interface ExpressionContext {
  /** The value at a path; `null` without data. */
  read(path: string): Json;
  /** The result of a function. */
  call(name: string, args: Members): Json;
  /** How deep expressions may be nested. */
  maxDepth: number;
  /** The maximum length of the result in UTF-16 units: a short template can contain the same long value many times. */
  maxLength: number;
}

// Tokens. `y` matches them at the current position alone.
const NAME = /@?[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const PATH = /[^\s,(){}'"$]+/y;
const BLANK = /\s*/y;
/** The characters that escapes in quoted strings mean. After a backslash, any other character means itself. */
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

/**
 * The text with its expressions replaced by their values; null for null. An expression is a quoted string, a number, `true`,
 * `false`, `null`, a call `name(argument: expression, …)`, a path of the data, or another `${…}`.
 * @throws Error for an invalid expression
 */
export function evaluate(template: Json, { read, call, maxDepth, maxLength }: ExpressionContext): Json {
  if (template === null) return null;
  const text = toText(template);
  /** The index in `text` of what has not been read. */
  let position = 0;
  let out = "";
  for (let opening = text.indexOf("${"); opening >= 0; opening = text.indexOf("${", position)) {
    const isEscaped = text[opening - 1] === "\\";
    out += text.slice(position, isEscaped ? opening - 1 : opening);
    position = opening + 2;
    out += isEscaped ? "${" : toText(expression());
    if (isEscaped) continue;
    if (out.length > maxLength) throw new Error(`the text is longer than ${maxLength} characters`);
    expect("}");
  }
  return out + text.slice(position);

  /** The match of a pattern at the current position, which moves after it; else `undefined`. */
  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = position;
    const token = pattern.exec(text)?.[0];
    position += token?.length ?? 0;
    return token;
  }

  /** Like {@link match}, but only if the expression ends after it. Otherwise, as in `2nd/name`, it begins a path. */
  function matchWhole(pattern: RegExp): string | undefined {
    const start = position;
    const token = match(pattern);
    const end = position;
    if (token !== undefined) match(BLANK);
    const endsHere = ",)}".includes(text[position] ?? " ");
    position = endsHere ? end : start;
    return endsHere ? token : undefined;
  }

  /** The value of a string in quotes; `undefined` if none begins here. */
  function string(): string | undefined {
    const quote = text[position];
    if (quote !== "'" && quote !== '"') return undefined;
    let value = "";
    let from = position + 1;
    for (let at = from; at < text.length; at++) {
      const char = text.charAt(at);
      if (char !== quote && char !== "\\") continue;
      value += text.slice(from, at);
      if (char === quote) {
        position = at + 1;
        return value;
      }
      at += 1;
      const escapedChar = text[at] ?? "";
      value += ESCAPES[escapedChar] ?? escapedChar;
      from = at + 1;
    }
    throw new Error("a string is not closed");
  }

  /** Moves after a character, which must come next. */
  function expect(char: string): void {
    match(BLANK);
    if (text[position] !== char) throw new Error(`"${char}" was expected at ${position}`);
    position += 1;
  }

  /** Reads an expression, and returns its value. `depth`: how many expressions are around it. */
  function expression(depth = 0): Json {
    if (depth >= maxDepth) throw new Error("expressions are nested too deep");
    match(BLANK);
    if (text.startsWith("${", position)) {
      position += 2;
      const value = expression(depth + 1);
      expect("}");
      return value;
    }
    const quotedText = string();
    if (quotedText !== undefined) return quotedText;
    const number = matchWhole(NUMBER);
    if (number !== undefined) return Number(number);
    const word = matchWhole(WORD);
    if (word !== undefined) return fromText(word);
    const start = position;
    const name = match(NAME);
    if (name !== undefined) {
      match(BLANK);
      if (text[position] === "(") return call(name, args(depth));
      position = start;
    }
    const path = match(PATH);
    if (path === undefined) throw new Error(`an expression was expected at ${position}`);
    // Such as `1.2.3`.
    if (/^-?\.?\d[\d.]*$/.test(path)) throw new Error(`"${path}" is not a number`);
    return read(path);
  }

  /** Reads the arguments of a call, from its `(` to its `)`. */
  function args(depth: number): Members {
    const args: Members = {};
    expect("(");
    match(BLANK);
    while (text[position] !== ")") {
      const name = match(NAME);
      if (name === undefined) throw new Error(`the name of an argument was expected at ${position}`);
      expect(":");
      put(args, name, expression(depth + 1));
      match(BLANK);
      if (text[position] !== ")") expect(",");
      match(BLANK);
    }
    position += 1;
    return args;
  }
}

/** Caches the texts of frozen data, which many components may show. */
const texts = new WeakMap<object, string>();

/** A value as it appears in the text: JSON for lists and objects, nothing for null. */
function toText(value: Json): string {
  if (value === null) return "";
  if (typeof value !== "object") return String(value);
  const text = texts.get(value) ?? JSON.stringify(value);
  if (Object.isFrozen(value)) texts.set(value, text);
  return text;
}
