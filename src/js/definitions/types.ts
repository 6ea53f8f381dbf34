/** The types of definitions of tools: the package's own, a host's, and what providers take. */
import type { Json } from "../types.js";

export interface ToolDefinition {
  name: string;
  description: string;
  /** In the subset that every provider takes: one type, no other properties than those named. Without a type: any value. */
  input: ToolSchema;
  /** A schema in the full language, in place of `input`: it is passed on as it is, and no provider holds a model to it. */
  schema?: ObjectSchema;
  readOnly?: boolean;
}

export interface ObjectSchema {
  type: "object";
  properties?: { [property: string]: object };
  required?: string[];
  [word: string]: unknown;
}

interface Described<Name extends string> {
  name: Name;
  description: string;
}

interface OpenAiFunction<Name extends string> extends Described<Name> {
  parameters: ObjectSchema;
  strict: boolean;
}

export interface OpenAiResponsesTool<Name extends string = string> extends OpenAiFunction<Name> {
  type: "function";
}

/** A tool in the form of each provider; for OpenAI that of chat completions. */
export interface ProviderTools<Name extends string = string> {
  mcp: Described<Name> & {
    inputSchema: ObjectSchema;
    annotations: { readOnlyHint: boolean; openWorldHint: boolean };
  };
  openai: { type: "function"; function: OpenAiFunction<Name> };
  anthropic: Described<Name> & { strict?: boolean; input_schema: ObjectSchema };
  gemini: Described<Name> & { parameters?: ObjectSchema; parametersJsonSchema?: ObjectSchema };
}

export type ToolFormat = keyof ProviderTools;

export type ProviderTool<Name extends string = string> = ProviderTools<Name>[ToolFormat] | OpenAiResponsesTool<Name>;

export interface FormatOptions {
  /**
   * For `openai` and `anthropic`: whether the provider holds the model to the schema. Default true. Any JSON value, such
   * as the `value` of a patch, is then JSON text under `<name>_json`, since a strict schema has no word for it.
   */
  strict?: boolean | undefined;
  /** For `openai`: the API that the definitions are for. Default `"chat"`. */
  api?: "chat" | "responses" | undefined;
}

/**
 * What a value of a {@link CustomTool}'s field must be. A `path` is a string that the path policy allows; a `pointer` is a
 * string too, a place in data (`/items/0`, `user.name`), which the policy leaves alone even where the field is called `path`.
 */
export type FieldKind =
  | ("path" | "pointer" | "any" | "null")
  | ("object" | "array" | "string" | "number" | "integer" | "boolean");

export interface FieldDefinition {
  kind: FieldKind;
  /** Whether calls may do without it, or have null in its place. Default: false. */
  optional?: boolean | undefined;
  /** What else models call it; a repair takes that for the field. */
  aliases?: readonly string[] | undefined;
  enum?: readonly Json[] | undefined;
  /** For the model. */
  description?: string | undefined;
}

/** The part of JSON Schema that a {@link CustomTool} may use. A property that is not required may be null too. */
export interface ToolSchema {
  type?: string | readonly string[] | undefined;
  enum?: readonly Json[] | undefined;
  properties?: { readonly [key: string]: ToolSchema } | undefined;
  required?: readonly string[] | undefined;
  additionalProperties?: boolean | undefined;
  items?: ToolSchema | undefined;
  description?: string | undefined;
  title?: string | undefined;
  default?: Json | undefined;
  examples?: readonly Json[] | undefined;
  $schema?: string | undefined;
}

/** A tool of the host's own. A string field `path` at the top is for the path policy unless its kind is `pointer`. */
export interface CustomTool<Name extends string = string> {
  /** 1 to 64 letters, digits, `_` or `-`; none of a tool that is there already. */
  name: Name;
  /** For the model. */
  description?: string | undefined;
  /** What else models call it; a repair takes that for the name. */
  aliases?: readonly string[] | undefined;
  /** The fields of a call. Either these or `schema`. */
  fields?: { readonly [key: string]: FieldKind | FieldDefinition } | undefined;
  /** A call as an object with properties, `tool` aside. */
  schema?: ToolSchema | undefined;
}

/**
 * A tool of the host's own, or a definition in a provider's form, as `toolDefinitions` and servers of MCP give them. Of such
 * a definition the fields at the top count, and their kinds; definitions of the file tools say nothing new.
 */
export type ToolInput<Name extends string = string> = CustomTool<Name> | ProviderTool<Name>;

export interface ToolDefinitionOptions extends FormatOptions {
  /** For `files`: the host's tools, described behind those that change files. */
  tools?: readonly ToolInput[] | undefined;
}
