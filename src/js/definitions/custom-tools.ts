/** The tools that a host adds: their definitions are read here, and checked in the core as schemas. */

import type { ToolInput, ToolSchema } from "../blocks/types.js";
import { GenuiPatchError } from "../core/errors.js";
import type { Json } from "../types.js";
import { fileTools } from "./files.js";
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
/** What every provider takes for the name of a tool. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

const TOOL_KEYS = ["name", "description", "aliases", "fields", "schema"];
const FIELD_KEYS = ["kind", "optional", "aliases", "enum", "description"];
const RULES = ["type", "enum", "properties", "required", "additionalProperties", "items", "description"];
/** Words that say nothing about which values fit. */
const NOTES = ["title", "default", "examples", "$schema"];

type Entries = Record<string, unknown>;

/**
 * Reads definitions of tools.
 * @throws GenuiPatchError `INVALID_ARGUMENT` for the first thing that is wrong, naming its place.
 */
export function readTools(method: string, tools: readonly ToolInput[]): CoreTool[] {
  const reader = new Reader(method);
  if (!Array.isArray(tools)) throw reader.wrong("tools", "a list of definitions");
  const taken = new Set(fileTools.map((tool) => tool.name));
  return tools.flatMap((tool: unknown, index) => {
    const place = `tools[${index}]`;
    const given = fromProvider(tool);
    if (given !== tool && fileTools.some(({ name }) => name === given.name)) return [];
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
    const { name, fields, schema, ...rest } = this.#object(value, place, TOOL_KEYS);
    if (typeof name !== "string" || !NAME.test(name))
      throw this.wrong(`${place}.name`, "1 to 64 letters, digits, _ or -");
    if ((fields === undefined) === (schema === undefined))
      throw this.misuse(`${place} must have either fields or schema`);
    const read = fields === undefined ? this.#root(schema, `${place}.schema`) : this.#fields(fields, `${place}.fields`);
    if (Object.hasOwn(read.properties ?? {}, "tool"))
      throw this.misuse(`${place} must not have a field "tool", which names the tool`);
    return {
      name,
      ...this.#described(rest, place),
      aliases: this.#texts(rest.aliases, `${place}.aliases`),
      schema: read,
    };
  }

  #fields(value: unknown, place: string): CoreSchema {
    const required: string[] = [];
    const names = new Set(["tool"]);
    const properties: [string, CoreSchema][] = [];
    for (const [key, given] of Object.entries(this.#object(value, place))) {
      const where = `${place}.${key}`;
      const field: Entries = typeof given === "string" ? { kind: given } : this.#object(given, where, FIELD_KEYS);
      const kind = field.kind as string;
      if (!KINDS.includes(kind)) throw this.wrong(`${where}.kind`, `one of ${KINDS.join(", ")}`);
      if (!this.#flag(field.optional, `${where}.optional`)) required.push(key);
      const aliases = this.#texts(field.aliases, `${where}.aliases`);
      for (const name of [key, ...aliases]) {
        if (names.has(name)) throw this.misuse(`${where} is called "${name}", as another field is already`);
        names.add(name);
      }
      const property: CoreSchema = { ...this.#enum(field, where), ...this.#described(field, where), aliases };
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
    const { type, properties, required, additionalProperties, items, ...rest }: Entries & ToolSchema = this.#object(
      value,
      place,
      [...RULES, ...NOTES],
    );
    const schema: CoreSchema = { ...this.#enum(rest, place), ...this.#described(rest, place) };
    if (type !== undefined) {
      schema.type = this.#texts(Array.isArray(type) ? type : [type], `${place}.type`);
      if (schema.type.length === 0 || !schema.type.every((name) => TYPES.includes(name)))
        throw this.wrong(`${place}.type`, `one or some of ${TYPES.join(", ")}`);
    }
    const inner = properties === undefined ? {} : this.#object(properties, `${place}.properties`);
    const read = Object.entries(inner).map(([key, own]): [string, CoreSchema] => [
      key,
      this.#schema(own, `${place}.properties.${key}`, depth + 1),
    ]);
    if (properties !== undefined) schema.properties = Object.fromEntries(read);
    schema.required = this.#texts(required, `${place}.required`);
    for (const [index, name] of schema.required.entries()) {
      if (!Object.hasOwn(inner, name))
        throw this.misuse(`${place}.required[${index}] is "${name}", which the properties do not have`);
    }
    if (additionalProperties !== undefined) {
      schema.additionalProperties = this.#flag(additionalProperties, `${place}.additionalProperties`);
    }
    if (items !== undefined) schema.items = this.#schema(items, `${place}.items`, depth + 1);
    return schema;
  }

  #object(value: unknown, place: string, known?: readonly string[]): Entries {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw this.wrong(place, "an object");
    const entries = Object.entries(value).filter(([, own]) => own !== undefined);
    const foreign = entries.find(([key]) => known?.includes(key) === false);
    if (foreign) throw this.misuse(`${place}.${foreign[0]} is not understood; there are ${known?.join(", ")}`);
    return Object.fromEntries(entries);
  }

  #described({ description }: Entries, place: string): { description?: string } {
    if (description === undefined) return {};
    if (typeof description !== "string") throw this.wrong(`${place}.description`, "a string");
    return { description };
  }

  #enum(object: Entries, place: string): { enum?: readonly Json[] } {
    if (object.enum === undefined) return {};
    if (!Array.isArray(object.enum) || object.enum.length === 0)
      throw this.wrong(`${place}.enum`, "a list of at least one value");
    return { enum: object.enum };
  }

  #texts(value: unknown = [], place: string): string[] {
    if (!Array.isArray(value) || !value.every((item) => typeof item === "string"))
      throw this.wrong(place, "a list of strings");
    return value;
  }

  #flag(value: unknown = false, place: string): boolean {
    if (typeof value !== "boolean") throw this.wrong(place, "true or false");
    return value;
  }
}
