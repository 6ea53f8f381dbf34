/** The tools that a host adds: their definitions are read here, and checked in the core as schemas. */

import type { FieldDefinition, ToolInput, ToolSchema } from "../blocks/types.js";
import { GenuiPatchError } from "../core/errors.js";
import { isObject, isTexts } from "../core/kinds.js";
import { ANY, type ArgumentKind, TEXT, TEXTS } from "../core/require.js";
import type { Json } from "../types.js";
import { AS_TEXT } from "./format.js";

/** A schema as the core reads it: two words more for a property. */
export interface CoreSchema {
  type?: readonly string[];
  enum?: readonly Json[];
  properties?: Record<string, CoreSchema>;
  required?: readonly string[];
  additionalProperties?: boolean;
  items?: CoreSchema;
  description?: string;
  aliases?: readonly string[];
  format?: "path" | "pointer";
}

/** A tool as the core reads it. */
export interface CoreTool {
  name: string;
  description?: string;
  aliases: readonly string[];
  schema: CoreSchema;
}

/** As deep as schemas may be: what reads them uses the stack. */
const DEEPEST = 16;

const TYPES = ["null", "boolean", "number", "integer", "string", "array", "object"];
const KINDS = ["path", "any", ...TYPES, "pointer"];
/** The tool of GULF whose `path` is a place in data: providers' forms have no word for that. */
const DATA_TOOL = "dataModelUpdate";
/** The tools that are there already. */
export const FILE_TOOLS = ["write_file", "edit_file", "delete_file"] as const;
/** What every provider takes for the name of a tool. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** By key, what an object may hold. */
type Kinds = { readonly [key: string]: ArgumentKind };

const FLAG: ArgumentKind = ["true or false", (value) => typeof value === "boolean"];
const ENTRIES: ArgumentKind = ["an object", isObject];
const VALUES: ArgumentKind = ["a list of at least one value", (value) => Array.isArray(value) && value.length > 0];

const TOOL: Kinds = { name: ANY, description: TEXT, aliases: TEXTS, fields: ANY, schema: ANY };
const FIELD: Kinds = { kind: ANY, optional: FLAG, aliases: TEXTS, enum: VALUES, description: TEXT };
/** Words that say nothing about which values fit. */
const NOTES: Kinds = { title: ANY, default: ANY, examples: ANY, $schema: ANY };
const SCHEMA: Kinds = {
  type: ["a list of strings", (value) => isTexts([value].flat())],
  enum: VALUES,
  properties: ENTRIES,
  required: TEXTS,
  additionalProperties: FLAG,
  items: ANY,
  description: TEXT,
  ...NOTES,
};

type Entries = Record<string, unknown>;

/**
 * Reads definitions of tools.
 * @throws GenuiPatchError `INVALID_ARGUMENT` for the first thing that is wrong, naming its place.
 */
export function readTools(method: string, tools: readonly ToolInput[]): CoreTool[] {
  const reader = new Reader(method);
  if (!Array.isArray(tools)) throw reader.wrong("tools", "a list of definitions");
  const taken = new Set<unknown>(FILE_TOOLS);
  return tools.flatMap((tool: unknown, index) => {
    const place = `tools[${index}]`;
    const given = fromProvider(tool);
    if (given !== tool && FILE_TOOLS.includes(given.name as never)) return [];
    const read = reader.tool(given, place);
    const path = read.schema.properties?.path;
    if (path && given !== tool && read.name === DATA_TOOL) path.format = "pointer";
    for (const name of [read.name, ...read.aliases]) {
      if (taken.has(name)) throw reader.misuse(`${place} is called "${name}", as another tool is already`);
      taken.add(name);
    }
    return [read];
  });
}

/** What providers call the schema of a tool's arguments. */
const SCHEMAS = ["inputSchema", "input_schema", "parameters", "parametersJsonSchema"];

/** A definition in a provider's form as one of a host's own; anything else as it is. */
function fromProvider(tool: unknown): Entries {
  const given = tool as Entries | null;
  const inner = typeof given?.function === "object" && given.function !== null ? (given.function as Entries) : given;
  const key = SCHEMAS.find((key) => typeof inner?.[key] === "object");
  if (inner === null || inner === undefined) return given as Entries;
  const { name, description } = inner;
  if (key !== undefined) return { name, description, schema: outline(inner[key]) };
  // Gemini's form of a function without parameters.
  const isBare =
    typeof description === "string" && Object.keys(inner).every((key) => key === "name" || key === "description");
  return isBare ? { name, description, fields: {} } : (given as Entries);
}

/**
 * Of a schema in the full language its properties at the top, and their types: the tool checks the rest. Where a strict form
 * has null for what may be left out, and text for any value, a block may do without.
 */
