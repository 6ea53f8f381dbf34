/** Writes tool definitions in each provider's format, and reads the arguments of calls in these formats. */
import { misuse } from "../core/errors.js";
import { parseJson } from "../core/json.js";
import { isObject, type Members } from "../core/kinds.js";
import { ANY, FLAG } from "../core/require.js";
import type { Json } from "../types.js";
import type { FormatOptions, ObjectSchema, ProviderTools, ToolDefinition, ToolFormat, ToolSchema } from "./types.js";

/** A string schema. */
export const text = (description: string): ToolSchema => ({ type: "string", description });

/** An object schema. Without `required`, all properties are required. */
export const object = (
  properties: Record<string, ToolSchema>,
  required: readonly string[] = Object.keys(properties),
): ToolSchema => ({ type: "object", properties, required });

/** A schema for the core: `type` is always a list, and there are two more keywords. */
export interface CoreSchema extends ToolSchema {
  type?: readonly string[];
  properties?: Record<string, CoreSchema>;
  items?: CoreSchema;
  /** Other names of the property. */
  aliases?: readonly string[];
  /** `path`: of a file, which the path policy checks. `pointer`: to a place in data, which it does not check. */
  format?: "path" | "pointer";
}

/** The kinds of the options. `toolDefinitions` checks the value of `api`. */
export const FORMAT_OPTIONS = { strict: FLAG, api: ANY };

/** How the schemas of a format differ from JSON Schema. */
interface Dialect {
  /** Optional properties are required and may be null. */
  nullable?: boolean;
  /** A property for any JSON value is a string with JSON text, since the format cannot express it. */
  anyAsText?: boolean;
  /** `additionalProperties` is left out, which the format does not have. Else it is false. */
  open?: boolean;
}

/** The suffix of a property whose value is JSON text. */
export const AS_TEXT = "_json";

/** By format: writes one definition. A tool with `schema` is never strict, since providers do not enforce every schema. */
type Writers = {
  readonly [Format in ToolFormat]: (tool: ToolDefinition, options: FormatOptions) => ProviderTools[Format];
};

const WRITERS: Writers = {
  mcp: ({ name, description, input, schema, readOnly = false }) => ({
    name,
    description,
    inputSchema: schema ?? toInput(input, {}),
    annotations: { readOnlyHint: readOnly, openWorldHint: false },
  }),
  openai: (tool, options) => ({ type: "function", function: openAiFunction(tool, options) }),
  anthropic: ({ name, description, input, schema }, { strict = true }) => ({
    name,
    description,
    ...(strict && !schema && { strict }),
    input_schema: schema ?? toInput(input, { anyAsText: strict }),
  }),
  // A function without parameters must not have an empty list of them.
  gemini: ({ name, description, input, schema }) => {
    if (schema) return { name, description, parametersJsonSchema: schema };
    return Object.keys(input.properties ?? {}).length === 0
      ? { name, description }
      : { name, description, parameters: toInput(input, { anyAsText: true, open: true }) };
  },
  "openai-responses": (tool, options) => ({ type: "function", ...openAiFunction(tool, options) }),
  "ag-ui": ({ name, description, input, schema }) => ({ name, description, parameters: schema ?? toInput(input, {}) }),
};

/** The definition of a tool in both of OpenAI's APIs. Strict schemas require all properties: optional ones may be null. */
function openAiFunction(
  { name, description, input, schema }: ToolDefinition,
  { strict: wantsStrict = true }: FormatOptions,
) {
  const strict = wantsStrict && !schema;
  const parameters = schema ?? toInput(input, strict ? { nullable: true, anyAsText: true } : {});
  return { name, description, parameters, strict };
}

/** Whether definitions can be written in a format: not for the AI SDK, whose definitions contain functions, nor for chat text. */
export const isToolFormat = (format: string): format is ToolFormat => Object.hasOwn(WRITERS, format);

/** The names of all formats of definitions. */
export const TOOL_FORMATS: readonly string[] = /* @__PURE__ */ Object.keys(WRITERS);

/** The definitions in a format. `api: "responses"` is an older way to say `"openai-responses"`. */
export function writeTools(tools: readonly ToolDefinition[], format: ToolFormat, options: FormatOptions): object[] {
  const write = WRITERS[format === "openai" && options.api === "responses" ? "openai-responses" : format];
  return tools.map((tool) => write(tool, options));
}

export const writeMcpTool = (tool: ToolDefinition): ProviderTools["mcp"] => WRITERS.mcp(tool, {});

/** The schema of a tool's arguments, which is that of an object, also for a tool without arguments. */
const toInput = (schema: ToolSchema, dialect: Dialect): ObjectSchema => ({
  ...toSchema(schema, dialect),
  type: "object",
});

/** A schema in a provider's format. */
interface WrittenSchema {
  type?: string | readonly string[];
  description?: string;
  enum?: unknown[];
  items?: object;
  properties?: { [property: string]: object };
  required?: string[];
  additionalProperties?: boolean;
}

