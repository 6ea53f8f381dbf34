/** Templates: `${path}` in a text, filled in from a document. One pass, no expressions. */
import type { Json } from "../types.js";
import { fieldsOf, labelOf } from "./parts.js";
import { follow, isObject, keyOf, segmentsOf } from "./place.js";

/** How a template is filled in. */
export interface RenderOptions {
  /** What is done to what is inserted; the template itself is never escaped. Default `"html"`. */
  escape?: "html" | "none" | undefined;
  /** What stands where a path leads to nothing or to null: nothing, or the template as it was. Default `"empty"`. */
  missing?: "empty" | "keep" | undefined;
}

/** No path is as long as this; what is longer is not closed. */
const LONGEST = 500;

/** Fills in a template. `write` says how a value is inserted, `at` being where its template began. */
export function fill(
  document: Json,
  template: string,
  keep: boolean,
  write: (text: string, at: number) => string,
): string {
  const last = template.lastIndexOf("}");
  let out = "";
  let at = 0;
  for (;;) {
    const open = template.indexOf("${", at);
    if (open < 0) return out + template.slice(at);
    if (open > at && template[open - 1] === "\\") {
      out += `${template.slice(at, open - 1)}\${`;
      at = open + 2;
      continue;
    }
    const close = open < last ? closing(template, open + 2) : -1;
    if (close < 0) {
      out += template.slice(at, open + 2);
      at = open + 2;
      continue;
    }
    const value = lookUp(document, template.slice(open + 2, close).trim());
    const missing = value === undefined || value === null;
    out += template.slice(at, open);
    out += missing ? (keep ? template.slice(open, close + 1) : "") : write(toText(value), open);
    at = close + 1;
  }
}

/** Renders a text for the person. */
export function render(document: Json, template: string, options: RenderOptions): string {
  const html = (options.escape ?? "html") === "html";
  return fill(document, template, options.missing === "keep", (text) => (html ? escapeHtml(text) : text));
}

/** A value with the templates in its strings filled in. A string that is one template becomes the value itself. */
export function renderValue(document: Json, value: Json): Json {
  if (typeof value === "string") {
    if (value.startsWith("${") && closing(value, 2) === value.length - 1) {
      return lookUp(document, value.slice(2, -1).trim()) ?? null;
    }
    return value.includes("${") ? fill(document, value, false, (text) => text) : value;
  }
  if (Array.isArray(value)) return value.map((item) => renderValue(document, item));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderValue(document, item)]));
}

/** The brace that ends a path: the first one that is not quoted, else the first one. */
function closing(text: string, from: number): number {
  const end = Math.min(text.length, from + LONGEST);
  let quoted = false;
  let first = -1;
  for (let at = from; at < end; at++) {
    const char = text[at];
    if (quoted && char === "\\") at++;
    else if (char === '"') quoted = !quoted;
    else if (char === "}") {
      if (!quoted) return at;
      if (first < 0) first = at;
    }
  }
  return first;
}

/** What a path of a template leads to: from the root, or by a short form of it; `.label` after a select's value. */
function lookUp(document: Json, path: string): Json | undefined {
  const written = segmentsOf(path);
  const [first] = written ?? [];
  if (written === undefined || first === undefined || !isObject(document)) return undefined;
  const root = keyOf(first);
  let segments = written;
  if (!Object.hasOwn(document, root)) {
    if (root === "params" || root === "runtime") segments = [{ key: "state" }, ...written];
    if (root === "page_key") segments = [{ key: "meta" }, { key: "pageKey" }, ...written.slice(1)];
  }
  const found = follow(document, segments);
  if (found !== undefined) return found.value;
  const last = segments.at(-1);
  if (last === undefined || keyOf(last) !== "label") return undefined;
  const chosen = follow(document, segments.slice(0, -1));
  if (chosen === undefined) return undefined;
  for (const { field, steps } of fieldsOf(document)) {
    const here = steps.length === chosen.steps.length && steps.every((step, at) => step === String(chosen.steps[at]));
    if (here && Array.isArray(field.options)) return labelOf(field, chosen.value);
  }
  return undefined;
}

function toText(value: Json): string {
  if (Array.isArray(value))
    return value.map((item) => (Array.isArray(item) ? JSON.stringify(item) : toText(item))).join(", ");
  if (value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] as string);
}
