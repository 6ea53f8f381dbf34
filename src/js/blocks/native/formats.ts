/** Reads the chunks of each provider as steps of tool calls. */
import { isObject, isText } from "../../core/kinds.js";
import { PROVIDER_FORMATS, type ProviderFormat } from "../../definitions/provider-formats.js";
import { agUiReader } from "./ag-ui.js";
import {
  begin,
  beginStep,
  type CallStep,
  type Chunk,
  end,
  more,
  type Reader,
  toChunk,
  toKey,
  toList,
  toName,
} from "./steps.js";

/** The provider formats, Ollama's, and `"openai-chat"`, an older name of `"openai"`. Chat text has no native calls. */
export type NativeFormat = ProviderFormat | "ollama" | "openai-chat";

/** A call that comes in one chunk. */
const whole = (key: unknown, id: unknown, tool: unknown, args: unknown, mayRepeat = true): CallStep[] => [
  { ...beginStep(key, id, tool), mayRepeat },
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

/** By format and by type of chunk. */
const TYPED: { readonly [format: string]: { readonly [type: string]: Reader } } = {
  // The parts of `stream` have an id, those of a UI message stream a toolCallId. Version 4 says args for input. The input of a
  // finished call replaces what its deltas said: it may be repaired or refined.
  "ai-sdk": {
    "tool-input-start": ({ id, toolCallId = id, toolName, providerExecuted }) => {
      if (providerExecuted === true) return skip(toolCallId);
      return previewed(toolCallId, toolName);
    },
    "tool-input-delta": ({ id, toolCallId = id, delta, inputTextDelta = delta }) => more(toolCallId, inputTextDelta),
    "tool-input-end": ({ id, toolCallId = id }) => (toKey(toolCallId) === undefined ? end(undefined) : []),
    "tool-input-available": checkedCall,
    "tool-input-error": (chunk) => checkedCall({ ...chunk, invalid: true }),
    "tool-call": checkedCall,
    "tool-call-streaming-start": ({ toolCallId, toolName }) => previewed(toolCallId, toolName),
    "tool-call-delta": ({ toolCallId, argsTextDelta }) => more(toolCallId, argsTextDelta),
    // The step is tried again: what it has sent does not count.
    "reset-step": () => [{ do: "end-all", prefix: "", cut: true }],
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
    // A block of text ends too: such a step has no effect.
    content_block_stop: ({ index }) => end(index),
  },
};

/** The beginning of a call whose input the AI SDK checks, by the id of the call. */
const previewed = (id: unknown, tool: unknown): CallStep[] =>
  begin(id, id, tool).map((step) => ({ ...step, isPreview: step.id !== undefined }));
const skip = (key: unknown): CallStep[] => [{ do: "skip", key: toKey(key) }];

/** A call of the AI SDK whose input is checked. */
function checkedCall({
  toolCallId,
  toolName,
  args,
  input = args,
  invalid,
  providerExecuted,
  error,
  errorText,
}: Chunk): CallStep[] {
  if (providerExecuted === true) return skip(toolCallId);
  const { message = errorText ?? error } = toChunk(error);
  const { key, id, tool } = beginStep(toolCallId, toolCallId, toolName);
  const fault = invalid === true ? { fault: String(message ?? "The AI SDK refuses the input of this call.") } : {};
  return [{ do: "settle", key, id, tool, whole: input, ...fault }];
}

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

/** Reads the steps of tool calls in the chunks of one stream; a chunk without calls has none. */
export function readerOf(format: string): Reader {
  if (format === "ag-ui") return agUiReader();
  const table = TYPED[format];
  if (table === undefined) return UNTYPED[format] ?? (() => []);
  return (chunk) => {
    const { type } = chunk;
    return isText(type) && Object.hasOwn(table, type) ? (table[type]?.(chunk) ?? []) : [];
  };
}
