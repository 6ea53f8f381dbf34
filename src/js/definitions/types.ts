/** The types of tool definitions: the package's own, the page's own, and those in providers' formats. */
import type { Json } from "../types.js";

/** A tool as the package defines it, before it is written in a provider's format. */
export interface ToolDefinition {
  name: string;
  description: string;
  /** In the subset of JSON Schema that every provider accepts: one type, and named properties only. Without a type: any value. */
  input: ToolSchema;
  /** A schema outside of that subset, in place of `input`. It is passed on unchanged, and no provider enforces it. */
  schema?: ObjectSchema;
  /** Whether a call changes nothing. Default false. */
  readOnly?: boolean;
}

/** A JSON Schema of an object. */
export interface ObjectSchema {
  type: "object";
  properties?: { [property: string]: object };
  required?: string[];
  [keyword: string]: unknown;
}

/** The members that a tool has in every format. In OpenAI's Chat Completions they are in `function`. */
interface ToolBase<Name extends string> {
  name: Name;
  description: string;
}

interface OpenAiFunction<Name extends string> extends ToolBase<Name> {
  parameters: ObjectSchema;
  strict: boolean;
}

export interface OpenAiResponsesTool<Name extends string = string> extends OpenAiFunction<Name> {
  type: "function";
}

/** A tool in each provider's format. */
export interface ProviderTools<Name extends string = string> {
  mcp: ToolBase<Name> & {
    inputSchema: ObjectSchema;
    annotations: { readOnlyHint: boolean; openWorldHint: boolean };
  };
  /** The format of the Chat Completions API. */
  openai: { type: "function"; function: OpenAiFunction<Name> };
  "openai-responses": OpenAiResponsesTool<Name>;
  anthropic: ToolBase<Name> & { strict?: boolean; input_schema: ObjectSchema };
  gemini: ToolBase<Name> & { parameters?: ObjectSchema; parametersJsonSchema?: ObjectSchema };
  "ag-ui": ToolBase<Name> & { parameters: ObjectSchema };
}

/** The name of a format of definitions. */
export type ToolFormat = keyof ProviderTools;

export type ProviderTool<Name extends string = string> = ProviderTools<Name>[ToolFormat];

/** Options of definitions in a provider's format. */
export interface FormatOptions {
  /**
   * For `openai` and `anthropic`: whether the provider enforces the schema. Default true. A property for any JSON value, such
   * as the `value` of a patch, is then JSON text under `<name>_json`, since strict schemas cannot express it.
   */
  strict?: boolean | undefined;
  /** For `openai`: the API that the definitions are for. Default `"chat"`; `"responses"` is the format `"openai-responses"`. */
  api?: "chat" | "responses" | undefined;
}

/**
 * The kind of a field of a {@link CustomTool}. A `path` is a string that the path policy must allow. A `pointer` is a string that
 * names a place in data (`/items/0`, `user.name`): the policy does not check it, even if the field is called `path`.
 */
export type FieldKind =
  | ("path" | "pointer" | "any" | "null")
  | ("object" | "array" | "string" | "number" | "integer" | "boolean");

/** A field of a {@link CustomTool}. */
export interface FieldDefinition {
  kind: FieldKind;
  /** Whether the field may be missing or null. Default false. */
  optional?: boolean | undefined;
  /** Other names of the field. A repair renames them. */
  aliases?: readonly string[] | undefined;
  enum?: readonly Json[] | undefined;
  /** For the model. */
  description?: string | undefined;
}

/** The part of JSON Schema that a {@link CustomTool} may use. An optional property may also be null. */
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

/** A tool of the page's own. The path policy checks a top-level string field `path`, unless its kind is `pointer`. */
export interface CustomTool<Name extends string = string> {
  /** 1 to 64 letters, digits, `_` or `-`. Two tools cannot have one name. */
  name: Name;
  /** For the model. */
  description?: string | undefined;
  /** Other names of the tool. A repair renames them. */
  aliases?: readonly string[] | undefined;
  /** The fields of a call. Use either `fields` or `schema`. */
  fields?: { readonly [key: string]: FieldKind | FieldDefinition } | undefined;
  /** The schema of the arguments, an object without `tool`. */
  schema?: ToolSchema | undefined;
}

/**
 * A tool of the page's own, or a definition in a provider's format, as `toolDefinitions` and MCP servers return it. Of such a
 * definition only the top-level properties and their types are used. Definitions of the file tools are ignored.
 */
export type ToolInput<Name extends string = string> = CustomTool<Name> | ProviderTool<Name>;

export interface ToolDefinitionOptions extends FormatOptions {
  /** For `files`: the page's own tools, after those that change files. */
  tools?: readonly ToolInput[] | undefined;
}

/**
 * A format of patches for the option `formats` of `agentTools`: `"apply_patch"`, the patches of OpenAI's models (V4A), or
 * `"unified"`, unified diffs as `git diff` writes them.
 */
export type EditFormat = "apply_patch" | "unified";
