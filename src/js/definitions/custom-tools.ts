/** Checks the application's own tool definitions, and turns them into the form by which the core validates calls. */
import { type GenuiPatchError, misuse } from "../core/errors.js";
import { isObject, isTexts, mapMembers } from "../core/kinds.js";
import { ANY, type ArgumentKind, FLAG, type Kinds, TEXT, TEXTS } from "../core/require.js";
import { AS_TEXT, type CoreSchema } from "./format.js";
import type { FieldDefinition, ObjectSchema, ToolDefinition, ToolInput, ToolSchema } from "./types.js";

/** A tool definition in the form that the core reads. */
export interface CoreTool {
  name: string;
  description?: string;
  /** Other names of the tool. */
  aliases: readonly string[];
  /** The schema of the arguments, which are an object. */
  schema: CoreSchema;
}

/** Levels of schemas inside each other: they are read recursively, and may contain themselves. */
const MAX_SCHEMA_DEPTH = 16;

/** The types of JSON Schema. */
const TYPES = ["null", "boolean", "number", "integer", "string", "array", "object"];
/** The kinds of fields, see `FieldKind`. */
const KINDS = ["path", "any", ...TYPES, "pointer"];
/** GULF's tool whose `path` is a pointer into data. A provider's format cannot say that it is not the path of a file. */
const DATA_TOOL = "dataModelUpdate";
/** The names of the tools that change files: no other tool may have them. */
export const FILE_TOOLS = ["write_file", "edit_file", "delete_file"] as const;
/** Names that every provider accepts. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The kinds of the values that definitions may have; `ANY` where the value is checked further below. */
const ENTRIES: ArgumentKind = ["an object", isObject];
const VALUES: ArgumentKind = ["a list of at least one value", (value) => Array.isArray(value) && value.length > 0];

const TOOL: Kinds = { name: ANY, description: TEXT, aliases: TEXTS, fields: ANY, schema: ANY };
const FIELD: Kinds = { kind: ANY, optional: FLAG, aliases: TEXTS, enum: VALUES, description: TEXT };
const SCHEMA: Kinds = {
  type: ["a list of strings", (value) => isTexts([value].flat())],
  enum: VALUES,
  properties: ENTRIES,
  required: TEXTS,
  additionalProperties: FLAG,
  items: ANY,
  description: TEXT,
  // Keywords without effect on validation.
  title: ANY,
  default: ANY,
  examples: ANY,
  $schema: ANY,
};

/** An object whose values are not checked yet. */
type Entries = Record<string, unknown>;

// `label` says in error messages where a value stands, such as `toolDefinitions: tools[0].fields`.

const mustBe = (label: string, wanted: string): GenuiPatchError => misuse(`${label} must be ${wanted}.`);

/** Reads tool definitions. Throws `INVALID_ARGUMENT` for the first problem, with its path. */
export function readTools(method: string, tools: readonly ToolInput[]): CoreTool[] {
  if (!Array.isArray(tools)) throw mustBe(`${method}: tools`, "a list of definitions");
  const takenNames = new Set<string>(FILE_TOOLS);
  return tools.flatMap((tool: unknown, index) => {
    const label = `${method}: tools[${index}]`;
    const definition = fromProvider(tool);
    const isProvidersFormat = definition !== tool;
    // The core knows the file tools: their definitions in a provider's format are ignored.
    if (isProvidersFormat && FILE_TOOLS.includes(definition.name as never)) return [];
    const coreTool = readTool(definition, label);
    const path = coreTool.schema.properties?.path;
    if (path && isProvidersFormat && coreTool.name === DATA_TOOL) path.format = "pointer";
    claim(takenNames, [coreTool.name, ...coreTool.aliases], label, "tool");
    return [coreTool];
  });
}

/** Registers names of a tool or a field (`what`), and refuses a name that is used already. */
function claim(takenNames: Set<string>, names: readonly string[], label: string, what: string): void {
  for (const name of names) {
    if (takenNames.has(name)) throw misuse(`${label} is called "${name}", as another ${what} is already.`);
    takenNames.add(name);
  }
}

