/** Reads the page's own tool definitions, also those in a provider's format. The core validates calls against them. */
import { type GenuiPatchError, misuse } from "../core/errors.js";
import { isObject, isTexts, mapMembers } from "../core/kinds.js";
import { ANY, type ArgumentKind, FLAG, type Kinds, TEXT, TEXTS } from "../core/require.js";
import { AS_TEXT, type CoreSchema } from "./format.js";
import type { FieldDefinition, ObjectSchema, ToolDefinition, ToolInput, ToolSchema } from "./types.js";

/** A tool definition in the form that the core reads. */
export interface CoreTool {
  name: string;
  description?: string;
  aliases: readonly string[];
  schema: CoreSchema;
}

/** Levels of a schema: schemas are read recursively. */
const MAX_SCHEMA_DEPTH = 16;

const TYPES = ["null", "boolean", "number", "integer", "string", "array", "object"];
const KINDS = ["path", "any", ...TYPES, "pointer"];
/** GULF's tool whose `path` is a JSON Pointer. Providers' formats cannot express that. */
const DATA_TOOL = "dataModelUpdate";
/** The names of the tools that change files: no other tool may have them. */
export const FILE_TOOLS = ["write_file", "edit_file", "delete_file"] as const;
/** Names that every provider accepts. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

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

type Entries = Record<string, unknown>;

const mustBe = (place: string, wanted: string): GenuiPatchError => misuse(`${place} must be ${wanted}.`);

/** Reads tool definitions. Throws `INVALID_ARGUMENT` for the first problem, with its path. */
export function readTools(method: string, tools: readonly ToolInput[]): CoreTool[] {
  if (!Array.isArray(tools)) throw mustBe(`${method}: tools`, "a list of definitions");
  const taken = new Set<string>(FILE_TOOLS);
  return tools.flatMap((tool: unknown, index) => {
    const place = `${method}: tools[${index}]`;
    const given = fromProvider(tool);
    const isConverted = given !== tool;
    // The core knows the file tools: their definitions in a provider's format are ignored.
    if (isConverted && FILE_TOOLS.includes(given.name as never)) return [];
    const read = readTool(given, place);
    const path = read.schema.properties?.path;
    if (path && isConverted && read.name === DATA_TOOL) path.format = "pointer";
    claim(taken, [read.name, ...read.aliases], place, "tool");
    return [read];
  });
}

/** Registers names, and refuses a name that is used already. */
function claim(taken: Set<string>, names: readonly string[], place: string, what: string): void {
  for (const name of names) {
    if (taken.has(name)) throw misuse(`${place} is called "${name}", as another ${what} is already.`);
    taken.add(name);
  }
}

/** Providers' keys for the schema of a tool's arguments. */
const SCHEMAS = ["inputSchema", "input_schema", "parameters", "parametersJsonSchema"];

/** Converts a definition in a provider's format. Returns any other value as it is. */
function fromProvider(tool: unknown): Entries {
  const given = tool as Entries | null;
  const inner = isObject(given?.function) ? given.function : given;
  const key = SCHEMAS.find((key) => typeof inner?.[key] === "object");
  if (inner === null || inner === undefined) return given as Entries;
  const { name, description } = inner;
  if (key !== undefined) return { name, description, schema: outline(inner[key]) };
  // Gemini's format of a function without parameters.
  const isBare =
    typeof description === "string" && Object.keys(inner).every((key) => key === "name" || key === "description");
  return isBare ? { name, description, fields: {} } : (given as Entries);
}

/** A schema with only the top-level properties and their types. Properties that may be null, or are JSON text, are optional. */
function outline(schema: unknown): ToolSchema {
  const { properties = {}, required = [] } = schema as { properties?: Entries; required?: unknown };
  const needed: string[] = [];
  const read = mapMembers(properties, (property, key): ToolSchema => {
    const { type, description }: Entries = isObject(property) ? property : {};
    const types = [type].flat().flatMap((type) => (typeof type === "string" ? [type.toLowerCase()] : []));
    const isOptional = types.length === 0 || types.includes("null") || key.endsWith(AS_TEXT);
    if (!isOptional && Array.isArray(required) && required.includes(key)) needed.push(key);
    return {
      ...(types.length > 0 && types.every((type) => TYPES.includes(type)) && { type: types }),
      ...(typeof description === "string" && { description }),
    };
  });
  return { type: "object", properties: read, required: needed };
}

function readTool(value: unknown, place: string): CoreTool {
  const { name, aliases = [], fields, schema, ...described } = readEntries(value, place, TOOL);
  if (typeof name !== "string" || !NAME.test(name)) throw mustBe(`${place}.name`, "1 to 64 letters, digits, _ or -");
  if ((fields === undefined) === (schema === undefined)) throw misuse(`${place} must have either fields or schema.`);
  const read = fields === undefined ? readSchema(schema, `${place}.schema`) : readFields(fields, `${place}.fields`);
  read.type ??= ["object"];
  if (read.type.join() !== "object") throw mustBe(`${place}.schema.type`, '"object"');
  if (Object.hasOwn(read.properties ?? {}, "tool")) throw misuse(`${place} must not have a field "tool"; rename it.`);
  return { name, ...described, aliases: aliases as string[], schema: read };
}

