/** `PROVIDERS`: how each provider's chunks are read, and how the answer becomes a message of the conversation again. */
import type { NativeFormat } from "../../blocks/native/formats.js";
import type { ToolBlockEndEvent } from "../../blocks/types.js";
import { isObject, isText, mapMembers } from "../../core/kinds.js";
import type { AgentTools, ReplyFormat } from "../types.js";
import type { RunFormat, RunMessage, TokenUsage } from "./types.js";

/** The contents of one chunk: members that it does not have are absent or empty. Tool calls are read by `NativeCallStream`. */
interface ChunkContent {
  text?: string;
  reasoning?: string;
  usage?: Partial<TokenUsage>;
  /** The provider stopped before the model was done: the limit of tokens, or a filter. */
  isCut?: boolean;
  /** The provider reports that it failed. */
  error?: string;
}

/**
 * A native call of the answer: the id that its result goes back under, its tool, and its arguments as the JSON text that arrived.
 */
export interface NativeCall {
  id: string;
  tool: string;
  args: string;
}

/** Collects the model's answer in the form in which the provider takes it back. */
export interface Assembler {
  /** Adds a chunk. `content` is what `read` found in it: some providers need only that, others the chunk. */
  add(chunk: Chunk, content: ChunkContent): void;
  /** The messages of the model's answer with these native calls; none for an empty answer. */
  messages(calls: readonly NativeCall[]): RunMessage[];
}

/** How a run talks to one provider. */
export interface Provider {
  /** The format of its tool calls; undefined if calls appear only in the text. */
  native?: NativeFormat;
  /** The format in which results of native calls are sent. */
  reply: ReplyFormat;
  /** The agent's definitions as this provider takes them. */
  tools(agent: AgentTools): readonly object[] | { readonly [tool: string]: object };
  /** Whether an object is one of this provider's chunks at all. */
  isChunk(chunk: Chunk): boolean;
  /** The contents of one chunk of the stream. */
  read(chunk: Chunk): ChunkContent;
  /** A new assembler, for one answer. */
  assembler(): Assembler;
  userMessage(text: string): RunMessage;
}

/** A chunk of a provider's stream. Nothing in it is checked. */
export type Chunk = { readonly [key: string]: unknown };

/** A value as an object whose members are unchecked; without members if it is none. */
export const membersOf = (value: unknown): Chunk => (isObject(value) ? value : {});
const toList = (value: unknown): Chunk[] => (Array.isArray(value) ? value.map(membersOf) : []);
/** Joins the values that are texts. */
const joinTexts = (parts: readonly unknown[]): string => parts.filter(isText).join("");

/**
 * The tokens in a provider's object. `input` and `output` are the names of its two members; empty for a count it does not have.
 */
function usageOf(usage: unknown, input: string, output: string): { usage?: Partial<TokenUsage> } {
  const { [input]: inputTokens, [output]: outputTokens } = membersOf(usage);
  const counts = {
    ...(typeof inputTokens === "number" && { inputTokens }),
    ...(typeof outputTokens === "number" && { outputTokens }),
  };
  return Object.keys(counts).length > 0 ? { usage: counts } : {};
}

/** The message of a provider's error: of a text, of an object with `message`, or of any other value as JSON. */
function errorOf(error: unknown): { error?: string } {
  if (error === undefined || error === null) return {};
  const { message } = membersOf(error);
  return { error: isText(error) ? error : isText(message) ? message : JSON.stringify(error) };
}

/** The arguments of a call as an object: empty if they are cut off or broken, which the result of the call says. */
function argumentsObject(args: string): object {
  try {
    const value: unknown = JSON.parse(args === "" ? "{}" : args);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

const userMessage = (content: string): RunMessage => ({ role: "user", content });

/** An assembler of text and calls, for the providers that take nothing else of an answer back. */
const textAndCalls = (write: (text: string, calls: readonly NativeCall[]) => RunMessage) => (): Assembler => {
  let text = "";
  return {
    add: (_, content) => {
      text += content.text ?? "";
    },
    messages: (calls) => (text === "" && calls.length === 0 ? [] : [write(text, calls)]),
  };
};

const openai: Provider = {
  native: "openai",
  reply: "openai",
  tools: (agent) => agent.definitions("openai"),
  isChunk: (chunk) => "choices" in chunk || "error" in chunk,
  read({ choices, usage, error }) {
    const [choice = {}] = toList(choices);
    // A stream has `delta`, an answer in one piece `message`. Servers disagree on the name of the reasoning.
    const { content, reasoning_content, reasoning, refusal } = membersOf(choice.delta ?? choice.message);
    return {
      text: joinTexts([content, refusal]),
      reasoning: joinTexts([reasoning_content ?? reasoning]),
      isCut: choice.finish_reason === "length" || choice.finish_reason === "content_filter",
      ...usageOf(usage, "prompt_tokens", "completion_tokens"),
      ...errorOf(error),
    };
  },
  assembler: textAndCalls((text, calls) => ({
    role: "assistant",
    content: text === "" ? null : text,
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, tool, args }) => ({
        id,
        type: "function",
        function: { name: tool, arguments: args === "" ? "{}" : args },
      })),
    }),
  })),
  userMessage,
};

