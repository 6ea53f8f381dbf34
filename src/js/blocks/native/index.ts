/** `NativeCallStream`: the tool calls in a provider's stream, several at a time. */
import { parseJson } from "../../core/json.js";
import { isObject, isText } from "../../core/kinds.js";
import { bindMethods } from "../../core/methods.js";
import { requireKeys, wrong } from "../../core/require.js";
import { formatName } from "../../definitions/provider-formats.js";
import { textOfArguments } from "../arguments.js";
import { STREAMING, ToolCallStream } from "../stream.js";
import type { Issue, ToolBlockEvent, ToolCallStreamOptions } from "../types.js";
import { NATIVE_FORMATS, type NativeFormat, readerOf } from "./formats.js";
import { type PartialArgument, PartialArguments } from "./partial-arguments.js";
import type { Begin, CallStep, Reader } from "./steps.js";

export type { NativeFormat } from "./formats.js";

export interface NativeCallStreamOptions<Name extends string = string>
  extends Omit<ToolCallStreamOptions<Name>, "tool" | "toolId"> {
  /**
   * The provider of the chunks: one of the provider formats, or `"ollama"`. For the AI SDK the parts of `stream` (before version 7
   * `fullStream`) or of a UI message stream, for MCP requests of `tools/call`.
   */
  format: NativeFormat;
}

interface Open<Name extends string> {
  id: string | undefined;
  tool: string | undefined;
  /** Reads the arguments, once the id and the tool are known. */
  stream: ToolCallStream<Name> | undefined;
  /** Arguments that arrived before `stream` was created, and their open brackets. */
  buffered: string;
  brackets: Brackets;
  /** Whether the arguments arrive in pieces; otherwise they are in `whole`. */
  inPieces: boolean;
  whole: unknown;
  /** Writes arguments that arrive as values. */
  values: PartialArguments | undefined;
  /** The text of the arguments of a previewed call; `undefined` for any other call. */
  preview: string | undefined;
}

/** Counts the open brackets of JSON in pieces. */
class Brackets {
  #open = 0;
  #isQuoted = false;
  #isEscaped = false;

