/** `NativeCallStream`: the tool calls in a provider's stream, several at a time. */
import { parseJson } from "../../core/json.js";
import { isObject, isText } from "../../core/kinds.js";
import { bindMethods } from "../../core/methods.js";
import { requireKeys, wrong } from "../../core/require.js";
import { formatName } from "../../definitions/provider-formats.js";
import { textOfArguments } from "../arguments.js";
import { STREAM_OPTIONS, ToolCallStream } from "../stream.js";
import type { Issue, ToolBlockEvent, ToolCallStreamOptions } from "../types.js";
import { NATIVE_FORMATS, type NativeFormat, readerOf } from "./formats.js";
import { type PartialArgument, PartialArguments } from "./partial-arguments.js";
import type { Begin, CallStep, Reader } from "./steps.js";

export type { NativeFormat } from "./formats.js";

/** The options of a `NativeCallStream`: those of the stream of one call, and the format of the chunks. */
export interface NativeCallStreamOptions<Name extends string = string>
  extends Omit<ToolCallStreamOptions<Name>, "tool" | "toolId"> {
  /**
   * The provider of the chunks: one of the provider formats, or `"ollama"`. For the AI SDK the parts of `stream` (before version 7
   * `fullStream`) or of a UI message stream, for MCP requests of `tools/call`.
   */
  format: NativeFormat;
}

/** A call that has begun and is not over. */
interface OpenCall<Name extends string> {
  /** The id and the tool; `undefined` until a chunk has them. */
  id: string | undefined;
  tool: string | undefined;
  /** Reads the arguments, once the id and the tool are known. */
  stream: ToolCallStream<Name> | undefined;
  /** Arguments that arrived before `stream` was created, and their open brackets. */
  buffered: string;
  brackets: Brackets;
  /** Whether the arguments arrive in pieces; otherwise they are in `whole`. */
  inPieces: boolean;
  /** The arguments as a value or as one text, if a chunk has them; they do not count if others arrive in pieces. */
  whole: unknown;
  /** Writes the text of arguments that arrive as values with paths; `undefined` before the first of these. */
  values: PartialArguments | undefined;
  /**
   * The AI SDK streams the arguments first, and sends them again once it has checked them: the step `settle`. Until then they are a
   * preview, whose text is kept here for the comparison with the checked ones. A preview without a `settle` ends truncated.
   * `undefined` for other providers.
   */
  preview: string | undefined;
}

/** Counts the open brackets of JSON in pieces. */
class Brackets {
  #open = 0;
  /** Whether the text so far ends in a string. */
  #isQuoted = false;
  /** Whether it ends with the backslash of an escape. */
  #isEscaped = false;

