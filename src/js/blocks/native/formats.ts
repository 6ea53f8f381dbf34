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

/** The steps of a call that comes in one chunk. */
const wholeCall = (id: unknown, tool: unknown, args: unknown): CallStep[] => [
  beginStep(id, id, tool),
  ...end(id, args),
];
/** The steps of a finished item of a response. It may repeat a call, but some servers send the arguments only here. */
const finishedItem = (item: unknown, index: unknown): CallStep[] => {
  const { type, id, call_id, name, arguments: args } = toChunk(item);
  const key = itemKey(id, index);
  return type === "function_call"
    ? [{ ...beginStep(key, call_id ?? id, name), mayRepeat: true }, ...end(key, args)]
    : [];
};
/** The key of a response item in the steps. Servers that leave the ids of items out number the items. */
const itemKey = (id: unknown, index: unknown): string | undefined =>
  toKey(id) ?? (index === undefined ? undefined : `#${index}`);

/** The readers of formats whose chunks have types: by format and by type. A chunk of any other type has no calls. */
const TYPED: { readonly [format: string]: { readonly [type: string]: Reader } } = {
  // Parts of `stream` have an `id`, parts of a UI message stream a `toolCallId`. Version 4 has `args` in place of `input`. The AI
  // SDK may have repaired the input of a finished call, which therefore replaces the text of the deltas.
  "ai-sdk": {
    "tool-input-start": ({ id, toolCallId = id, toolName, providerExecuted }) => {
      if (providerExecuted === true) return skip(toolCallId);
      return beginPreview(toolCallId, toolName);
    },
    "tool-input-delta": ({ id, toolCallId = id, delta, inputTextDelta = delta }) => more(toolCallId, inputTextDelta),
    // A call with an id ends with its checked input.
    "tool-input-end": ({ id, toolCallId = id }) => (toKey(toolCallId) === undefined ? end(undefined) : []),
    "tool-input-available": checkedCall,
    "tool-input-error": (chunk) => checkedCall({ ...chunk, invalid: true }),
    "tool-call": checkedCall,
    "tool-call-streaming-start": ({ toolCallId, toolName }) => beginPreview(toolCallId, toolName),
    "tool-call-delta": ({ toolCallId, argsTextDelta }) => more(toolCallId, argsTextDelta),
    // The AI SDK tries the step again, so its open calls do not count. An empty prefix: all calls.
    "reset-step": () => [{ do: "end-all", prefix: "", cut: true }],
  },
  "openai-responses": {
    "response.output_item.added": ({ item, output_index }) => {
      const { type, id, call_id, name } = toChunk(item);
      return type === "function_call" ? begin(itemKey(id, output_index), call_id ?? id, name) : [];
    },
    "response.function_call_arguments.delta": ({ item_id, output_index, delta }) =>
      more(itemKey(item_id, output_index), delta),
    "response.function_call_arguments.done": ({ item_id, output_index, arguments: args }) =>
      end(itemKey(item_id, output_index), args),
    "response.output_item.done": ({ item, output_index }) => finishedItem(item, output_index),
    "response.completed": ({ response }) => toList(toChunk(response).output).flatMap(finishedItem),
  },
  anthropic: {
    content_block_start: ({ index, content_block }) => {
      const { type, id, name, input } = toChunk(content_block);
      // Anthropic sends an empty object before the arguments arrive.
      const isEmpty = isObject(input) && Object.keys(input).length === 0;
      return type === "tool_use" ? begin(index, id, name, isEmpty ? undefined : input) : [];
    },
    content_block_delta: ({ index, delta }) => {
      const { type, partial_json } = toChunk(delta);
      return type === "input_json_delta" ? more(index, partial_json) : [];
    },
    // A block of text ends too: such a step has no effect.
    content_block_stop: ({ index }) => end(index),
  },
};

/** The beginning of a call whose input the AI SDK will check. Without an id, the call cannot be found again: it is no preview. */
const beginPreview = (id: unknown, tool: unknown): CallStep[] =>
  begin(id, id, tool).map((step) => ({ ...step, isPreview: step.id !== undefined }));
const skip = (key: unknown): CallStep[] => [{ do: "skip", key: toKey(key) }];