  read(text: string): void {
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

/** Longer texts are read as arguments, so that texts in many pieces are not searched again and again. */
const LONGEST_NULL = 200;

/** Whether a text may become `null`, which providers send for absent arguments. */
function mayBeNull(text: string): boolean {
  if (text.length > LONGEST_NULL) return false;
  const word = text.trimStart();
  return "null".startsWith(word) || word.trimEnd() === "null";
}

/**
 * Reads native tool calls from the chunks of a provider's stream: for each call the events of a {@link ToolCallStream},
 * with the provider's id as `toolId`; a call without one gets `call_1`, `call_2`, … when it is over. Other
 * chunks are ignored. Arguments of a call whose tool is never named become a block without a call.
 *
 * ```ts
 * const calls = new NativeCallStream({ format: "anthropic", contentDeltas: true });
 * for await (const event of anthropic.messages.stream(request)) for (const each of calls.push(event)) show(each);
 * for (const each of calls.end()) show(each);
 * ```
 */
export class NativeCallStream<Name extends string = never> {
  readonly #reader: Reader;
  readonly #options: Omit<ToolCallStreamOptions<Name>, "tool" | "toolId">;
  readonly #open = new Map<string, Open<Name>>();
  /** The ids of finished calls, by key: some providers send a call twice. */
  readonly #finished = new Map<string, string>();
  /** The ids of all calls so far. */
  readonly #ids = new Set<string>();
  /** The key of the call that began last. */
  #last: string | undefined;
  /** The numbers of generated keys and of generated ids. */
  #keys = 0;
  #calls = 0;

  constructor(options: NativeCallStreamOptions<Name>) {
    requireKeys("NativeCallStream", "options", options, ["format", ...STREAMING]);
    const { format: name, ...rest } = options;
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
    const over = [...this.#open.keys()].filter((key) => key.startsWith(step.prefix));
    return over.flatMap((key) => this.#close(key, cut));
  }

  /** The stream is over. A call whose arguments are not whole is `truncated`. */
  end(): ToolBlockEvent<Name>[] {
    return [...this.#open.keys()].flatMap((key) => this.#close(key, true));
  }

  dispose(): void {
    for (const { stream } of this.#open.values()) stream?.dispose();
    this.#open.clear();
  }

  declare [Symbol.dispose]: () => void;

  #begin(step: Begin): ToolBlockEvent<Name>[] {
    const { id, tool, whole, isPreview } = step;
    const preview = isPreview ? "" : undefined;
    const key = step.key ?? this.#last ?? "";
    const open = this.#open.get(key);
    const known = this.#finished.get(key);
    if (step.key !== undefined && !open && known !== undefined && (step.mayRepeat || id === known)) return [];
    if (id !== undefined) this.#ids.add(id);
    if (open && continues(open, step)) {
      open.id ??= id;
      open.tool ??= tool;
      open.whole ??= whole;
      return this.#read(open);
    }
    // Some servers give every call the same index, or none.
    const events = open ? this.#close(key, false) : [];
    return [...events, ...this.#read(this.#put(step.key, { id, tool, whole, preview }))];
  }

  /** Opens a call. Without a key it gets a generated one. */
  #put(key: string | undefined, call: Partial<Open<Name>>): Open<Name> {
    if (key === undefined) this.#keys += 1;
    this.#last = key ?? `#${this.#keys}`;
    const open = {
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
    this.#open.set(this.#last, open);
    return open;
  }

  #more(key: string | undefined, text: string): ToolBlockEvent<Name>[] {
    const own = key ?? this.#last;
    let open = own === undefined ? undefined : this.#open.get(own);
    if (open === undefined) {
      // Arguments after the end of a call are ignored.
      if (own !== undefined && this.#finished.has(own)) return [];
      open = this.#put(key, {});
    }
    open.inPieces = true;
    open.buffered += text;
    if (open.preview !== undefined) open.preview += text;
    if (open.stream === undefined) open.brackets.read(text);
    return this.#read(open);
  }

  #values(key: string | undefined, values: readonly PartialArgument[]): ToolBlockEvent<Name>[] {
    const own = key ?? this.#last;
    const open = own === undefined ? undefined : this.#open.get(own);
    if (own === undefined || open === undefined) return [];
    open.values ??= new PartialArguments();
    const events: ToolBlockEvent<Name>[] = [];
    for (const value of values) {
      const text = open.values.write(value);
      // A value that cannot be written is lost, so the call counts as cut off.
      if (text === undefined) return [...events, ...this.#close(own, true)];
      events.push(...this.#more(own, text));
    }
    return events;
  }

  /** Reads the buffered arguments once the id and the tool of the call are known. */
  #read(open: Open<Name>): ToolBlockEvent<Name>[] {
    const { id, tool, buffered } = open;
    if (id === undefined || tool === undefined) return [];
    if (open.stream === undefined) {
      if (mayBeNull(buffered)) return [];
      open.stream = this.#stream(tool, id);
    }
    open.buffered = "";
    return buffered === "" ? [] : open.stream.push(buffered);
  }

  #stream(tool: string, id: string): ToolCallStream<Name> {
    return new ToolCallStream({ ...this.#options, tool, toolId: id });
  }

  /** Drops a call that the provider executes itself. */
  #skip(key: string | undefined): ToolBlockEvent<Name>[] {
    if (key === undefined) return [];
    this.#open.get(key)?.stream?.dispose();
    this.#open.delete(key);
    this.#finished.set(key, key);
    return [];
  }

  /** Ends a call with its checked arguments. If the arguments that arrived in pieces differ, a new stream reads the checked ones. */
  #settle({ key, id, tool, whole, fault }: CallStep & { do: "settle" }): ToolBlockEvent<Name>[] {
    const open = key === undefined ? undefined : this.#open.get(key);
    if (key !== undefined && open === undefined && this.#finished.has(key)) return [];
    const isSame =
      fault === undefined && open !== undefined && (whole === undefined || isSameJson(open.preview, whole));
    if (key !== undefined && isSame) {
      open.preview = undefined;
      open.whole ??= whole;
      return this.#close(key, false);
    }
    open?.stream?.dispose();
    if (key !== undefined) this.#open.delete(key);
    this.#put(key, { id: id ?? open?.id, tool: tool ?? open?.tool, whole });
    const events = this.#close(this.#last ?? "", false);
    return fault === undefined ? events : events.map((event) => refuse(event, fault));
  }

  /** Ends a call, which may have had no arguments. */
  #end(key: string | undefined, whole: unknown, cut: boolean): ToolBlockEvent<Name>[] {
    const own = key ?? this.#last ?? "";
    const open = this.#open.get(own);
    if (open) {
      open.whole = whole ?? open.whole;
      const rest = open.values ? this.#more(own, open.values.end()) : [];
      return [...rest, ...this.#close(own, cut)];
    }
    if (whole === undefined || whole === null || this.#finished.has(own)) return [];
    this.#put(key, { whole });
    return this.#close(this.#last ?? "", false);
  }

  /** Ends a call. If it was `cut` off, only the received arguments count. */
  #close(key: string, cut: boolean): ToolBlockEvent<Name>[] {
    const open = this.#open.get(key);
    if (open === undefined) return [];
    this.#open.delete(key);
    const { id = this.#nextId(), tool = "", buffered, inPieces, whole, preview } = open;
    if (preview === undefined) this.#finished.set(key, id);
    this.#ids.add(id);
    // A call that is only a preview is never made, even if its arguments are whole.
    if (preview !== undefined) open.stream?.dispose();
    const own = preview === undefined ? open.stream : undefined;
    const stream = own ?? this.#stream(tool, id);
    const args = inPieces ? buffered : whole;
    const isMissing = preview !== undefined || (cut && (isText(args) ? args.trim() === "" : args === undefined));
    const events = own || isMissing ? [] : stream.push(textOfArguments(args));
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
function continues(open: Open<string>, { id, tool, whole }: Begin): boolean {
  if (id !== undefined && open.id !== undefined) return id === open.id;
  if (tool === undefined || open.tool === undefined) return true;
  if (tool !== open.tool) return false;
  // The same name without ids begins the next call if the open call has all its arguments.
  if (id !== undefined || open.id !== undefined) return true;
  if (!open.inPieces) return open.whole === undefined || whole === undefined;
  return mayBeNull(open.buffered) || !open.brackets.areClosed;
}

/** Whether a text is the JSON of a value, with the same order of keys. */
function isSameJson(text: string | undefined, value: unknown): boolean {
  const read = text === undefined ? undefined : parseJson(text);
  return read !== undefined && JSON.stringify(read) === JSON.stringify(value);
}

/** The event of a call that the provider has refused. */
function refuse<Name extends string>(event: ToolBlockEvent<Name>, message: string): ToolBlockEvent<Name> {
  if (event.type !== "json-tool-block") return event;
  const { call: _, calls: __, ...block } = event;
  const issue: Issue = { code: "INVALID_FIELD", message, path: "", severity: "error" };
  return { ...block, validationPassed: false, errors: [message], issues: [issue] };
}
