import type { View } from "./view";

const width = 60;

/** Readable JSON: values that fit in a line are written in one line. */
export function compactJson(value: View, depth = 0): string {
  const flat = flatJson(value, depth);
  if (flat !== undefined) return flat;
  const [open, close] = brackets(value);
  const parts = entries(value).map(
    ([name, item]) => `${indent(depth + 1)}${nameJson(name)}${compactJson(item, depth + 1)}`,
  );
  return `${open}\n${parts.join(",\n")}\n${indent(depth)}${close}`;
}

/** The value in one line, if it fits there; a single word always does. */
export function flatJson(value: View, depth: number): string | undefined {
  const text = oneLine(value, width - 2 * depth);
  return isWord(value) || text.length <= width - 2 * depth ? text : undefined;
}

/** The value in one line; only its beginning if it is longer than there is room. */
export function oneLine(value: View, room = Number.POSITIVE_INFINITY): string {
  if (isWord(value)) return JSON.stringify(value);
  const list = Array.isArray(value);
  let text = list ? "[" : "{ ";
  let comma = "";
  for (const [name, item] of entries(value)) {
    text += comma + nameJson(name) + oneLine(item, room - text.length);
    if (text.length > room) return text;
    comma = ", ";
  }
  if (comma === "") return list ? "[]" : "{}";
  return text + (list ? "]" : " }");
}

/** The items of a list, which have no names, or of an object. */
export function entries(value: View): [string | undefined, View][] {
  if (Array.isArray(value)) return value.map((item: View) => [undefined, item]);
  return Object.entries(value as { [key: string]: View });
}

export const brackets = (value: View) => (Array.isArray(value) ? "[]" : "{}");
export const indent = (depth: number) => "  ".repeat(depth);
const nameJson = (name: string | undefined) => (name === undefined ? "" : `${JSON.stringify(name)}: `);
const isWord = (value: View) => typeof value !== "object" || value === null;
