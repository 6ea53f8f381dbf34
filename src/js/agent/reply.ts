/** Writes the results of calls as messages, in each provider's format. */
import { isObject } from "../core/kinds.js";
import { formatName, PROVIDER_FORMATS } from "../definitions/provider-formats.js";
import type { AgentResult } from "./types.js";

type Message = { [key: string]: unknown };

/** Writes results in one format. `text` is the result as JSON text. */
interface Writer {
  /** The part of a message for one result. */
  part(result: AgentResult, text: string): Message;
  /** The message around the parts, for providers that have all results in one message. */
  message?(parts: Message[]): Message;
}

/** The id and the tool of a call, by which a model recognizes it. */
export type CallLabel = Pick<AgentResult, "id" | "tool">;

/** A result as one line. JSON text has no line breaks, so that nothing in it can look like the line of another result. */
export const lineOf = ({ id, tool }: CallLabel, text: string): string =>
  `${tool}${id === undefined ? "" : ` (${id})`}: ${text}`;

/** The writers, by format. */
const WRITERS: { readonly [format: string]: Writer } = {
  openai: { part: ({ id }, content) => ({ role: "tool", tool_call_id: id, content }) },
  "openai-responses": { part: ({ id }, output) => ({ type: "function_call_output", call_id: id, output }) },
  anthropic: {
    part: ({ id, status }, content) => ({
      type: "tool_result",
      tool_use_id: id,
      content,
      ...(status === "error" && { is_error: true }),
    }),
    message: (content) => ({ role: "user", content }),
  },
  gemini: {
    part: ({ id, tool, result }) => ({
      functionResponse: { ...(id !== undefined && { id }), name: tool, response: result },
    }),
    message: (parts) => ({ role: "user", parts }),
  },
  "ai-sdk": {
    part: ({ id, tool, status, result }) => ({
      type: "tool-result",
      toolCallId: id,
      toolName: tool,
      output: { type: status === "error" ? "error-json" : "json", value: result },
    }),
    message: (content) => ({ role: "tool", content }),
  },
  // Messages of AG-UI need an id of their own.
  "ag-ui": { part: ({ id }, content) => ({ id: `${id}-result`, role: "tool", toolCallId: id, content }) },
  mcp: {
    part: ({ status, result }, text) => ({
      content: [{ type: "text", text }],
      structuredContent: result,
      isError: status === "error",
    }),
  },
  text: {
    part: (result, text) => ({ line: lineOf(result, text) }),
    message: (parts) => ({
      role: "user",
      content: ["Results of your tool calls:", ...parts.map(({ line }) => line)].join("\n"),
    }),
  },
};

/** How many warnings, fixes and skipped patches a reply lists. The others are only counted. */
const MAX_LISTED = 5;

/**
 * The result for the model, which saves tokens: it leaves out what the call already says, and shortens lists to `MAX_LISTED`
 * items, with the number of the others as `more_…`.
 */
export function briefResult({ tool, result }: Pick<AgentResult, "tool" | "result">): AgentResult["result"] {
  const { patches_applied, skipped_patches, warnings, fixes, node, ...rest } = result;
  const lists = { skipped_patches: toList(skipped_patches).map(withoutPatch), warnings, fixes };
  const brief: { [key: string]: unknown; status: AgentResult["status"] } = { ...rest };
  for (const [key, list] of Object.entries(lists)) {
    const items = toList(list);
    if (items.length > 0) brief[key] = items.slice(0, MAX_LISTED);
    if (items.length > MAX_LISTED) brief[`more_${key}`] = items.length - MAX_LISTED;
  }
  // After `updateNode` the model knows the node: it has read the old one, and sent the changes.
  if (tool !== "updateNode" && node !== undefined) brief.node = node;
  return brief;
}

/** A skipped patch is named by its operation and path: the model has sent the rest. */
function withoutPatch(skipped: unknown): unknown {
  if (!isObject(skipped) || !isObject(skipped.patch)) return skipped;
  const { patch: _, ...details } = skipped;
  return { op: skipped.patch.op, path: skipped.patch.path, ...details };
}

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The messages with results, none without results; `undefined` for an unknown format. */
export function writeReplies(results: readonly AgentResult[], format: string): Message[] | undefined {
  const name = formatName(format);
  // The list is asked, since `WRITERS["constructor"]` is no writer.
  const writer = PROVIDER_FORMATS.some((known) => known === name) ? WRITERS[name] : undefined;
  if (writer === undefined) return undefined;
  const parts = results.map((result) => {
    const brief = { ...result, result: briefResult(result) };
    return writer.part(brief, JSON.stringify(brief.result));
  });
  if (writer.message === undefined) return parts;
  return parts.length === 0 ? [] : [writer.message(parts)];
}
