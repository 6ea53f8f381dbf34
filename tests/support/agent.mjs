/** Calls of agents in every form in which they arrive: blocks in chat text, chunks of providers, requests. */
import { NativeCallStream, ToolBlockStream } from "genui-patch";

/** A text split into pieces; by default anywhere. */
export function pieces(text, length = () => 7) {
  const cut = [];
  for (let at = 0; at < text.length; ) {
    const end = at + Math.max(1, length());
    cut.push(text.slice(at, end));
    at = end;
  }
  return cut;
}

/** A call as a model writes it in chat. */
export const block = ({ name, arguments: args }) =>
  `\`\`\`json\n${JSON.stringify({ tool: name, ...args }, null, 2)}\n\`\`\`\n`;

/** The chunks in which each provider streams calls `{id, name, arguments}`. */
export const CHUNKS = {
  "ai-sdk": (calls, cut) =>
    calls.flatMap(({ id, name, arguments: args }) => [
      { type: "tool-input-start", id, toolName: name },
      ...cut(JSON.stringify(args)).map((delta) => ({ type: "tool-input-delta", id, delta })),
      { type: "tool-input-end", id },
      { type: "tool-call", toolCallId: id, toolName: name, input: args },
    ]),
  "openai-chat": (calls, cut) => [
    ...calls.flatMap(({ id, name, arguments: args }, index) => [
      chat({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
      ...cut(JSON.stringify(args)).map((text) => chat({ tool_calls: [{ index, function: { arguments: text } }] })),
    ]),
    chat({}, "tool_calls"),
  ],
  "openai-responses": (calls, cut) =>
    calls.flatMap(({ id, name, arguments: args }, output_index) => {
      const item = { type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: "" };
      const text = JSON.stringify(args);
      return [
        { type: "response.output_item.added", output_index, item },
        ...cut(text).map((delta) => ({ type: "response.function_call_arguments.delta", item_id: item.id, delta })),
        { type: "response.function_call_arguments.done", item_id: item.id, arguments: text },
        { type: "response.output_item.done", output_index, item: { ...item, arguments: text } },
      ];
    }),
  anthropic: (calls, cut) =>
    calls.flatMap(({ id, name, arguments: args }, index) => [
      { type: "content_block_start", index, content_block: { type: "tool_use", id, name, input: {} } },
      ...cut(JSON.stringify(args)).map((partial_json) => ({
        type: "content_block_delta",
        index,
        delta: { type: "input_json_delta", partial_json },
      })),
      { type: "content_block_stop", index },
    ]),
  "ag-ui": (calls, cut) =>
    calls.flatMap(({ id: toolCallId, name, arguments: args }) => [
      { type: "TOOL_CALL_START", toolCallId, toolCallName: name },
      ...cut(JSON.stringify(args)).map((delta) => ({ type: "TOOL_CALL_ARGS", toolCallId, delta })),
      { type: "TOOL_CALL_END", toolCallId },
    ]),
};

const chat = (delta, finish_reason = null) => ({
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason }],
});

/** The events of chunks of a provider. */
export function nativeEvents(agent, format, chunks) {
  const stream = new NativeCallStream({ format, tools: agent.blocks });
  const events = [...chunks.flatMap((chunk) => stream.push(chunk)), ...stream.end()];
  stream.dispose();
  return events;
}

/** The events of chat text that arrives in pieces. */
export function blockEvents(agent, chunks, options = {}) {
  const stream = new ToolBlockStream({ tools: agent.blocks, ...options });
  const events = [...chunks.flatMap((chunk) => stream.push(chunk)), ...stream.end()];
  stream.dispose();
  return events;
}

/** Executes the calls of all events, in order. */
export async function executeAll(agent, events, options) {
  const results = [];
  for (const event of events) results.push(...(await agent.executeBlock(event, options)));
  return results;
}