/** Providers' keys for the schema of a tool's arguments. */
const SCHEMAS = ["inputSchema", "input_schema", "parameters", "parametersJsonSchema"];

/**
 * Converts a definition in a provider's format. Returns any other value as it is, of whatever type: `readTool` refuses what is no
 * definition.
 */
function fromProvider(tool: unknown): Entries {
  const definition = tool as Entries | null;
  // OpenAI's Chat Completions have the definition under `function`.
  const inner = isObject(definition?.function) ? definition.function : definition;
  const key = SCHEMAS.find((key) => typeof inner?.[key] === "object");
  if (inner === null || inner === undefined) return definition as Entries;
  const { name, description } = inner;
  if (key !== undefined) return { name, description, schema: outline(inner[key]) };
  // Gemini's format of a function without parameters.
  const isBare =
    typeof description === "string" && Object.keys(inner).every((key) => key === "name" || key === "description");
  return isBare ? { name, description, fields: {} } : (definition as Entries);
}

/**
 * A schema with only the top-level properties and their types: a provider's schema may have keywords that the core does not know.
 * Properties that may be null, or are JSON text, are optional. Unknown types are left out, so that any value is valid.
 */
function outline(schema: unknown): ToolSchema {
  const { properties = {}, required = [] } = schema as { properties?: Entries; required?: unknown };
  const outlineRequired: string[] = [];
  const outlineProperties = mapMembers(properties, (property, key): ToolSchema => {
    const { type, description }: Entries = isObject(property) ? property : {};
    // Gemini may write types in capitals.
    const types = [type].flat().flatMap((type) => (typeof type === "string" ? [type.toLowerCase()] : []));
    const isOptional = types.length === 0 || types.includes("null") || key.endsWith(AS_TEXT);
    if (!isOptional && Array.isArray(required) && required.includes(key)) outlineRequired.push(key);
    return {
      ...(types.length > 0 && types.every((type) => TYPES.includes(type)) && { type: types }),
      ...(typeof description === "string" && { description }),
    };
  });
  return { type: "object", properties: outlineProperties, required: outlineRequired };
}

/** Checks a definition. Its arguments are either `fields` or a `schema`. @throws GenuiPatchError `INVALID_ARGUMENT` */
function readTool(value: unknown, label: string): CoreTool {
  const { name, aliases = [], fields, schema, ...description } = readEntries(value, label, TOOL);
  if (typeof name !== "string" || !NAME.test(name)) throw mustBe(`${label}.name`, "1 to 64 letters, digits, _ or -");
  if ((fields === undefined) === (schema === undefined)) throw misuse(`${label} must have either fields or schema.`);
  const coreSchema =
    fields === undefined ? readSchema(schema, `${label}.schema`) : readFields(fields, `${label}.fields`);
  coreSchema.type ??= ["object"];
  if (coreSchema.type.join() !== "object") throw mustBe(`${label}.schema.type`, '"object"');
  // In a block, the key "tool" names the tool.
  if (Object.hasOwn(coreSchema.properties ?? {}, "tool"))
    throw misuse(`${label} must not have a field "tool"; rename it.`);
  return { name, ...description, aliases: aliases as string[], schema: coreSchema };
}

/** The schema for `fields`. A field is a kind, or an object with more about it. */
function readFields(value: unknown, label: string): CoreSchema {
  const required: string[] = [];
  const names = new Set(["tool"]);
  const properties = mapMembers(readEntries(value, label), (given, key): CoreSchema => {
    const fieldLabel = `${label}.${key}`;
    const field = readEntries(typeof given === "string" ? { kind: given } : given, fieldLabel, FIELD);
    const { kind, optional = false, aliases = [], ...keywords } = field as unknown as FieldDefinition;
    if (!KINDS.includes(kind)) throw mustBe(`${fieldLabel}.kind`, `one of ${KINDS.join(", ")}`);
    if (!optional) required.push(key);
    claim(names, [key, ...aliases], fieldLabel, "field");
    const hasFormat = kind === "path" || kind === "pointer";
    const typeKeywords = hasFormat ? { format: kind, type: ["string"] } : kind !== "any" && { type: [kind] };
    return { ...(keywords as CoreSchema), aliases, ...typeKeywords };
  });
  return { type: ["object"], properties, required };
}

