/** `Templates`: replaces `${path}` in texts by values of a document. Inserted text is not searched for templates again. */
import { refusal } from "../core/errors.js";
import { isObject, mapMembers } from "../core/kinds.js";
import { measure } from "../core/measure.js";
import { oneOf, requireOptions, requireText } from "../core/require.js";
import { type KnownIds, keyOf, resolve } from "../core/resolve.js";
import type { StoreCore } from "../store/store-core.js";
import type { Json, Limits, Rules } from "../types.js";
import { fieldsOf, segmentsOf } from "./field-paths.js";
import { labelsOf } from "./parts.js";

/** The options of `PatchStore.render`. */
export interface RenderOptions {
  /** How inserted values are escaped. The rest of the template is not. Default `"html"`. */
  escape?: "html" | "none" | undefined;
  /** The replacement for a path that leads to nothing or null: an empty text, or the `${path}` itself. Default `"empty"`. */
  missing?: "empty" | "keep" | undefined;
}

/** The most characters between the braces of a template. A longer one is text. */
const MAX_PATH = 500;
/** How many steps of `maxWork`, a limit of the store, are counted for parsing and resolving one path. */
const LOOK_UP_STEPS = 64;

const tooLong = (message: string) => refusal("LIMIT_EXCEEDED", message, "Send less at once.");

/** Templates that are filled in from one document. They share a cache of the ids in lists. */
export class Templates {
  readonly #ids: KnownIds = new Map();
  /** By path in state, as JSON text: a function from values to labels. Undefined until a template asks for a label. */
  #labelFunctions: Map<string, (value: Json) => Json> | undefined;
  /** The bytes of all values that were inserted. */
  #insertedBytes = 0;
  /** The steps of `maxWork` that all look-ups took. */
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

  /**
   * Fills in a text. `\${` stands for a literal `${`, and a `${` without a closing brace is text. `missing` decides about a `${path}`
   * without a value. `write` escapes the text of a value; its `offset` is that of the value's `${` in the template.
   */
  fill(template: string, missing: "empty" | "keep", write: (text: string, offset: number) => string): string {
    // A `${` after the last brace is not closed, so its end need not be searched.
    const lastBrace = template.lastIndexOf("}");
    let out = "";
    /** The text before this offset is in `out`. */
    let copiedEnd = 0;
    for (;;) {
      const opening = template.indexOf("${", copiedEnd);
      if (opening < 0) return out + template.slice(copiedEnd);
      if (template[opening - 1] === "\\") {
        out += `${template.slice(copiedEnd, opening - 1)}\${`;
        copiedEnd = opening + 2;
        continue;
      }
      const closing = opening < lastBrace ? closingBrace(template, opening + 2) : -1;
      if (closing < 0) {
        out += template.slice(copiedEnd, opening + 2);
        copiedEnd = opening + 2;
        continue;
      }
      const value = this.#lookUp(template.slice(opening + 2, closing).trim());
      out += template.slice(copiedEnd, opening);
      if (value !== undefined && value !== null) out += write(this.#count(toText(value)), opening);
      else if (missing === "keep") out += template.slice(opening, closing + 1);
      copiedEnd = closing + 1;
    }
  }

  /**
   * A value with the templates in its strings filled in. A string that is one template becomes the value at its path, of any
   * type, and null if none exists.
   */
  value(value: Json): Json {
    if (typeof value === "string") {
      if (value.startsWith("${") && closingBrace(value, 2) === value.length - 1)
        return this.#count(this.#lookUp(value.slice(2, -1).trim()) ?? null);
      return value.includes("${") ? this.fill(value, "empty", (text) => text) : value;
    }
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    return isObject(value) ? mapMembers(value, (item) => this.value(item)) : value;
  }

  /** Counts the bytes of a value to insert, and returns the value. */
  #count<Inserted extends Json>(value: Inserted): Inserted {
    this.#insertedBytes += measure(value).bytes;
    const { maxCallBytes } = this.limits;
    if (this.#insertedBytes <= maxCallBytes) return value;
    throw tooLong(`The templates insert more than ${maxCallBytes} bytes.`);
  }

  /**
   * The value at a path, or at a short form: `params.x` and `runtime.x` stand for the path in `state`, `page_key` for
   * `meta.pageKey`, unless the document has these keys itself. `.label` after the value of a field with options is the label of
   * the chosen option.
   */
  #lookUp(path: string): Json | undefined {
    const document = this.document;
    this.#steps += LOOK_UP_STEPS;
    if (this.#steps > this.limits.maxWork)
      throw tooLong("The templates look up more paths than the limit maxWork allows.");
    const pathSegments = segmentsOf(path);
    const [first] = pathSegments ?? [];
    if (pathSegments === undefined || first === undefined || !isObject(document)) return undefined;
    const root = keyOf(first) ?? "";
    let segments = pathSegments;
    if (!Object.hasOwn(document, root)) {
      if (root === "params" || root === "runtime") segments = [{ key: "state" }, ...pathSegments];
      if (root === "page_key") segments = [{ key: "meta" }, { key: "pageKey" }, ...pathSegments.slice(1)];
    }
    const resolved = resolve(document, segments, this.rules, this.#ids);
    if (resolved !== undefined) return resolved.value;
    const last = segments.at(-1);
    if (last === undefined || keyOf(last) !== "label") return undefined;
    const parent = resolve(document, segments.slice(0, -1), this.rules, this.#ids);
    return parent && this.#labels().get(JSON.stringify(parent.steps.map(String)))?.(parent.value);
  }

  /**
   * For each field with options, by the path of its value: the function from values to labels. If several fields have one path, the
   * first one counts.
   */
  #labels(): Map<string, (value: Json) => Json> {
    if (this.#labelFunctions === undefined) {
      this.#labelFunctions = new Map();
      for (const { field, steps } of fieldsOf(this.document)) {
        const path = JSON.stringify(steps);
        if (Array.isArray(field.options) && !this.#labelFunctions.has(path))
          this.#labelFunctions.set(path, labelsOf(field));
      }
    }
    return this.#labelFunctions;
  }
}

/**
 * The offset of the brace that ends a path which begins at `from`: the first one outside of quotes, else the first one. -1 if
 * there is none, or the path is too long.
 */
function closingBrace(text: string, from: number): number {
  const end = Math.min(text.length, from + MAX_PATH);
  let isQuoted = false;
  let firstBrace = -1;
  for (let offset = from; offset < end; offset++) {
    const char = text[offset];
    if (isQuoted && char === "\\") offset++;
    else if (char === '"') isQuoted = !isQuoted;
    else if (char === "}") {
      if (!isQuoted) return offset;
      if (firstBrace < 0) firstBrace = offset;
    }
  }
  return firstBrace;
}

/** A value as it stands in a text: the items of a list with commas, an object as JSON, nothing for null. */
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

/** `PatchStore.render`. For an unknown instance, every path leads to nothing. */
export function renderTemplate(core: StoreCore, name: string, template: string, options: RenderOptions): string {
  requireText("render", "name", name);
  requireText("render", "template", template);
  requireOptions("render", options, { escape: oneOf("html", "none"), missing: oneOf("empty", "keep") });
  const templates = new Templates(core.snapshot(name) ?? null, core.rules(name), core.limits);
  const { missing = "empty" } = options;
  return templates.fill(template, missing, options.escape === "none" ? String : escapeHtml);
}