/** A schema in a provider's format. Only the keywords that `ToolDefinition.input` may have are written. */
function toSchema(schema: ToolSchema, dialect: Dialect): WrittenSchema {
  const { type, description, enum: values, properties = {}, required = [], items } = schema;
  const keywords: WrittenSchema = {
    ...(type && { type }),
    ...(description && { description }),
    ...(values && { enum: [...values] }),
    ...(items && { items: toSchema(items, dialect) }),
  };
  if (type !== "object") return keywords;
  const writtenProperties: { [property: string]: object } = {};
  const writtenRequired: string[] = [];
  for (const [key, property] of Object.entries(properties)) {
    const isJsonText = dialect.anyAsText && isFree(property);
    const name = isJsonText ? key + AS_TEXT : key;
    const value = isJsonText ? asText(property) : toSchema(property, dialect);
    const optional = !required.includes(key);
    writtenProperties[name] = optional && dialect.nullable ? orNull(value) : value;
    if (!optional || dialect.nullable) writtenRequired.push(name);
  }
  const object = { ...keywords, properties: writtenProperties, required: writtenRequired };
  return dialect.open ? object : { ...object, additionalProperties: false };
}

/** Whether a schema accepts any JSON value, or a list of any values. */
export function isFree({ type, items }: ToolSchema): boolean {
  return type === undefined || (type === "array" && (items === undefined || isFree(items)));
}

/** A string schema in place of one that accepts any value. */
function asText({ type, description = "Any JSON value." }: ToolSchema): WrittenSchema {
  const example = type === "array" ? '[1,{"id":"a"}]' : '"a" (with its quotes), 42, {"id":"a"}';
  return { type: "string", description: `${description} Written as JSON text, such as ${example}.` };
}

/** The schema that also accepts null. A schema without a type does so already. */
function orNull(schema: WrittenSchema): WrittenSchema {
  if (schema.type === undefined) return schema;
  const nullable = { ...schema, type: [schema.type, "null"].flat() };
  return schema.enum === undefined ? nullable : { ...nullable, enum: [...schema.enum, null] };
}

/**
 * Reads the arguments of a call in any provider's format: JSON text under `<name>_json` becomes a value, and a null for an
 * optional property is removed. Values that do not fit the schema stay; the tool's own error says more about them.
 * @throws GenuiPatchError for a `<name>_json` that is not JSON text.
 */
export function fromFormat(schema: ToolSchema, sent: Members): Members;
export function fromFormat(schema: ToolSchema, sent: Json): Json;
export function fromFormat(schema: ToolSchema, sent: Json): Json {
  if (Array.isArray(sent)) {
    const { items } = schema;
    return items === undefined ? sent : sent.map((item) => fromFormat(items, item));
  }
  const { properties } = schema;
  if (properties === undefined || !isObject<Json>(sent)) return sent;
  const entries: [string, Json][] = [];
  for (const [name, value] of Object.entries(sent)) {
    const key = name.endsWith(AS_TEXT) ? name.slice(0, -AS_TEXT.length) : name;
    const schemaOf = (property: string) => (Object.hasOwn(properties, property) ? properties[property] : undefined);
    const property = schemaOf(name);
    const textProperty = schemaOf(key);
    if (property === undefined && textProperty !== undefined && isFree(textProperty)) {
      // `<name>_json`. Some models send the value itself in place of its text.
      if (typeof value === "string") entries.push([key, readText(name, value)]);
      else if (value !== null) entries.push([key, value]);
    } else if (property === undefined || property.type === undefined) {
      // An unknown property, or one of any value, which may be null.
      entries.push([name, value]);
    } else if (value !== null || schema.required?.includes(name)) {
      entries.push([name, fromFormat(property, value)]);
    }
  }
  return Object.fromEntries(entries);
}

/** The value of the property `name`, which is JSON text. */
function readText(name: string, text: string): Json {
  const value = parseJson(text);
  if (value === undefined) throw misuse(`"${name}" is not JSON text: ${text.slice(0, 60)}`);
  return value;
}

/** An example of a tool's call for prompts: `{"tool": "read_file", "path": <string: The file.>}`. */
export function form(tool: string, { properties = {}, required = [] }: ToolSchema): string {
  const fields = Object.entries(properties).map(([key, property]) => {
    return `, ${JSON.stringify(key)}: ${required.includes(key) ? "" : "(optional) "}${shape(property)}`;
  });
  return `{"tool": "${tool}"${fields.join("")}}`;
}

/** What stands in place of a value: its allowed values, the shapes of its parts, or its type and description. */
function shape({ type, description, enum: values, properties = {}, items }: ToolSchema): string {
  if (values) return values.map((value) => JSON.stringify(value)).join(" or ");
  if (items) return `[${shape(items)}, ...]`;
  const members = Object.entries(properties).map(([key, property]) => `${JSON.stringify(key)}: ${shape(property)}`);
  if (members.length > 0) return `{${members.join(", ")}}`;
  const types = typeof type === "string" ? type : (type?.join(" or ") ?? "any value");
  return `<${types}${description ? `: ${oneLine(description)}` : ""}>`;
}

/** A text without line breaks, so that it cannot look like another line of a prompt. */
export function oneLine(message: string): string {
  return message.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}
