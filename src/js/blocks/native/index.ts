/** `NativeCallStream`: the tool calls in a provider's stream, several at a time. */
import { toText } from "../../core/json.js";
import { bindMethods } from "../../core/methods.js";
import { requireKeys, wrong } from "../../core/require.js";
import { STREAMING, ToolCallStream } from "../stream.js";
import type { ToolBlockEvent, ToolCallStreamOptions } from "../types.js";
import { type Begin, type CallStep, LAST, NATIVE_FORMATS, type NativeFormat, stepsOf } from "./formats.js";

export type { NativeFormat } from "./formats.js";

export interface NativeCallStreamOptions<Name extends string = string>
  extends Omit<ToolCallStreamOptions<Name>, "tool" | "toolId"> {
  /** Whose chunks: the AI SDK's (`fullStream` or UI messages), OpenAI's (chat or Responses), Anthropic's, AG-UI's. */
  format: NativeFormat;
}

interface Open {
  id: string;
  stream: ToolCallStream<string>;
  /** Whether the arguments come in pieces; else they are `whole`. */
  inPieces: boolean;
  whole: unknown;
}

/**
 * Reads native tool calls from the chunks of a provider's stream: for each call the events of a {@link ToolCallStream},
 * with the provider's id as `toolId`. Chunks that speak of something else are passed over.
 *
 * ```ts
 * const calls = new NativeCallStream({ format: "anthropic", contentDeltas: true });
 * for await (const event of anthropic.messages.stream(request)) for (const each of calls.push(event)) show(each);
 * for (const each of calls.end()) show(each);
 * ```
 */
export class NativeCallStream<Name extends string = never> {
  readonly #format: NativeFormat;
  readonly #options: Omit<ToolCallStreamOptions, "tool" | "toolId">;
  readonly #open = new Map<string, Open>();
  /** Keys and ids of calls that are over: some providers tell of a call twice. */
  readonly #over = new Map<string, string>();
  #last = LAST;

  constructor(options: NativeCallStreamOptions<Name>) {
    requireKeys("NativeCallStream", "options", options, ["format", ...STREAMING]);
    const { format, ...rest } = options;
    if (!NATIVE_FORMATS.includes(format))
      throw wrong("NativeCallStream", "format", `one of ${NATIVE_FORMATS.join(", ")}`, format);
    // Refuses the other options now, not when the first call begins.
    new ToolCallStream({ ...rest, tool: "" }).dispose();
    this.#format = format;
    this.#options = rest;
    bindMethods(this);
  }

  /** Takes the next chunk, as an object. */
  push(chunk: object): ToolBlockEvent<Name>[] {
    if (typeof chunk !== "object" || chunk === null) throw wrong("NativeCallStream", "chunk", "an object", chunk);
    return stepsOf(this.#format, chunk).flatMap((step) => this.#step(step)) as ToolBlockEvent<Name>[];
  }

  #step(step: CallStep): ToolBlockEvent[] {
    if (step.do === "begin") return this.#begin(step);
    if (step.do === "more") return this.#more(step.key, step.text);
    if (step.do === "end") return this.#end(step.key, step.whole);
    const { prefix, but, cut } = step;
    const over = [...this.#open.keys()].filter((key) => key.startsWith(prefix) && key !== but);
    return over.flatMap((key) => (cut ? this.#close(key) : this.#end(key)));
  }

  /** The stream is over. A call whose arguments are not whole is `truncated`. */
  end(): ToolBlockEvent<Name>[] {
    return [...this.#open.keys()].flatMap((key) => this.#close(key)) as ToolBlockEvent<Name>[];
  }

  dispose(): void {
    for (const { stream } of this.#open.values()) stream.dispose();
    this.#open.clear();
  }

  declare [Symbol.dispose]: () => void;

  #begin({ key, id, tool, whole }: Begin): ToolBlockEvent[] {
    const open = this.#open.get(key);
    if (open?.id === id || this.#over.get(key) === id) return [];
    // Some servers give every call the same index.
    const events = open ? this.#end(key) : [];
    const stream = new ToolCallStream({ ...this.#options, tool, toolId: id });
    this.#open.set(key, { id, stream, inPieces: false, whole });
    this.#last = key;
    return events;
  }

  #more(key: string, text: string): ToolBlockEvent[] {
    const open = this.#open.get(key === LAST ? this.#last : key);
    if (open === undefined) return [];
    open.inPieces = true;
    return open.stream.push(text);
  }

  /** A call is over that may have had no arguments to tell of. */
  #end(key: string, whole?: unknown): ToolBlockEvent[] {
    const open = this.#open.get(key);
    if (open === undefined) return [];
    if (open.inPieces) return this.#close(key);
    const args = whole ?? open.whole ?? {};
    const text = typeof args === "string" ? args : toText(args, "NativeCallStream: the arguments");
    return [...open.stream.push(text.trim() === "" ? "{}" : text), ...this.#close(key)];
  }

  #close(key: string): ToolBlockEvent[] {
    const open = this.#open.get(key);
    if (open === undefined) return [];
    this.#open.delete(key);
    this.#over.set(key, open.id);
    const events = open.stream.end();
    open.stream.dispose();
    return events;
  }
}
