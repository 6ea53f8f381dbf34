/** Templates: `${path}` in a text, filled in from a document. One pass, no expressions. */
import { refusal } from "../core/errors.js";
import { isObject, mapMembers } from "../core/kinds.js";
import { measure } from "../core/measure.js";
import { oneOf, requireOptions, requireText } from "../core/require.js";
import { type KnownIds, keyOf, resolve } from "../core/resolve.js";
import type { StoreCore } from "../store/store-core.js";
import type { Json, Limits, Rules } from "../types.js";
import { fieldsOf, labelsOf, segmentsOf } from "./parts.js";

export interface RenderOptions {
  /** What is done to what is inserted; the template itself is never escaped. Default `"html"`. */
  escape?: "html" | "none" | undefined;
  /** What stands where a path leads to nothing or to null: nothing, or the template as it was. Default `"empty"`. */
  missing?: "empty" | "keep" | undefined;
}

/** No path is as long as this; what is longer is not closed. */
const LONGEST = 500;
/** About so many steps it is to read a path and to follow it. */
const LOOK_UP = 64;

const tooLong = (what: string) => refusal("LIMIT_EXCEEDED", what, "Send less at once.");

/** Fills in templates from one document. What is found in lists for one of them the others know. */
export class Templates {
  readonly #ids: KnownIds = new Map();
  /** What gives the labels of the values at a place, once one was asked for. */
  #known: Map<string, (value: Json) => Json> | undefined;
  #inserted = 0;
  #steps = 0;

  /**
   * Together its templates may take `maxWork` steps and insert `maxCallBytes` bytes: a short one can ask for the same long
   * value many times.
   */
  constructor(
    private readonly document: Json,
    private readonly rules: Rules,
    private readonly limits: Limits,
  ) {}

  /** A text filled in. `write` says how a value is inserted, `at` being where its template began. */
  fill(template: string, keep: boolean, write: (text: string, at: number) => string): string {
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
      const value = this.#lookUp(template.slice(open + 2, close).trim());
      out += template.slice(at, open);
      if (value !== undefined && value !== null) out += write(this.#take(toText(value)), open);
      else if (keep) out += template.slice(open, close + 1);
      at = close + 1;
    }
  }

  /** A value with the templates in its strings filled in. A string that is one template becomes the value itself. */
  value(value: Json): Json {
    if (typeof value === "string") {
      if (value.startsWith("${") && closing(value, 2) === value.length - 1)
        return this.#take(this.#lookUp(value.slice(2, -1).trim()) ?? null);
      return value.includes("${") ? this.fill(value, false, (text) => text) : value;
    }
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    return isObject(value) ? mapMembers(value, (item) => this.value(item)) : value;
  }

  #take<Inserted extends Json>(value: Inserted): Inserted {
    this.#inserted += measure(value).bytes;
    const { maxCallBytes } = this.limits;
    if (this.#inserted <= maxCallBytes) return value;
    throw tooLong(`The templates insert more than ${maxCallBytes} bytes.`);
  }

  /** What a path of a template leads to: from the root, or by a short form of it; `.label` after a select's value. */
  #lookUp(path: string): Json | undefined {
    const document = this.document;
    this.#steps += LOOK_UP;
    if (this.#steps > this.limits.maxWork) throw tooLong("The templates look up more than they may.");
    const written = segmentsOf(path);
    const [first] = written ?? [];
    if (written === undefined || first === undefined || !isObject(document)) return undefined;
    const root = keyOf(first) as string;
    let segments = written;
    if (!Object.hasOwn(document, root)) {
      if (root === "params" || root === "runtime") segments = [{ key: "state" }, ...written];
      if (root === "page_key") segments = [{ key: "meta" }, { key: "pageKey" }, ...written.slice(1)];
    }
    const found = resolve(document, segments, this.rules, this.#ids);
    if (found !== undefined) return found.value;
    const last = segments.at(-1);
    if (last === undefined || keyOf(last) !== "label") return undefined;
    const chosen = resolve(document, segments.slice(0, -1), this.rules, this.#ids);
    return chosen && this.#labels().get(JSON.stringify(chosen.steps.map(String)))?.(chosen.value);
  }

  #labels(): Map<string, (value: Json) => Json> {
    if (this.#known === undefined) {
      this.#known = new Map();
      for (const { field, steps } of fieldsOf(this.document)) {
        const place = JSON.stringify(steps);
        if (Array.isArray(field.options) && !this.#known.has(place)) this.#known.set(place, labelsOf(field));
      }
    }
    return this.#known;
  }
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

export function renderTemplate(core: StoreCore, name: string, template: string, options: RenderOptions): string {
  requireText("render", "name", name);
  requireText("render", "template", template);
  requireOptions("render", options, { escape: oneOf("html", "none"), missing: oneOf("empty", "keep") });
  const templates = new Templates(core.snapshot(name) ?? null, core.rules(name), core.limits);
  return templates.fill(template, options.missing === "keep", options.escape === "none" ? String : escapeHtml);
}
