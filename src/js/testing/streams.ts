/**
 * An answer as the chunks of a provider's stream. Sources: the streaming references of OpenAI, Anthropic, Gemini and the AI SDK.
 * Ids and token counts that no client checks are constants.
 */

interface Answer {
  /** The text, in the pieces in which it arrives. */
  text: readonly string[];
  /** The reasoning, in pieces. */
  reasoning: readonly string[];
  /** `args`: the arguments as text, which may be no JSON. `pieces`: the same text, in pieces. */
  calls: readonly { id: string; name: string; args: string; pieces: readonly string[] }[];
  /** The answer stops inside the last call, at the limit of tokens. */
  isCut: boolean;
  /** The message of the error with which the stream ends; `undefined` if it ends well. */
  error: string | undefined;
}

/** Whether a call is the one inside which the answer stops. */
const isUnfinished = ({ calls, isCut }: Pick<Answer, "calls" | "isCut">, index: number): boolean =>
  isCut && index === calls.length - 1;

/** The provider, or `text` for chat text without native calls. */
export type ScriptedFormat = "openai" | "openai-responses" | "anthropic" | "gemini" | "ai-sdk" | "text";

/** The chunks of an answer. An `Error` among them breaks the stream off. */
export const CHUNKS_OF: { readonly [format in ScriptedFormat]: (answer: Answer) => unknown[] } = {
  openai({ text, reasoning, calls, isCut, error }) {
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason }],
    });
    const chunks = [
      ...reasoning.map((reasoning_content) => chunk({ reasoning_content })),
      ...text.map((content) => chunk({ content })),
      ...calls.flatMap(({ id, name, pieces }, index) => [
        chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
        ...pieces.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
    ];
    if (error !== undefined) return [...chunks, { error: { message: error } }];
    const finish = isCut ? "length" : calls.length > 0 ? "tool_calls" : "stop";
    const usage = { prompt_tokens: 1, completion_tokens: chunks.length };
    return [...chunks, chunk({}, finish), { id: "chatcmpl-1", choices: [], usage }];
  },

  "openai-responses"({ text, reasoning, calls, isCut, error }) {
    const summary = reasoning.map((delta) => ({ type: "response.reasoning_summary_text.delta", delta }));
    const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: text.join("") }] };
    const items = [
      ...(text.length > 0 ? [message] : []),
      ...calls.map(({ id, name, args }) => ({
        type: "function_call",
        id: `fc_${id}`,
        call_id: id,
        name,
        arguments: args,
      })),
    ];
    // The index of the first call among the items.
    const firstCall = text.length > 0 ? 1 : 0;
    const chunks = [
      ...summary,
      ...text.map((delta) => ({ type: "response.output_text.delta", output_index: 0, delta })),
      ...(text.length > 0 ? [{ type: "response.output_item.done", output_index: 0, item: message }] : []),
      ...calls.flatMap(({ id, pieces }, index) => {
        const output_index = firstCall + index;
        const item = items[output_index] ?? {};
        const item_id = `fc_${id}`;
        return [
          { type: "response.output_item.added", output_index, item: { ...item, arguments: "" } },
          ...pieces.map((delta) => ({ type: "response.function_call_arguments.delta", item_id, output_index, delta })),
          ...(isUnfinished({ calls, isCut }, index) ? [] : [{ type: "response.output_item.done", output_index, item }]),
        ];
      }),
    ];
    if (error !== undefined) return [...chunks, { type: "error", message: error }];
    const usage = { input_tokens: 1, output_tokens: chunks.length };
    if (isCut) {
      const incomplete_details = { reason: "max_output_tokens" };
      return [
        ...chunks,
        { type: "response.incomplete", response: { status: "incomplete", incomplete_details, usage } },
      ];
    }
    return [...chunks, { type: "response.completed", response: { status: "completed", output: items, usage } }];
  },

  anthropic({ text, reasoning, calls, isCut, error }) {
    let blockCount = 0;
    /** The events of the next content block. */
    const block = (content_block: object, deltas: readonly object[]) => {
      const index = blockCount;
      blockCount += 1;
      return [
        { type: "content_block_start", index, content_block },
        ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
        { type: "content_block_stop", index },
      ];
    };
    const thinking = reasoning.map((thinking) => ({ type: "thinking_delta", thinking }));
    // Thinking ends with a signature, which clients must send back. It is opaque, in Base64.
    const signature = { type: "signature_delta", signature: "c2lnbmVk" };
    const chunks = [
      { type: "message_start", message: { role: "assistant", content: [], usage: { input_tokens: 1 } } },
      ...(reasoning.length > 0 ? block({ type: "thinking", thinking: "" }, [...thinking, signature]) : []),
      ...(text.length > 0
        ? block(
            { type: "text", text: "" },
            text.map((text) => ({ type: "text_delta", text })),
          )
        : []),
      ...calls.flatMap(({ id, name, pieces }) =>
        block(
          { type: "tool_use", id, name, input: {} },
          pieces.map((partial_json) => ({ type: "input_json_delta", partial_json })),
        ),
      ),
    ];
    if (error !== undefined) return [...chunks, { type: "error", error: { type: "api_error", message: error } }];
    const stop_reason = isCut ? "max_tokens" : calls.length > 0 ? "tool_use" : "end_turn";
    const usage = { output_tokens: chunks.length };
    return [...chunks, { type: "message_delta", delta: { stop_reason }, usage }, { type: "message_stop" }];
  },

  gemini({ text, reasoning, calls, isCut, error }) {
    const chunk = (parts: object[], candidate: object = {}) => ({
      candidates: [{ content: { role: "model", parts }, ...candidate }],
    });
    const chunks: object[] = [
      ...reasoning.map((text) => chunk([{ text, thought: true }])),
      ...text.map((text) => chunk([{ text }])),
      // Gemini sends a call in one chunk: a call whose arguments are cut off never arrives.
      ...calls.flatMap(({ id, name, args }) => {
        const value = valueOfJson(args);
        return value === undefined ? [] : [chunk([{ functionCall: { id, name, args: value } }])];
      }),
    ];
    if (error !== undefined) return [...chunks, { error: { code: 500, message: error } }];
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: chunks.length };
    return [...chunks, { ...chunk([], { finishReason: isCut ? "MAX_TOKENS" : "STOP" }), usageMetadata }];
  },

  "ai-sdk"({ text, reasoning, calls, isCut, error }) {
    const chunks = [
      { type: "start" },
      ...reasoning.map((delta) => ({ type: "reasoning-delta", id: "r", delta })),
      ...text.map((delta) => ({ type: "text-delta", id: "t", delta })),
      ...calls.flatMap(({ id, name, args, pieces }, index) => [
        { type: "tool-input-start", toolCallId: id, toolName: name },
        ...pieces.map((inputTextDelta) => ({ type: "tool-input-delta", toolCallId: id, inputTextDelta })),
        ...(isUnfinished({ calls, isCut }, index)
          ? []
          : [{ type: "tool-input-available", toolCallId: id, toolName: name, input: valueOfJson(args) ?? args }]),
      ]),
    ];
    if (error !== undefined) return [...chunks, { type: "error", errorText: error }];
    const totalUsage = { inputTokens: 1, outputTokens: chunks.length };
    return [...chunks, { type: "finish", finishReason: isCut ? "length" : "stop", totalUsage }];
  },

  /** Chat text: calls become tool blocks. A call that is cut off, or whose arguments are no JSON, has no closing fence. */
  text({ text, calls, isCut, error }) {
    const blocks = calls.map(({ name, args }, index) => {
      const value = valueOfJson(args);
      const isComplete = value !== undefined && !isUnfinished({ calls, isCut }, index);
      // In the text of the arguments, `tool` is put after the opening brace.
      const json = isComplete
        ? JSON.stringify({ tool: name, ...value })
        : `{"tool": ${JSON.stringify(name)}, ${args.slice(1)}`;
      return `\n\n\`\`\`json\n${json}${isComplete ? "\n```\n" : ""}`;
    });
    return [...text, ...blocks, ...(error === undefined ? [] : [new Error(error)])];
  },
};

/** The value of a JSON text; `undefined` if it is none. */
function valueOfJson(text: string): object | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
