/** Writes the results of calls as messages, in each provider's format. */
import type { AgentResult, ReplyFormat } from "./types.js";

type Message = { [key: string]: unknown };

interface Writer {
  /** The part of a message for one result. */
  part(result: AgentResult, text: string): Message;
  /** The message around the parts, for providers that have all results in one message. */
  message?(parts: Message[]): Message;
}

export type Called = Pick<AgentResult, "id" | "tool">;

/** A result as one line. JSON text has no line breaks, so that nothing in it can look like the line of another result. */
export const lineOf = ({ id, tool }: Called, text: string): string =>
  `${tool}${id === undefined ? "" : ` (${id})`}: ${text}`;

const chat: Writer = { part: ({ id }, content) => ({ role: "tool", tool_call_id: id, content }) };

const WRITERS: Record<ReplyFormat, Writer> = {
  openai: chat,
  "openai-chat": chat,
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

export const REPLY_FORMATS = /* @__PURE__ */ Object.keys(WRITERS);

export function writeReplies(results: readonly AgentResult[], format: ReplyFormat): Message[] {
  const { part, message } = WRITERS[format];
  const parts = results.map((result) => part(result, JSON.stringify(result.result)));
  if (message === undefined) return parts;
  return parts.length === 0 ? [] : [message(parts)];
}