  read(text: string): void {
    // One match for each mark, and one for each run of other characters.
    for (const [mark] of text.matchAll(/["\\{}[\]]|[^"\\{}[\]]+/g)) {
      const isEscaped = this.#isEscaped;
      this.#isEscaped = mark === "\\" && this.#isQuoted && !isEscaped;
      if (mark === '"' && !isEscaped) this.#isQuoted = !this.#isQuoted;
      else if (!this.#isQuoted && (mark === "{" || mark === "[")) this.#open += 1;
      else if (!this.#isQuoted && (mark === "}" || mark === "]")) this.#open -= 1;
    }
  }

  get areClosed(): boolean {
    return this.#open === 0 && !this.#isQuoted;
  }
}

/**
 * In UTF-16 units. A longer text counts as arguments without a search for `null` in it, which would be repeated for each piece:
 * `null` comes with little whitespace.
 */
const LONGEST_NULL = 200;

/** The values of `cut`, for a call that ends. `CUT_OFF`: its last arguments have not arrived. */
const COMPLETE = false;
const CUT_OFF = true;

/** Whether a text is, or may become, `null`, which providers send for absent arguments. */
function mayBeNull(text: string): boolean {
  if (text.length > LONGEST_NULL) return false;
  const word = text.trimStart();
  return "null".startsWith(word) || word.trimEnd() === "null";
}

/**
 * Reads native tool calls from the chunks of a provider's stream: for each call the events of a {@link ToolCallStream},
 * with the provider's id as `toolId`; a call without one gets `call_1`, `call_2`, … when it is over. Other
 * chunks are ignored. Arguments of a call whose tool is never named give a `json-tool-block` event without `call`.
 *
 * ```ts
 * const calls = new NativeCallStream({ format: "anthropic", contentDeltas: true });
 * for await (const event of anthropic.messages.stream(request)) for (const each of calls.push(event)) show(each);
 * for (const each of calls.end()) show(each);
 * ```
 */
export class NativeCallStream<Name extends string = never> {
  readonly #reader: Reader;
  /** The options of the stream of each call. */
  readonly #options: Omit<ToolCallStreamOptions<Name>, "tool" | "toolId">;
  /** The open calls, by key: see {@link Begin}. */
  readonly #open = new Map<string, OpenCall<Name>>();
  /** The ids of finished calls, by key: some providers send a call twice. */
  readonly #finished = new Map<string, string>();
  /** The ids of all calls so far, so that a generated id differs from them. */
  readonly #ids = new Set<string>();
  /** The key of the call that began last; "" before the first call. No key is "". */
  #last = "";
  /** The number of the last generated key, and that of the last generated id. */
  #keys = 0;
  #calls = 0;

  constructor(options: NativeCallStreamOptions<Name>) {
    requireKeys("NativeCallStream", "options", options, ["format", ...STREAM_OPTIONS]);
    const { format: name, ...rest } = options;
    // E.g. "openai" for its other name "openai-chat".
    const format = formatName(name);
    if (!NATIVE_FORMATS.includes(format))
      throw wrong("NativeCallStream", "format", `one of ${NATIVE_FORMATS.join(", ")}`, name);
    // Refuses the other options now, not when the first call begins.
    new ToolCallStream({ ...rest, tool: "" }).dispose();
    this.#reader = readerOf(format);
    this.#options = rest;
    bindMethods(this);
  }

  /** Reads the next chunk, an object. */
  push(chunk: object): ToolBlockEvent<Name>[] {
    if (typeof chunk !== "object" || chunk === null) throw wrong("NativeCallStream", "chunk", "an object", chunk);
    // A list has no calls.
    if (!isObject(chunk)) return [];
    return this.#reader(chunk).flatMap((step) => this.#step(step));
  }

  #step(step: CallStep): ToolBlockEvent<Name>[] {
    if (step.do === "begin") return this.#begin(step);
    if (step.do === "more") return this.#more(step.key, step.text);
    if (step.do === "values") return this.#values(step.key, step.values);
    if (step.do === "skip") return this.#skip(step.key);
    if (step.do === "settle") return this.#settle(step);
    const { cut = false } = step;
    if (step.do === "end") return this.#end(step.key, step.whole, cut);
    // The last kind of step is "end-all".
    const keys = [...this.#open.keys()].filter((key) => key.startsWith(step.prefix));
    return keys.flatMap((key) => this.#close(key, cut));
  }

  /** The stream is over. A call whose arguments are not whole is `truncated`. */
  end(): ToolBlockEvent<Name>[] {
    return [...this.#open.keys()].flatMap((key) => this.#close(key, CUT_OFF));
  }

  /** Frees the streams of the open calls. */
  dispose(): void {
    for (const { stream } of this.#open.values()) stream?.dispose();
    this.#open.clear();
  }

  /** Set by `bindMethods`: calls `dispose`. */
  declare [Symbol.dispose]: () => void;

  /**
   * Begins a call, or adds what the step knows to the open call under its key. If the step is about another call, the open call
   * is over. A call that is finished and comes again is ignored.
   */
  #begin(step: Begin): ToolBlockEvent<Name>[] {
    const { id, tool, whole, isPreview } = step;
    const preview = isPreview ? "" : undefined;
    const key = step.key ?? this.#last;
    const openCall = this.#open.get(key);
    const finishedId = this.#finished.get(key);
    const isRepeated = finishedId !== undefined && (step.mayRepeat || id === finishedId);
    // Without a key, the step is never about a finished call.
    if (step.key !== undefined && !openCall && isRepeated) return [];
    if (id !== undefined) this.#ids.add(id);
    if (openCall && continues(openCall, step)) {
      openCall.id ??= id;
      openCall.tool ??= tool;
      openCall.whole ??= whole;
      return this.#read(openCall);
    }
    // Some servers give every call the same index, or none.
    const events = openCall ? this.#close(key, COMPLETE) : [];
    return [...events, ...this.#read(this.#put(step.key, { id, tool, whole, preview }))];
  }

  /** Opens a call, which is then the last one. Without a key it gets a generated one. */
  #put(key: string | undefined, call: Partial<OpenCall<Name>>): OpenCall<Name> {
    if (key === undefined) this.#keys += 1;
    this.#last = key ?? `#${this.#keys}`;
    const openCall = {
      id: undefined,
      tool: undefined,
      stream: undefined,
      buffered: "",
      brackets: new Brackets(),
      inPieces: false,
      whole: undefined,
      values: undefined,
      preview: undefined,
      ...call,
    };
    this.#open.set(this.#last, openCall);
    return openCall;
  }

  /** Reads a piece of the arguments, of the last call if there is no key. A call may begin with it. */
  #more(key: string | undefined, text: string): ToolBlockEvent<Name>[] {
    const callKey = key ?? this.#last;
    let openCall = this.#open.get(callKey);
    if (openCall === undefined) {
      // Arguments after the end of a call are ignored.
      if (this.#finished.has(callKey)) return [];
      openCall = this.#put(key, {});
    }
    openCall.inPieces = true;
    openCall.buffered += text;
    if (openCall.preview !== undefined) openCall.preview += text;
    if (openCall.stream === undefined) openCall.brackets.read(text);
    return this.#read(openCall);
  }

  /** Reads values of the arguments, of the last call if there is no key. */
  #values(key: string | undefined, values: readonly PartialArgument[]): ToolBlockEvent<Name>[] {
    const callKey = key ?? this.#last;
    const openCall = this.#open.get(callKey);
    if (openCall === undefined) return [];
    openCall.values ??= new PartialArguments();
    const events: ToolBlockEvent<Name>[] = [];
    for (const value of values) {
      const text = openCall.values.write(value);
      // A value that cannot be written is lost, so the call counts as cut off.
      if (text === undefined) return [...events, ...this.#close(callKey, CUT_OFF)];
      events.push(...this.#more(callKey, text));
    }
    return events;
  }

  /** Reads the buffered arguments once the id and the tool of the call are known. */
  #read(openCall: OpenCall<Name>): ToolBlockEvent<Name>[] {
    const { id, tool, buffered } = openCall;
    if (id === undefined || tool === undefined) return [];
    if (openCall.stream === undefined) {
      if (mayBeNull(buffered)) return [];
      openCall.stream = this.#stream(tool, id);
    }
    openCall.buffered = "";
    return buffered === "" ? [] : openCall.stream.push(buffered);
  }

  /** A new stream for the arguments of a call. */
  #stream(tool: string, id: string): ToolCallStream<Name> {
    return new ToolCallStream({ ...this.#options, tool, toolId: id });
  }

  /** Drops a call that the provider executes itself. */
  #skip(key: string | undefined): ToolBlockEvent<Name>[] {
    if (key === undefined) return [];
    this.#open.get(key)?.stream?.dispose();
    this.#open.delete(key);
    // The key of such a call is its id.
    this.#finished.set(key, key);
    return [];
  }

  /**
   * Ends a call with its checked arguments. If the arguments that arrived in pieces differ, or the call has a fault, a new stream
   * reads the checked ones. A fault makes the call invalid.
   */
  #settle({ key, id, tool, whole, fault }: CallStep & { do: "settle" }): ToolBlockEvent<Name>[] {
    const openCall = key === undefined ? undefined : this.#open.get(key);
    if (key !== undefined && openCall === undefined && this.#finished.has(key)) return [];
    // Without `whole`, the arguments that arrived in pieces are the checked ones.
    const isUnchanged =
      fault === undefined && openCall !== undefined && (whole === undefined || isSameJson(openCall.preview, whole));
    if (key !== undefined && isUnchanged) {
      openCall.preview = undefined;
      openCall.whole ??= whole;
      return this.#close(key, COMPLETE);
    }
    openCall?.stream?.dispose();
    if (key !== undefined) this.#open.delete(key);
    this.#put(key, { id: id ?? openCall?.id, tool: tool ?? openCall?.tool, whole });
    const events = this.#close(this.#last, COMPLETE);
    return fault === undefined ? events : events.map((event) => refuse(event, fault));
  }

  /** Ends a call, which may have had no arguments. */
  #end(key: string | undefined, whole: unknown, cut: boolean): ToolBlockEvent<Name>[] {
    const callKey = key ?? this.#last;
    const openCall = this.#open.get(callKey);
    if (openCall) {
      openCall.whole = whole ?? openCall.whole;
      const lastEvents = openCall.values ? this.#more(callKey, openCall.values.end()) : [];
      return [...lastEvents, ...this.#close(callKey, cut)];
    }
    if (whole === undefined || whole === null || this.#finished.has(callKey)) return [];
    // A call of which only the end arrived, with its arguments.
    this.#put(key, { whole });
    return this.#close(this.#last, COMPLETE);
  }

  /**
   * Ends a call, and returns its last events. Its own stream has read arguments that arrived in pieces; else a new stream reads
   * those that are buffered or whole. Absent arguments count as an empty object, but a call that was `cut` off is truncated.
   */
  #close(key: string, cut: boolean): ToolBlockEvent<Name>[] {
    const openCall = this.#open.get(key);
    if (openCall === undefined) return [];
    this.#open.delete(key);
    const { id = this.#nextId(), tool = "", buffered, inPieces, whole, preview } = openCall;
    const isPreview = preview !== undefined;
    // The checked call of a preview may still arrive under the same key.
    if (!isPreview) this.#finished.set(key, id);
    this.#ids.add(id);
    // A preview that was not settled is truncated, even if its arguments are whole: a new stream reads nothing.
    if (isPreview) openCall.stream?.dispose();
    const ownStream = isPreview ? undefined : openCall.stream;
    const stream = ownStream ?? this.#stream(tool, id);
    const args = inPieces ? buffered : whole;
    const isAbsent = isText(args) ? args.trim() === "" : args === undefined;
    const events = ownStream || isPreview || (cut && isAbsent) ? [] : stream.push(textOfArguments(args));
    events.push(...stream.end());
    stream.dispose();
    return events;
  }

  /** An id for a call that came without one. */
  #nextId(): string {
    do this.#calls += 1;
    while (this.#ids.has(`call_${this.#calls}`));
    return `call_${this.#calls}`;
  }
}

/** Whether a step is about the open call under its key, and not about the next one. */
function continues(openCall: OpenCall<string>, { id, tool, whole }: Begin): boolean {
  if (id !== undefined && openCall.id !== undefined) return id === openCall.id;
  if (tool === undefined || openCall.tool === undefined) return true;
  if (tool !== openCall.tool) return false;
  // The same name without ids begins the next call if the open call has all its arguments.
  if (id !== undefined || openCall.id !== undefined) return true;
  if (!openCall.inPieces) return openCall.whole === undefined || whole === undefined;
  return mayBeNull(openCall.buffered) || !openCall.brackets.areClosed;
}

/** Whether a text is the JSON of a value, with the same order of keys. */
function isSameJson(text: string | undefined, value: unknown): boolean {
  const parsed = text === undefined ? undefined : parseJson(text);
  return parsed !== undefined && JSON.stringify(parsed) === JSON.stringify(value);
}

/** The event of a call that the provider has refused. */
function refuse<Name extends string>(event: ToolBlockEvent<Name>, message: string): ToolBlockEvent<Name> {
  if (event.type !== "json-tool-block") return event;
  const { call: _, calls: __, ...block } = event;
  const issue: Issue = { code: "INVALID_FIELD", message, path: "", severity: "error" };
  return { ...block, validationPassed: false, errors: [message], issues: [issue] };
}