function outline(schema: unknown): ToolSchema {
  const { properties = {}, required = [] } = schema as { properties?: Entries; required?: unknown };
  const needed: string[] = [];
  const read = Object.entries(properties).map(([key, property]): [string, ToolSchema] => {
    const { type, description } = (property ?? {}) as Entries;
    const types = [type].flat().flatMap((type) => (typeof type === "string" ? [type.toLowerCase()] : []));
    const known = types.filter((type) => TYPES.includes(type));
    const isOptional = types.length === 0 || types.includes("null") || key.endsWith(AS_TEXT);
    if (!isOptional && Array.isArray(required) && required.includes(key)) needed.push(key);
    return [
      key,
      {
        ...(known.length > 0 && known.length === types.length && { type: known }),
        ...(typeof description === "string" && { description }),
      },
    ];
  });
  return { type: "object", properties: Object.fromEntries(read), required: needed };
}

class Reader {
  readonly #method: string;

  constructor(method: string) {
    this.#method = method;
  }

  misuse(message: string): GenuiPatchError {
    return new GenuiPatchError("INVALID_ARGUMENT", `${this.#method}: ${message}.`);
  }

  wrong(place: string, wanted: string): GenuiPatchError {
    return this.misuse(`${place} must be ${wanted}`);
  }

  tool(value: unknown, place: string): CoreTool {
    const { name, aliases = [], fields, schema, ...described } = this.#object(value, place, TOOL);
    if (typeof name !== "string" || !NAME.test(name))
      throw this.wrong(`${place}.name`, "1 to 64 letters, digits, _ or -");
    if ((fields === undefined) === (schema === undefined))
      throw this.misuse(`${place} must have either fields or schema`);
    const read = fields === undefined ? this.#root(schema, `${place}.schema`) : this.#fields(fields, `${place}.fields`);
    if (Object.hasOwn(read.properties ?? {}, "tool"))
      throw this.misuse(`${place} must not have a field "tool", which names the tool`);
    return { name, ...described, aliases: aliases as string[], schema: read };
  }

  #fields(value: unknown, place: string): CoreSchema {
    const required: string[] = [];
    const names = new Set(["tool"]);
    const properties: [string, CoreSchema][] = [];
    for (const [key, given] of Object.entries(this.#object(value, place))) {
      const where = `${place}.${key}`;
      const field = this.#object(typeof given === "string" ? { kind: given } : given, where, FIELD);
      const { kind, optional = false, aliases = [], ...about } = field as unknown as FieldDefinition;
      if (!KINDS.includes(kind)) throw this.wrong(`${where}.kind`, `one of ${KINDS.join(", ")}`);
      if (!optional) required.push(key);
      for (const name of [key, ...aliases]) {
        if (names.has(name)) throw this.misuse(`${where} is called "${name}", as another field is already`);
        names.add(name);
      }
      const property = { ...about, aliases } as CoreSchema;
      if (kind === "path" || kind === "pointer") {
        property.format = kind;
        property.type = ["string"];
      } else if (kind !== "any") property.type = [kind];
      properties.push([key, property]);
    }
    return { type: ["object"], properties: Object.fromEntries(properties), required };
  }

  #root(value: unknown, place: string): CoreSchema {
    const schema = this.#schema(value, place, 0);
    const { type = ["object"] } = schema;
    if (type.length !== 1 || type[0] !== "object") throw this.wrong(`${place}.type`, '"object"');
    return { ...schema, type };
  }

  #schema(value: unknown, place: string, depth: number): CoreSchema {
    if (depth > DEEPEST) throw this.misuse(`${place} is nested too deeply`);
    const given: ToolSchema = this.#object(value, place, SCHEMA);
    const { type, properties, required = [], items } = given;
    const schema = Object.fromEntries(
      Object.entries(given).filter(([key]) => !Object.hasOwn(NOTES, key)),
    ) as CoreSchema;
    if (type !== undefined) {
      schema.type = [type].flat();
      if (schema.type.length === 0 || !schema.type.every((name) => TYPES.includes(name)))
        throw this.wrong(`${place}.type`, `one or some of ${TYPES.join(", ")}`);
    }
    if (properties !== undefined) {
      const read = Object.entries(this.#object(properties, place)).map(([key, own]): [string, CoreSchema] => [
        key,
        this.#schema(own, `${place}.properties.${key}`, depth + 1),
      ]);
      schema.properties = Object.fromEntries(read);
    }
    schema.required = required;
    for (const [index, name] of required.entries()) {
      if (!Object.hasOwn(schema.properties ?? {}, name))
        throw this.misuse(`${place}.required[${index}] is "${name}", which the properties do not have`);
    }
    if (items !== undefined) schema.items = this.#schema(items, `${place}.items`, depth + 1);
    return schema;
  }

  /** What an object holds: under these keys and no others, each of its kind. */
  #object(value: unknown, place: string, kinds?: Kinds): Entries {
    if (!isObject(value)) throw this.wrong(place, "an object");
    const entries = Object.entries(value).filter(([, own]) => own !== undefined);
    if (kinds === undefined) return Object.fromEntries(entries);
    for (const [key, own] of entries) {
      const [wanted, fits] = (Object.hasOwn(kinds, key) && kinds[key]) || [];
      if (fits === undefined)
        throw this.misuse(`${place}.${key} is not understood; there are ${Object.keys(kinds).join(", ")}`);
      if (!fits(own)) throw this.wrong(`${place}.${key}`, wanted as string);
    }
    return Object.fromEntries(entries);
  }
}
