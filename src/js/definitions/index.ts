/** `toolDefinitions`: the definitions of the package's tools, as a model reads them. */

import { misuse } from "../core/errors.js";
import { ANY, requireOptions, requireText } from "../core/require.js";
import { customTools } from "./custom-tools.js";
import { fileTools } from "./files.js";
import { FORMAT_OPTIONS, isToolFormat, TOOL_FORMATS, writeTools } from "./format.js";
import { gulfTools } from "./gulf.js";
import { nodeTools } from "./node.js";
import { formatName } from "./provider-formats.js";
import type { OpenAiResponsesTool, ProviderTools, ToolDefinition, ToolDefinitionOptions, ToolFormat } from "./types.js";
import { uiTools } from "./ui.js";

/** The families of tools, and their definitions. Only `files` has an option of its own, `tools`. */
const FAMILIES = {
  files: ({ tools }) => [...fileTools, ...customTools(tools)],
  gulf: () => gulfTools,
  ui: () => uiTools,
  node: () => nodeTools,
} satisfies Record<string, (options: ToolDefinitionOptions) => readonly ToolDefinition[]>;

export type ToolFamily = keyof typeof FAMILIES;

/**
 * Definitions of tools in the form that a provider takes: `mcp` (a tool of `tools/list`), `openai`, `openai-responses`,
 * `anthropic` (`strict: true`, unless turned off), `gemini` (a function declaration), `ag-ui`.
 *
 * ```ts
 * toolDefinitions("ui", "anthropic").map((tool) => tool.name);
 * // ["patch_ui_state", "get_schema", "list_instances", "validate_completion", "access_instance"]
 * ```
 * The tools read the arguments of every format alike.
 */
export function toolDefinitions(
  family: ToolFamily,
  format: "openai",
  options: ToolDefinitionOptions & { api: "responses" },
): OpenAiResponsesTool[];
export function toolDefinitions<Format extends ToolFormat>(
  family: ToolFamily,
  format: Format,
  options?: ToolDefinitionOptions,
): ProviderTools[Format][];
export function toolDefinitions(family: ToolFamily, format: string, options: ToolDefinitionOptions = {}): object[] {
  requireOneOf("family", family, Object.keys(FAMILIES));
  requireText("toolDefinitions", "format", format);
  const name = formatName(format);
  if (!isToolFormat(name)) throw unknownValue("format", format, TOOL_FORMATS);
  const kinds = family === "files" ? { ...FORMAT_OPTIONS, tools: ANY } : FORMAT_OPTIONS;
  requireOptions("toolDefinitions", options, kinds);
  if (options.api !== undefined) requireOneOf("api", options.api, ["chat", "responses"]);
  return writeTools(FAMILIES[family](options), name, options);
}

function requireOneOf(argument: string, value: unknown, known: readonly string[]): void {
  requireText("toolDefinitions", argument, value);
  if (!known.includes(value)) throw unknownValue(argument, value, known);
}

function unknownValue(argument: string, value: string, known: readonly string[]) {
  return misuse(`toolDefinitions: there is no ${argument} "${value}"; there are ${known.join(", ")}.`);
}
