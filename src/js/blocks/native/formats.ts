/** Reads the chunks of each provider: which step of which tool call each one is. */
import { isObject, isText } from "../../core/kinds.js";
import { PROVIDER_FORMATS, type ProviderFormat } from "../../definitions/provider-formats.js";
import type { PartialArgument } from "./partial-arguments.js";

/**
 * The beginning of a call in a chunk. `key` is the provider's key for the call, which may differ from its id; without a
 * key the chunk belongs to the call that began last. Fields may arrive later, or never.
 */
export interface Begin {
  do: "begin";
  key: string | undefined;
  id?: string | undefined;
  tool?: string | undefined;
  /** The arguments, where they come as a value or as one text. They count if none come in pieces. */
  whole?: unknown;
  /** The provider may repeat the call after its end. */
  mayRepeat?: boolean;
}

export type CallStep =
  | Begin
  | { do: "more"; key: string | undefined; text: string }
  /** Values of the arguments, each with its place. */
  | { do: "values"; key: string | undefined; values: readonly PartialArgument[] }
  /** The call is over; `whole` counts if its arguments did not come in pieces. */
  | { do: "end"; key: string | undefined; whole?: unknown }
  /** All calls whose keys begin so are over, but for one; or the answer was `cut` off there. */
  | { do: "end-all"; prefix: string; but?: string | undefined; cut?: boolean };

/** The provider formats, Ollama's, and `"openai-chat"`, an older name of `"openai"`. Chat text has no native calls. */
export type NativeFormat = ProviderFormat | "ollama" | "openai-chat";

/** Prefix of the keys of AG-UI calls in chunks, which end with the next event of another kind. */
const PENDING = "chunk:";

type Chunk = { readonly [key: string]: unknown };

/** An id or a key: some servers number them, some send null or an empty text for none. */
const toKey = (value: unknown): string | undefined =>
  (isText(value) && value !== "") || typeof value === "number" ? String(value) : undefined;
const toName = (value: unknown): string | undefined => (isText(value) && value !== "" ? value : undefined);

const begun = (key: unknown, id: unknown, tool: unknown, whole?: unknown): Begin => ({
  do: "begin",
  key: toKey(key),
  id: toKey(id),
  tool: toName(tool),
  whole,
});
/** No step for a chunk without a call. */
const begin = (key: unknown, id: unknown, tool: unknown, whole?: unknown): Begin[] => {
  const step = begun(key, id, tool, whole);
  return step.id === undefined && step.tool === undefined && whole === undefined ? [] : [step];
};
/** A piece of the arguments; as an object, all of them. */
const more = (key: unknown, piece: unknown): CallStep[] => {
  if (isObject(piece)) return begin(key, undefined, undefined, piece);
  return isText(piece) && piece !== "" ? [{ do: "more", key: toKey(key), text: piece }] : [];
};
const end = (key: unknown, whole?: unknown): CallStep[] => [{ do: "end", key: toKey(key), whole }];
/** A call that comes in one chunk. */
const whole = (key: unknown, id: unknown, tool: unknown, args: unknown, mayRepeat = true): CallStep[] => [
  { ...begun(key, id, tool), mayRepeat },
  ...end(key, args),
];
/** A finished response item: some servers send the arguments only here. */
const done = (item: unknown, place: unknown): CallStep[] => {
  const { type, id, call_id, name, arguments: args } = toChunk(item);
  return type === "function_call" ? whole(itemKey(id, place), call_id ?? id, name, args) : [];
};
/** Servers that leave the ids of items out number them. */
const itemKey = (id: unknown, place: unknown): string | undefined =>
  toKey(id) ?? (place === undefined ? undefined : `#${place}`);

type Reader = (chunk: Chunk) => CallStep[];

/** By format and by type of chunk. */
const TYPED: { readonly [format: string]: { readonly [type: string]: Reader } } = {
  // The parts of `fullStream` have an id, those of a UI message stream a toolCallId. Version 4 says args for input.
  "ai-sdk": {
    "tool-input-start": ({ id, toolCallId = id, toolName }) => begin(toolCallId, toolCallId, toolName),
    "tool-input-delta": ({ id, toolCallId = id, delta, inputTextDelta = delta }) => more(toolCallId, inputTextDelta),
    "tool-input-end": ({ id, toolCallId = id }) => end(toolCallId),
    "tool-input-available": ({ toolCallId, toolName, input }) => whole(toolCallId, toolCallId, toolName, input),
    // The invalid arguments as the model sent them.
    "tool-input-error": ({ toolCallId, toolName, input = "[]" }) => whole(toolCallId, toolCallId, toolName, input),
    "tool-call": ({ toolCallId, toolName, args, input = args }) => whole(toolCallId, toolCallId, toolName, input),
    "tool-call-streaming-start": ({ toolCallId, toolName }) => begin(toolCallId, toolCallId, toolName),
    "tool-call-delta": ({ toolCallId, argsTextDelta }) => more(toolCallId, argsTextDelta),
  },
  "openai-responses": {
    "response.output_item.added": ({ item, output_index }) => {
      const { type, id, call_id, name } = toChunk(item);
      return type === "function_call" ? begin(itemKey(id, output_index), call_id ?? id, name) : [];
    },
    "response.function_call_arguments.delta": ({ item_id, output_index, delta }) =>
      more(itemKey(item_id, output_index), delta),
    "response.function_call_arguments.done": ({ item_id, output_index, arguments: whole }) =>
      end(itemKey(item_id, output_index), whole),
    "response.output_item.done": ({ item, output_index }) => done(item, output_index),
    "response.completed": ({ response }) => toList(toChunk(response).output).flatMap(done),
  },
  anthropic: {
    content_block_start: ({ index, content_block }) => {
      const { type, id, name, input } = toChunk(content_block);
      // Anthropic sends an empty object before the arguments arrive.
      const isKnown = !isObject(input) || Object.keys(input).length > 0;
      return type === "tool_use" ? begin(index, id, name, isKnown ? input : undefined) : [];
    },
    content_block_delta: ({ index, delta }) => {
      const { type, partial_json } = toChunk(delta);
      return type === "input_json_delta" ? more(index, partial_json) : [];
    },
    // Blocks of text end too.
    content_block_stop: ({ index }) => end(index),
  },
  "ag-ui": {
    TOOL_CALL_START: ({ toolCallId, toolCallName }) => begin(toolCallId, toolCallId, toolCallName),
    TOOL_CALL_ARGS: ({ toolCallId, delta }) => more(toolCallId, delta),
    TOOL_CALL_END: ({ toolCallId }) => end(toolCallId),
    // Start, arguments and end in one. Only the first of a call must say whose it is.
    TOOL_CALL_CHUNK: ({ toolCallId, toolCallName, delta }) => {
      const id = toKey(toolCallId);
      const isNamed = toName(toolCallName) !== undefined;
      const key = id !== undefined || isNamed ? PENDING + (id ?? "") : undefined;
      return [
        ...(!isNamed ? [] : [{ do: "end-all" as const, prefix: "", but: key }]),
        ...begin(key, id, toolCallName),
        ...more(key, delta),
      ];
    },
    RUN_FINISHED: () => [{ do: "end-all", prefix: "" }],
  },
};