const aiSdk: Provider = {
  native: "ai-sdk",
  reply: "ai-sdk",
  // Without `execute`: the calls are executed here, and `streamText` only asks the model.
  tools: (agent) => mapMembers(agent.definitions("ai-sdk"), ({ execute: _, ...tool }) => tool),
  isChunk: ({ type }) => isText(type),
  read({ type, text, delta, textDelta, error, errorText, totalUsage, finishReason }) {
    // The key differs between versions of the AI SDK, and between its two streams.
    const piece = joinTexts([text ?? delta ?? textDelta]);
    return {
      ...(type === "text-delta" && { text: piece }),
      ...(type === "reasoning-delta" && { reasoning: piece }),
      ...(type === "finish" && {
        ...usageOf(totalUsage, "inputTokens", "outputTokens"),
        isCut: finishReason === "length" || finishReason === "content-filter",
      }),
      ...(type === "error" && errorOf(error ?? errorText ?? "The stream reports an error.")),
    };
  },
  assembler: textAndCalls((text, calls) => ({
    role: "assistant",
    content: [
      ...(text === "" ? [] : [{ type: "text", text }]),
      ...calls.map(({ id, tool, args }) => ({
        type: "tool-call",
        toolCallId: id,
        toolName: tool,
        input: argumentsObject(args),
      })),
    ],
  })),
  userMessage,
};

const responses: Provider = {
  native: "openai-responses",
  reply: "openai-responses",
  tools: (agent) => agent.definitions("openai-responses"),
  isChunk: ({ type }) => isText(type) && (type.startsWith("response.") || type === "error"),
  read({ type, delta, response, error, message }) {
    const { usage, error: failure, status, incomplete_details } = membersOf(response);
    return {
      ...((type === "response.output_text.delta" || type === "response.refusal.delta") && { text: joinTexts([delta]) }),
      ...(type === "response.reasoning_summary_text.delta" && { reasoning: joinTexts([delta]) }),
      ...usageOf(usage, "input_tokens", "output_tokens"),
      isCut: type === "response.incomplete" || (status === "incomplete" && incomplete_details !== undefined),
      ...(type === "error" && errorOf(error ?? message ?? "The stream reports an error.")),
      ...(type === "response.failed" && errorOf(failure ?? "The response failed.")),
    };
  },
  /**
   * Items of the output go back as they came, since items of reasoning belong to the calls after them. The calls are last, and
   * only those with a result go back. Text and calls whose complete item never arrived get a new item.
   */
  assembler() {
    /** The complete items, by their index in the output. */
    const items = new Map<string, Chunk>();
    let text = "";
    const setItem = (item: unknown, index: unknown) => items.set(String(index), membersOf(item));
    return {
      add({ type, item, output_index, response }, content) {
        text += content.text ?? "";
        if (type === "response.output_item.done") setItem(item, output_index);
        if (type === "response.completed") toList(membersOf(response).output).forEach(setItem);
      },
      messages(calls) {
        const sortedItems = [...items.entries()].sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item);
        const otherItems = sortedItems.filter(({ type }) => type !== "function_call");
        const hasText = otherItems.some(({ type }) => type === "message");
        const message = { type: "message", role: "assistant", content: [{ type: "output_text", text }] };
        return [
          ...otherItems,
          ...(hasText || text === "" ? [] : [message]),
          ...calls.map(({ id, tool, args }) => {
            const item = sortedItems.find(({ type, call_id }) => type === "function_call" && call_id === id);
            return item ?? { type: "function_call", call_id: id, name: tool, arguments: args === "" ? "{}" : args };
          }),
        ];
      },
    };
  },
  userMessage,
};