/** Checks a schema and those in it. `depth` is the number of schemas around it. */
function readSchema(value: unknown, label: string, depth = 0): CoreSchema {
  if (depth > MAX_SCHEMA_DEPTH) throw misuse(`${label} is too deep.`);
  const readInner = (schema: unknown, step: string) => readSchema(schema, `${label}.${step}`, depth + 1);
  // The keywords without effect are dropped.
  const {
    title: _,
    default: __,
    examples: ___,
    $schema: ____,
    ...given
  }: ToolSchema = readEntries(value, label, SCHEMA);
  const { type, properties, required = [], items } = given;
  const schema = { ...given, required } as CoreSchema;
  if (type !== undefined) {
    schema.type = [type].flat();
    if (schema.type.length === 0 || !schema.type.every((name) => TYPES.includes(name)))
      throw mustBe(`${label}.type`, `one or some of ${TYPES.join(", ")}`);
  }
  if (properties !== undefined) {
    const entries = readEntries(properties, `${label}.properties`);
    schema.properties = mapMembers(entries, (property, key) => readInner(property, `properties.${key}`));
  }
  for (const [index, name] of required.entries()) {
    if (!Object.hasOwn(schema.properties ?? {}, name))
      throw misuse(`${label}.required[${index}] is "${name}", which the properties do not have.`);
  }
  if (items !== undefined) schema.items = readInner(items, "items");
  return schema;
}

/** The properties of an object that are not undefined. With `kinds` they may only have these keys and kinds. */
function readEntries(value: unknown, label: string, kinds?: Kinds): Entries {
  if (!isObject(value)) throw mustBe(label, "an object");
  const entries = Object.entries(value).filter(([, property]) => property !== undefined);
  if (kinds) {
    for (const [key, property] of entries) {
      const kind = Object.hasOwn(kinds, key) && kinds[key];
      if (!kind) throw misuse(`${label}.${key} is not understood; there are ${Object.keys(kinds).join(", ")}.`);
      const [expectation, fits] = kind;
      if (!fits(property)) throw mustBe(`${label}.${key}`, expectation);
    }
  }
  return Object.fromEntries(entries);
}

/**
 * The definitions for models. Where the subset of JSON Schema that providers enforce can express the arguments, they are `input`,
 * else `schema`.
 */
export function customTools(tools: readonly ToolInput[] = []): readonly ToolDefinition[] {
  return readTools("toolDefinitions", tools).map(({ name, description, schema }): ToolDefinition => {
    const identity = { name, description: description ?? `Calls ${name}.` };
    const jsonSchema = toJsonSchema(schema) as ObjectSchema;
    return isStrict(schema)
      ? { ...identity, input: jsonSchema as ToolDefinition["input"] }
      : { ...identity, input: {}, schema: jsonSchema };
  });
}

/**
 * Whether the subset of JSON Schema that providers enforce can express a schema: each value has one type other than null, only
 * strings have an `enum`, lists have `items`, and objects have named properties.
 */
function isStrict({ type: [type, ...more] = [], enum: values, properties, items }: CoreSchema): boolean {
  if (type === undefined || type === "null" || more.length > 0) return false;
  if (values && !(type === "string" && isTexts(values))) return false;
  if (type === "array" ? !(items && isStrict(items)) : items) return false;
  if (type !== "object") return true;
  // An object without named properties could only be empty, which only the arguments themselves may be.
  const isNamed = ({ type, properties = {} }: CoreSchema) =>
    type?.[0] !== "object" || Object.keys(properties).length > 0;
  return properties !== undefined && Object.values(properties).every((inner) => isNamed(inner) && isStrict(inner));
}

/** The schema with keywords of JSON Schema only. A list of one type becomes that type. */
function toJsonSchema({ aliases: _, format: __, type, properties, items, required, ...rest }: CoreSchema): object {
  return {
    ...rest,
    ...(type && { type: type.length === 1 ? type[0] : type }),
    ...(properties && { properties: mapMembers(properties, toJsonSchema), required }),
    ...(items && { items: toJsonSchema(items) }),
  };
}
