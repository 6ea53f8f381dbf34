/** The names of the provider formats: one list for definitions, streams of native calls, and replies. */

/**
 * The form in which a provider or a protocol has tools, calls and results:
 *
 * - `openai`: Chat Completions; `openai-responses`: the Responses API;
 * - `anthropic`: Messages; `gemini`: `generateContent`, calls that arrive in parts included;
 * - `ai-sdk`: the AI SDK; `ag-ui`: the events of AG-UI; `mcp`: the requests of MCP;
 * - `text`: chat text, for a model without native calls.
 */
export type ProviderFormat =
  | ("openai" | "openai-responses" | "anthropic" | "gemini")
  | ("ai-sdk" | "ag-ui" | "mcp" | "text");

export const PROVIDER_FORMATS: readonly ProviderFormat[] = [
  "openai",
  "openai-responses",
  "anthropic",
  "gemini",
  "ai-sdk",
  "ag-ui",
  "mcp",
  "text",
];

/** The name of a format, where `"openai-chat"` is an older name of `"openai"`. */
export const formatName = (format: string): string => (format === "openai-chat" ? "openai" : format);