/** A call whose input the AI SDK has checked, with its error if it is `invalid`. */
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
  // The error is an object with a message, or a text.
  const { message = errorText ?? error } = toChunk(error);
  const { key, id, tool } = beginStep(toolCallId, toolCallId, toolName);
  const fault = invalid === true ? { fault: String(message ?? "The AI SDK refuses the input of this call.") } : {};
  return [{ do: "settle", key, id, tool, whole: input, ...fault }];
}

/** The readers of formats whose chunks have no types. */
const UNTYPED: { readonly [format: string]: Reader } = {
  openai: ({ choices }) => toList(choices).flatMap(choice),
  gemini: ({ candidates }) =>
    toList(candidates)
      .flatMap(({ content }) => toList(toChunk(content).parts))
      .flatMap(({ functionCall }) => (functionCall === undefined ? [] : geminiCall(toChunk(functionCall)))),
  mcp: ({ id, method, params }) => {
    const { name, arguments: args } = toChunk(params);
    return method === "tools/call" ? wholeCall(id, name, args ?? {}) : [];
  },
  ollama: ({ message }) =>
    toList(toChunk(message).tool_calls).flatMap(({ id, function: call }) => {
      const { name, arguments: args } = toChunk(call);
      return wholeCall(id, name, args);
    }),
};

/** A choice of a chat completion: of a chunk its `delta`, of a whole answer its `message`. */
function choice({ index, delta, message, finish_reason }: Chunk): CallStep[] {
  // The keys of the calls of a choice begin with its index.
  const prefix = `${index ?? 0}:`;
  const { tool_calls, function_call } = toChunk(delta ?? message);
  const steps = toList(tool_calls).flatMap((call, position): CallStep[] => {
    // Some servers leave the index out. Then the first entry continues the last call, unless it has an id or a name.
    const isOwnCall = position > 0 || toName(toChunk(call.function).name) !== undefined;
    const key = toKey(call.index) ?? toKey(call.id) ?? (isOwnCall ? String(position) : undefined);
    return openaiCall(key === undefined ? undefined : prefix + key, call.id, call.function);
  });
  // The older form: one call for each answer, without an id.
  if (function_call !== undefined) steps.push(...openaiCall(`${prefix}function_call`, undefined, function_call));
  const cut = finish_reason === "length" || finish_reason === "content_filter";
  return isText(finish_reason) ? [...steps, { do: "end-all", prefix, cut }] : steps;
}

/** A call comes whole, or with `willContinue` in parts: its name, values of its arguments, and a last part that is empty. */
function geminiCall({ id, name, args, partialArgs, willContinue }: Chunk): CallStep[] {
  const isFirst = toName(name) !== undefined;
  const isWhole = (isFirst || args !== undefined) && partialArgs === undefined && willContinue !== true;
  if (isWhole) return wholeCall(id, name, args);
  const values = toList(partialArgs);
  return [
    ...(isFirst ? begin(id, id, name, args) : []),
    ...(values.length > 0 ? [{ do: "values" as const, key: toKey(id), values }] : []),
    ...(willContinue === true ? [] : end(id)),
  ];
}

/** The beginning of a call with a piece of its arguments, or with all of them as a value. */
function openaiCall(key: string | undefined, id: unknown, call: unknown): CallStep[] {
  const { name, arguments: args } = toChunk(call);
  return isText(args) ? [...begin(key, id, name), ...more(key, args)] : begin(key, id, name, args ?? undefined);
}

/** All values of {@link NativeFormat} but the older name. */
export const NATIVE_FORMATS: readonly string[] = [...PROVIDER_FORMATS, "ollama"];

/** Reads the steps of tool calls in the chunks of one stream; a chunk without calls has none. */
export function readerOf(format: string): Reader {
  if (format === "ag-ui") return agUiReader();
  const table = TYPED[format];
  // The format "text" has no reader.
  if (table === undefined) return UNTYPED[format] ?? (() => []);
  return (chunk) => {
    const { type } = chunk;
    return isText(type) && Object.hasOwn(table, type) ? (table[type]?.(chunk) ?? []) : [];
  };
}
