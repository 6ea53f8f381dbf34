/** `Templates`: replaces `${path}` in texts by values of a document. Inserted text is not searched for templates again. */
import { refusal } from "../core/errors.js";
import { isObject, mapMembers } from "../core/kinds.js";
import { measure } from "../core/measure.js";
import { oneOf, requireOptions, requireText } from "../core/require.js";
import { type KnownIds, keyOf, resolve } from "../core/resolve.js";
import type { StoreCore } from "../store/store-core.js";
import type { Json, Limits, Rules } from "../types.js";
import { fieldsOf, labelsOf, segmentsOf } from "./parts.js";

export interface RenderOptions {
  /** How inserted values are escaped. The rest of the template is not. Default `"html"`. */
  escape?: "html" | "none" | undefined;
  /** The replacement for a path that leads to nothing or null: an empty text, or the `${path}` itself. Default `"empty"`. */
  missing?: "empty" | "keep" | undefined;
}

/** Characters of a path. A longer one is text. */
const MAX_PATH = 500;
/** The work of parsing and resolving one path, in steps of `maxWork`. */
const LOOK_UP_STEPS = 64;

const tooLong = (what: string) => refusal("LIMIT_EXCEEDED", what, "Send less at once.");

/** Templates that are filled in from one document. They share a cache of the ids in lists. */
export class Templates {
  readonly #ids: KnownIds = new Map();
  /** By path in state, as JSON text: a function from values to labels. */
  #labelFunctions: Map<string, (value: Json) => Json> | undefined;
  #inserted = 0;
  #steps = 0;

  /**
   * All templates together may take `maxWork` steps and insert `maxCallBytes` bytes: a short template can insert the same long
   * value many times.
   */
  constructor(
    private readonly document: Json,
    private readonly rules: Rules,
    private readonly limits: Limits,
  ) {}

  /** Fills in a text. With `keep`, a `${path}` without a value stays. `write` escapes a value; `at` is the offset of its `${`. */
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
      if (value !== undefined && value !== null) out += write(this.#count(toText(value)), open);
      else if (keep) out += template.slice(open, close + 1);
      at = close + 1;
    }
  }

  /** A value with the templates in its strings filled in. A string that is one template becomes the value itself. */
  value(value: Json): Json {
    if (typeof value === "string") {
      if (value.startsWith("${") && closing(value, 2) === value.length - 1)
        return this.#count(this.#lookUp(value.slice(2, -1).trim()) ?? null);
      return value.includes("${") ? this.fill(value, false, (text) => text) : value;
    }
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    return isObject(value) ? mapMembers(value, (item) => this.value(item)) : value;
  }

  #count<Inserted extends Json>(value: Inserted): Inserted {
    this.#inserted += measure(value).bytes;
    const { maxCallBytes } = this.limits;
    if (this.#inserted <= maxCallBytes) return value;
    throw tooLong(`The templates insert more than ${maxCallBytes} bytes.`);
  }

  /** The value at a path, or at a short form such as `params.x`. `.label` after the value of a select is the option's label. */
  #lookUp(path: string): Json | undefined {
    const document = this.document;
    this.#steps += LOOK_UP_STEPS;
    if (this.#steps > this.limits.maxWork)
      throw tooLong("The templates look up more paths than the limit maxWork allows.");
    const written = segmentsOf(path);
    const [first] = written ?? [];
    if (written === undefined || first === undefined || !isObject(document)) return undefined;
    const root = keyOf(first) ?? "";
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
    if (this.#labelFunctions === undefined) {
      this.#labelFunctions = new Map();
      for (const { field, steps } of fieldsOf(this.document)) {
        const place = JSON.stringify(steps);
        if (Array.isArray(field.options) && !this.#labelFunctions.has(place))
          this.#labelFunctions.set(place, labelsOf(field));
      }
    }
    return this.#labelFunctions;
  }
}

/** The brace that ends a path: the first one that is not quoted, else the first one. */
function closing(text: string, from: number): number {
  const end = Math.min(text.length, from + MAX_PATH);
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
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}

/** `PatchStore.render`. */
export function renderTemplate(core: StoreCore, name: string, template: string, options: RenderOptions): string {
  requireText("render", "name", name);
  requireText("render", "template", template);
  requireOptions("render", options, { escape: oneOf("html", "none"), missing: oneOf("empty", "keep") });
  const templates = new Templates(core.snapshot(name) ?? null, core.rules(name), core.limits);
  return templates.fill(template, options.missing === "keep", options.escape === "none" ? String : escapeHtml);
}
