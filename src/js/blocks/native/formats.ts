/** Reads the chunks of each provider: which step of which tool call each one is. */
import { isText } from "../../core/kinds.js";

/** A call begins. `key` is what the chunks call it, which need not be its id; `whole` are its arguments, if known. */
export type Begin = { do: "begin"; key: string; id: string; tool: string; whole?: unknown };

export type CallStep =
  | Begin
  | { do: "more"; key: string; text: string }
  /** The call is over; `whole` counts if its arguments did not come in pieces. */
  | { do: "end"; key: string; whole?: unknown }
  /** All calls whose keys begin so are over, but for one; or the answer was `cut` off there. */
  | { do: "end-all"; prefix: string; but?: string; cut?: boolean };

export type NativeFormat = "ai-sdk" | "openai-chat" | "openai-responses" | "anthropic" | "ag-ui";

/** The key of a piece that does not say whose it is: that of the call that began last. */
export const LAST = "";

/** What the keys of calls in chunks of AG-UI begin with: what comes next ends these. */
const PENDING = "chunk:";

type Chunk = { readonly [key: string]: unknown };

const begin = (key: unknown, id: unknown, tool: unknown, whole?: unknown): CallStep[] =>
  isText(id) && isText(tool) ? [{ do: "begin", key: String(key), id, tool, whole }] : [];
const more = (key: unknown, text: unknown): CallStep[] =>
  isText(text) && text !== "" ? [{ do: "more", key: String(key), text }] : [];
const end = (key: unknown, whole?: unknown): CallStep[] => [{ do: "end", key: String(key), whole }];
/** A call that comes in one chunk. */
const whole = (key: unknown, id: unknown, tool: unknown, args: unknown): CallStep[] => [
  ...begin(key, id, tool),
  ...end(key, args),
];
/** An item of a response that is over: some servers tell of its arguments here alone. */
const done = (item: unknown): CallStep[] => {
  const { type, id, call_id, name, arguments: args } = toChunk(item);
  return type === "function_call" ? whole(id, call_id, name, args) : [];
};

/** By format and by type of chunk; OpenAI's chat completions have no types. */
const TABLE: Record<Exclude<NativeFormat, "openai-chat">, Record<string, (chunk: Chunk) => CallStep[]>> = {
  // The parts of `fullStream` have an id, those of a UI message stream a toolCallId. Version 4 says args for input.
  "ai-sdk": {
    "tool-input-start": ({ id, toolCallId = id, toolName }) => begin(toolCallId, toolCallId, toolName),
    "tool-input-delta": ({ id, toolCallId = id, delta, inputTextDelta = delta }) => more(toolCallId, inputTextDelta),
    "tool-input-end": ({ id }) => end(id),
    "tool-input-available": ({ toolCallId, toolName, input }) => whole(toolCallId, toolCallId, toolName, input),
    // What the model sent as arguments, although it is none.
    "tool-input-error": ({ toolCallId, toolName, input = "null" }) => whole(toolCallId, toolCallId, toolName, input),
    "tool-call": ({ toolCallId, toolName, args, input = args }) => whole(toolCallId, toolCallId, toolName, input),
    "tool-call-streaming-start": ({ toolCallId, toolName }) => begin(toolCallId, toolCallId, toolName),
    "tool-call-delta": ({ toolCallId, argsTextDelta }) => more(toolCallId, argsTextDelta),
  },
  "openai-responses": {
    "response.output_item.added": ({ item }) => {
      const { type, id, call_id, name } = toChunk(item);
      return type === "function_call" ? begin(id, call_id, name) : [];
    },
    "response.function_call_arguments.delta": ({ item_id, delta }) => more(item_id, delta),
    "response.function_call_arguments.done": ({ item_id, arguments: whole }) => end(item_id, whole),
    "response.output_item.done": ({ item }) => done(item),
    "response.completed": ({ response }) => toList(toChunk(response).output).flatMap(done),
  },
  anthropic: {
    content_block_start: ({ index, content_block }) => {
      const { type, id, name, input } = toChunk(content_block);
      return type === "tool_use" ? begin(index, id, name, input) : [];
    },
    content_block_delta: ({ index, delta }) => {
      const { type, partial_json } = toChunk(delta);
      return type === "input_json_delta" ? more(index, partial_json) : [];
    },
    content_block_stop: ({ index }) => end(index),
  },
  "ag-ui": {
    TOOL_CALL_START: ({ toolCallId, toolCallName }) => begin(toolCallId, toolCallId, toolCallName),
    TOOL_CALL_ARGS: ({ toolCallId, delta }) => more(toolCallId, delta),
    TOOL_CALL_END: ({ toolCallId }) => end(toolCallId),
    // Start, arguments and end in one. Only the first of a call must say whose it is.
    TOOL_CALL_CHUNK: ({ toolCallId, toolCallName, delta }) => {
      const key = toolCallId === undefined ? LAST : PENDING + String(toolCallId);
      return [
        ...(isText(toolCallName) ? [{ do: "end-all" as const, prefix: "", but: key }] : []),
        ...begin(key, toolCallId, toolCallName),
        ...more(key, delta),
      ];
    },
    RUN_FINISHED: () => [{ do: "end-all", prefix: "" }],
  },
};

function chat({ choices }: Chunk): CallStep[] {
  return toList(choices).flatMap((choice) => {
    const { index = 0, delta, finish_reason } = choice;
    const prefix = `${index}:`;
    const steps = toList(toChunk(delta).tool_calls).flatMap((call): CallStep[] => {
      const { name, arguments: text } = toChunk(call.function);
      // Some servers that speak this format leave the index of a whole call out.
      const key = prefix + String(call.index ?? call.id ?? 0);
      return [...begin(key, call.id, name), ...more(key, text)];
    });
    const cut = finish_reason === "length" || finish_reason === "content_filter";
    return isText(finish_reason) ? [...steps, { do: "end-all", prefix, cut }] : steps;
  });
}

export const NATIVE_FORMATS: readonly string[] = ["openai-chat", ...Object.keys(TABLE)];

/** What a chunk says of tool calls; nothing for one that speaks of something else. */
export function stepsOf(format: NativeFormat, chunk: object): CallStep[] {
  if (format === "openai-chat") return chat(chunk as Chunk);
  const { type } = chunk as Chunk;
  if (!isText(type)) return [];
  const table = TABLE[format];
  const steps = Object.hasOwn(table, type) ? (table[type]?.(chunk as Chunk) ?? []) : [];
  // A call in chunks has no end of its own: whatever else happens in the run is its end.
  const isOver = format === "ag-ui" && !/^(TOOL_CALL_CHUNK|RAW|ACTIVITY_.*)$/.test(type);
  return isOver ? [{ do: "end-all", prefix: PENDING }, ...steps] : steps;
}

function toChunk(value: unknown): Chunk {
  return typeof value === "object" && value !== null ? (value as Chunk) : {};
}

function toList(value: unknown): Chunk[] {
  return Array.isArray(value) ? value.map(toChunk) : [];
}