const anthropic: Provider = {
  native: "anthropic",
  reply: "anthropic",
  tools: (agent) => agent.definitions("anthropic"),
  isChunk: ({ type }) => isText(type) && /^(message|content_block|ping|error)/.test(type),
  read({ type, delta, message, usage, error }) {
    const { type: kind, text, thinking, stop_reason } = membersOf(delta);
    return {
      ...(kind === "text_delta" && { text: joinTexts([text]) }),
      ...(kind === "thinking_delta" && { reasoning: joinTexts([thinking]) }),
      ...(type === "message_start" && usageOf(membersOf(message).usage, "input_tokens", "")),
      ...(type === "message_delta" && {
        ...usageOf(usage, "", "output_tokens"),
        isCut: stop_reason === "max_tokens" || stop_reason === "refusal",
      }),
      ...(type === "error" && errorOf(error ?? "The stream reports an error.")),
    };
  },
  /** Blocks of content go back in their order: blocks of thinking with their signatures, calls only if they have a result. */
  assembler() {
    /** The blocks of content, by their index in the message. */
    const blocks = new Map<unknown, { [key: string]: unknown }>();
    return {
      add({ type, index, content_block, delta }) {
        if (type === "content_block_start") blocks.set(index, { ...membersOf(content_block) });
        const block = blocks.get(index);
        if (type !== "content_block_delta" || block === undefined) return;
        for (const key of ["text", "thinking", "signature"]) {
          const piece = membersOf(delta)[key];
          if (isText(piece)) block[key] = joinTexts([block[key], piece]);
        }
      },
      messages(calls) {
        const content = [...blocks.values()].flatMap((block) => {
          // The provider refuses empty texts.
          if (block.type !== "tool_use") return block.type === "text" && block.text === "" ? [] : [block];
          const call = calls.find(({ id }) => id === block.id);
          return call ? [{ ...block, input: argumentsObject(call.args) }] : [];
        });
        return content.length === 0 ? [] : [{ role: "assistant", content }];
      },
    };
  },
  userMessage,
};

const gemini: Provider = {
  native: "gemini",
  reply: "gemini",
  tools: (agent) => agent.definitions("gemini"),
  isChunk: (chunk) => "candidates" in chunk || "usageMetadata" in chunk || "error" in chunk,
  read({ candidates, usageMetadata, error }) {
    const [candidate = {}] = toList(candidates);
    const parts = toList(membersOf(candidate.content).parts);
    return {
      text: joinTexts(parts.filter(({ thought }) => thought !== true).map(({ text }) => text)),
      reasoning: joinTexts(parts.filter(({ thought }) => thought === true).map(({ text }) => text)),
      isCut: isText(candidate.finishReason) && candidate.finishReason !== "STOP",
      ...usageOf(usageMetadata, "promptTokenCount", "candidatesTokenCount"),
      ...errorOf(error),
    };
  },
  /**
   * Parts go back as they came, with the signatures of thoughts; adjacent pieces of text are joined. Calls go back only if they
   * have a result. A call without an id gets the id of the first unmatched result of its tool.
   */
  assembler() {
    const parts: { [key: string]: unknown }[] = [];
    return {
      add({ candidates }) {
        const [candidate = {}] = toList(candidates);
        for (const part of toList(membersOf(candidate.content).parts)) {
          const lastPart = parts.at(-1);
          const isContinued =
            lastPart && isText(lastPart.text) && isText(part.text) && lastPart.thought === part.thought;
          if (isContinued) Object.assign(lastPart, part, { text: joinTexts([lastPart.text, part.text]) });
          else parts.push({ ...part });
        }
      },
      messages(calls) {
        const unmatched = [...calls];
        const sentParts = parts.flatMap((part) => {
          // A signature may come in a part without text.
          if (part.functionCall === undefined) return part.text === "" && !("thoughtSignature" in part) ? [] : [part];
          const { id, ...functionCall } = membersOf(part.functionCall);
          const index = unmatched.findIndex((call) => (isText(id) ? call.id === id : call.tool === functionCall.name));
          const [call] = index < 0 ? [] : unmatched.splice(index, 1);
          return call ? [{ ...part, functionCall: { id: call.id, ...functionCall } }] : [];
        });
        return sentParts.length === 0 ? [] : [{ role: "model", parts: sentParts }];
      },
    };
  },
  userMessage: (text) => ({ role: "user", parts: [{ text }] }),
};

/** Its chunks are texts, which `runAgent` reads itself: these functions get no other chunks. */
const text: Provider = {
  reply: "text",
  tools: () => [],
  isChunk: () => false,
  read: () => ({}),
  assembler: textAndCalls((content) => ({ role: "assistant", content })),
  userMessage,
};

export const PROVIDERS: { readonly [format in RunFormat]: Provider } = {
  openai,
  "openai-responses": responses,
  anthropic,
  gemini,
  "ai-sdk": aiSdk,
  text,
};

/** A native call, from the event at its end. `raw` is the text of its arguments. */
export const nativeCall = ({ toolId, toolType, raw }: ToolBlockEndEvent): NativeCall => ({
  id: toolId,
  tool: toolType ?? "",
  args: raw,
});

/** A user's message with another text in front of its own: in `content` as a text or as parts, or in Gemini's `parts`. */
export function withTextBefore(message: RunMessage, before: string): RunMessage {
  const { content, parts } = message;
  if (isText(content)) return { ...message, content: before + content };
  if (Array.isArray(parts)) return { ...message, parts: [{ text: before }, ...parts] };
  return { ...message, content: [{ type: "text", text: before }, ...toList(content)] };
}