function readFields(value: unknown, place: string): CoreSchema {
  const required: string[] = [];
  const names = new Set(["tool"]);
  const properties = mapMembers(readEntries(value, place), (given, key): CoreSchema => {
    const where = `${place}.${key}`;
    const field = readEntries(typeof given === "string" ? { kind: given } : given, where, FIELD);
    const { kind, optional = false, aliases = [], ...about } = field as unknown as FieldDefinition;
    if (!KINDS.includes(kind)) throw mustBe(`${where}.kind`, `one of ${KINDS.join(", ")}`);
    if (!optional) required.push(key);
    claim(names, [key, ...aliases], where, "field");
    const isPlace = kind === "path" || kind === "pointer";
    const type = isPlace ? { format: kind, type: ["string"] } : kind !== "any" && { type: [kind] };
    return { ...(about as CoreSchema), aliases, ...type };
  });
  return { type: ["object"], properties, required };
}

function readSchema(value: unknown, place: string, depth = 0): CoreSchema {
  if (depth > MAX_SCHEMA_DEPTH) throw misuse(`${place} is too deep.`);
  const read = (own: unknown, step: string) => readSchema(own, `${place}.${step}`, depth + 1);
  const {
    title: _,
    default: __,
    examples: ___,
    $schema: ____,
    ...given
  }: ToolSchema = readEntries(value, place, SCHEMA);
  const { type, properties, required = [], items } = given;
  const schema = { ...given, required } as CoreSchema;
  if (type !== undefined) {
    schema.type = [type].flat();
    if (schema.type.length === 0 || !schema.type.every((name) => TYPES.includes(name)))
      throw mustBe(`${place}.type`, `one or some of ${TYPES.join(", ")}`);
  }
  if (properties !== undefined) {
    const entries = readEntries(properties, `${place}.properties`);
    schema.properties = mapMembers(entries, (own, key) => read(own, `properties.${key}`));
  }
  for (const [index, name] of required.entries()) {
    if (!Object.hasOwn(schema.properties ?? {}, name))
      throw misuse(`${place}.required[${index}] is "${name}", which the properties do not have.`);
  }
  if (items !== undefined) schema.items = read(items, "items");
  return schema;
}

/** The defined properties of an object, which may only have these keys and kinds. */
function readEntries(value: unknown, place: string, kinds?: Kinds): Entries {
  if (!isObject(value)) throw mustBe(place, "an object");
  const entries = Object.entries(value).filter(([, own]) => own !== undefined);
  for (const [key, own] of kinds ? entries : []) {
    const [wanted, fits] = (Object.hasOwn(kinds as Kinds, key) && kinds?.[key]) || [];
    if (fits === undefined)
      throw misuse(`${place}.${key} is not understood; there are ${Object.keys(kinds as Kinds).join(", ")}.`);
    if (!fits(own)) throw mustBe(`${place}.${key}`, wanted as string);
  }
  return Object.fromEntries(entries);
}

/** The definitions: in the subset of JSON Schema that providers enforce, where it can express the tool. */
export function customTools(tools: readonly ToolInput[] = []): readonly ToolDefinition[] {
  return readTools("toolDefinitions", tools).map(({ name, description, schema }): ToolDefinition => {
    const about = { name, description: description ?? `Calls ${name}.` };
    const own = inWords(schema) as ObjectSchema;
    return isStrict(schema)
      ? { ...about, input: own as ToolDefinition["input"] }
      : { ...about, input: {}, schema: own };
  });
}

/** Whether the subset of JSON Schema that providers enforce can express a schema: each object must have named properties. */
function isStrict({ type: [type, ...more] = [], enum: values, properties, items }: CoreSchema): boolean {
  if (type === undefined || type === "null" || more.length > 0) return false;
  if (values && !(type === "string" && isTexts(values))) return false;
  if (type === "array" ? !(items && isStrict(items)) : items) return false;
  if (type !== "object") return true;
  // An object without named properties could only be empty.
  const isNamed = (own: CoreSchema) => own.type?.[0] !== "object" || Object.keys(own.properties ?? {}).length > 0;
  return properties !== undefined && Object.values(properties).every((own) => isNamed(own) && isStrict(own));
}

/** The schema with keywords of JSON Schema only. */
function inWords({ aliases: _, format: __, type, properties, items, required, ...rest }: CoreSchema): object {
  return {
    ...rest,
    ...(type && { type: type.length === 1 ? type[0] : type }),
    ...(properties && { properties: mapMembers(properties, inWords), required }),
    ...(items && { items: inWords(items) }),
  };
}