/** By format, for chunks without types. */
const UNTYPED: { readonly [format: string]: Reader } = {
  openai: ({ choices }) => toList(choices).flatMap(choice),
  gemini: ({ candidates }) =>
    toList(candidates)
      .flatMap(({ content }) => toList(toChunk(content).parts))
      .flatMap(({ functionCall }) => (functionCall === undefined ? [] : geminiCall(toChunk(functionCall)))),
  mcp: ({ id, method, params }) => {
    const { name, arguments: args } = toChunk(params);
    return method === "tools/call" ? whole(id, id, name, args ?? {}, false) : [];
  },
  ollama: ({ message }) =>
    toList(toChunk(message).tool_calls).flatMap(({ id, function: called }) => {
      const { name, arguments: args } = toChunk(called);
      return whole(id, id, name, args, false);
    }),
};

/** A choice of a chat completion: of a chunk its `delta`, of a whole answer its `message`. */
function choice({ index, delta, message, finish_reason }: Chunk): CallStep[] {
  const prefix = `${index ?? 0}:`;
  const { tool_calls, function_call } = toChunk(delta ?? message);
  const steps = toList(tool_calls).flatMap((call, place): CallStep[] => {
    // Some servers that speak this format leave the index out. What has no name either belongs to the last call.
    const isNamed = place > 0 || toName(toChunk(call.function).name) !== undefined;
    const key = toKey(call.index) ?? toKey(call.id) ?? (isNamed ? String(place) : undefined);
    return called(key === undefined ? undefined : prefix + key, call.id, call.function);
  });
  // The older form: one call for each answer, without an id.
  if (function_call !== undefined) steps.push(...called(`${prefix}function_call`, undefined, function_call));
  const cut = finish_reason === "length" || finish_reason === "content_filter";
  return isText(finish_reason) ? [...steps, { do: "end-all", prefix, cut }] : steps;
}

/** A call comes whole, or with `willContinue` in parts: its name, values of its arguments, and a last part that is empty. */
function geminiCall({ id, name, args, partialArgs, willContinue }: Chunk): CallStep[] {
  const isFirst = toName(name) !== undefined;
  const isWhole = (isFirst || args !== undefined) && partialArgs === undefined && willContinue !== true;
  if (isWhole) return whole(id, id, name, args, false);
  const values = toList(partialArgs);
  return [
    ...(isFirst ? begin(id, id, name, args) : []),
    ...(values.length > 0 ? [{ do: "values" as const, key: toKey(id), values }] : []),
    ...(willContinue === true ? [] : end(id)),
  ];
}

function called(key: string | undefined, id: unknown, call: unknown): CallStep[] {
  const { name, arguments: args } = toChunk(call);
  return isText(args) ? [...begin(key, id, name), ...more(key, args)] : begin(key, id, name, args ?? undefined);
}

export const NATIVE_FORMATS: readonly string[] = [...PROVIDER_FORMATS, "ollama"];

/** The steps of tool calls in a chunk; empty for other chunks. */
export function stepsOf(format: string, chunk: Chunk): CallStep[] {
  const table = TYPED[format];
  if (table === undefined) return UNTYPED[format]?.(chunk) ?? [];
  const { type } = chunk;
  if (!isText(type)) return [];
  const steps = Object.hasOwn(table, type) ? (table[type]?.(chunk) ?? []) : [];
  // A call in chunks has no end of its own: whatever else happens in the run is its end.
  const isOver = format === "ag-ui" && !/^(TOOL_CALL_CHUNK|RAW|ACTIVITY_.*)$/.test(type);
  return isOver ? [{ do: "end-all", prefix: PENDING }, ...steps] : steps;
}

function toChunk(value: unknown): Chunk {
  return isObject(value) ? value : {};
}

function toList(value: unknown): Chunk[] {
  return Array.isArray(value) ? value.map(toChunk) : [];
}
