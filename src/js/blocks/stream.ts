/** Validates tool blocks in a text, or finds them while the text arrives. */

import { blocksModule } from "../core/blocks-module.js";
import { misuse } from "../core/errors.js";
import { bindMethods } from "../core/methods.js";
import type { Handle } from "../core/module.js";
import { optionText } from "../core/option-text.js";
import { Pieces } from "../core/pieces.js";
import { FLAG, requireKeys, requireKind, requireText } from "../core/require.js";
import { wellFormed } from "../core/surrogates.js";
import { readTools } from "../definitions/custom-tools.js";
import type { RawBlockStream } from "../generated/blocks.js";
import { blockAnswer, defaultMaxBlockBytes } from "../generated/facts.js";
import type { Json } from "../types.js";
import { PendingText } from "./pending-text.js";
import type {
  EndOptions,
  Fix,
  ParsedToolCalls,
  ToolBlockEndEvent,
  ToolBlockEvent,
  ToolBlockOptions,
  ToolBlockReport,
  ToolBlockStreamOptions,
  ToolCall,
  ToolCallStreamOptions,
  ToolDeltaEvent,
} from "./types.js";

/** The names of the options of all functions that read tool blocks. */
export const BLOCK_OPTIONS = ["tools", "policy", "limits", "reasoning", "unfenced", "formats"];
/** The names of the options of streams. */
export const STREAM_OPTIONS = [...BLOCK_OPTIONS, "contentDeltas", "patches", "repair"];

/**
 * An event as the module writes it, a *record*: the members `Key` are long strings. In their place is their length in UTF-16
 * units; the strings precede the records in the answer. A length of -1 means that the string is known from earlier deltas, or
 * is the `raw` of its block.
 */
type WithLengths<Event, Key extends string> = Omit<Event, Key> & Record<Key, number>;
/** A field whose text may be long. */
type TextField = ToolDeltaEvent["field"];
/** A call with lengths in place of its long strings, as {@link WithLengths}. */
type RawCall = Omit<ToolCall, "content" | "search_replace"> & {
  content?: number;
  search_replace?: Record<"old_string" | "new_string", number>;
};
type RawBlock = WithLengths<Omit<ToolBlockEndEvent, "call" | "calls" | "raw">, "content"> & {
  /** A length. For a report ({@link isReport}) the text itself, since earlier events have shown it: it is not pending any more. */
  raw: number | string;
  call?: RawCall;
  calls?: RawCall[];
};
type RawEvent =
  | { type: "text"; text: number }
  | { type: "reasoning"; text: number }
  // The opening or closing tag of reasoning: no event contains it.
  | { type: "skip"; text: number }
  | Extract<ToolBlockEvent, { type: "json-tool-status" | "json-tool-patch" }>
  | WithLengths<ToolDeltaEvent, "delta">
  | RawBlock;
/** The module's answer about one block. {@link completeReport} completes it. */
export interface RawReport {
  /** Its calls lack `args`, and the texts that are copied from `args`. Only calls in envelopes have them. */
  report: ToolBlockReport;
  /** The end in the text of the JSON that `parsedJson` and the calls are parsed from. Absent if there is no valid JSON. */
  jsonEnd?: number;
  /** Empty if the block was only validated. */
  fixes: Fix[];
  /** The repaired text, if `fixes` is not empty. */
  repaired?: string;
}

/**
 * Validates the first JSON block of a text, or a text that is JSON. Never throws for the content of the text.
 *
 * ```ts
 * const report = validateToolBlock('```json\n{"tool": "delete_file", "path": "a.txt"}\n```');
 * report.call; // { id: "tool_1", tool: "delete_file", path: "a.txt", args: {…}, status: "detected" }
 * ```
 */
export function validateToolBlock<Name extends string = never>(
  text: string,
  options: ToolBlockOptions<Name> = {},
): ToolBlockReport<Name> {
  requireText("validateToolBlock", "text", text);
  requireKeys("validateToolBlock", "options", options, BLOCK_OPTIONS);
  const optionsLine = `${optionsText("validateToolBlock", options)}\n`;
  const ask = (part: string) =>
    blocksModule.ask<RawReport>((glue) => glue.validate_block(blocksModule.send(part, optionsLine)));
  return completeReport(text, askAbout(text, options, ask));
}

/** A fence at the start of a line, after blanks, quote marks or a list marker. */
const FENCE = /^[ \t>*+.)\d-]*(?:```|~~~)/m;

/**
 * Asks the module about the first block of a text, or about a text that is JSON. Of a text that is longer than the limit of a
 * block, at first only the beginning is sent, up to one unit over the limit. If the answer may differ for the whole text, the
 * whole text is sent too.
 */
export function askAbout(text: string, options: ToolBlockOptions, ask: (part: string) => RawReport): RawReport {
  const maxBytes = options.limits?.maxBlockBytes ?? defaultMaxBlockBytes;
  // Each UTF-16 unit has at least one byte. Negated, so that a limit that is no number reaches the module, which refuses it.
  if (!(text.length > maxBytes)) return ask(text);
  const fence = FENCE.exec(text);
  const blockStart = fence ? fence.index + fence[0].length : Math.max(text.search(/[^ \t\r\n]/), 0);
  const answer = ask(text.slice(0, blockStart + maxBytes + 1));
  const { issues, jsonStart } = answer.report;
  // Without a fence the whole text is the block. With one, a block after this fence must be too long.
  const isFinal = fence === null || (jsonStart > blockStart && issues[0]?.code === "LIMIT_EXCEEDED");
  return isFinal ? answer : ask(text);
}

/**
 * Completes the module's report with the values and texts that the text contains. Changes the object, since a copy
 * would double the cost.
 */
export function completeReport<Name extends string>(
  text: string,
  { report, jsonEnd }: RawReport,
): ToolBlockReport<Name> {
  if (jsonEnd !== undefined) report.parsedJson = JSON.parse(text.slice(report.jsonStart, jsonEnd)) as Json;
  const { call: one, calls: several, parsedJson } = report;
  // With the arguments of a call in an envelope, the module has sent all others too.
  if ((one ?? several?.[0])?.args !== undefined) return report as ToolBlockReport<Name>;
  if (one && !Array.isArray(parsedJson)) putArguments(one, parsedJson);
  else if (one || several) {
    // The JSON of a valid block is an object, a list of objects, or several of these, each with the arguments of one call.
    const args = (parsedJson as Json[]).flat();
    for (const [index, call] of (several ?? [one as ToolCall]).entries()) putArguments(call, args[index]);
  }
  return report as ToolBlockReport<Name>;
}

/** Sets the arguments of a call, and the fields that are copied from them. */
function putArguments(call: ToolCall, args: Json | undefined): void {
  call.args = args as Record<string, Json>;
  if (call.content !== undefined) call.content = call.args.content as string;
  if (call.search_replace) {
    const { old_string, new_string } = call.args.search_replace as Record<"old_string" | "new_string", string>;
    call.search_replace = { old_string, new_string };
  }
  putEdits(call);
}

/** Sets `edits` of a call of `edit_file` from its arguments, which the core has checked. */
function putEdits(call: ToolCall): void {
  const { edits } = call.args;
  if (call.tool === "edit_file" && edits) Object.assign(call, { edits });
}

/** All tool calls of a finished message, and the text around them. */
export function parseToolCalls<Name extends string = never>(
  text: string,
  options: ToolBlockOptions<Name> = {},
): ParsedToolCalls<Name> {
  requireKeys("parseToolCalls", "options", options, BLOCK_OPTIONS);
  const stream = new ToolBlockStream(options);
  const result: ParsedToolCalls<Name> = { calls: [], blocks: [], text: "", issues: [] };
  try {
    for (const event of [...stream.push(text), ...stream.end()]) {
      if (event.type === "text" || event.type === "reasoning") {
        result[event.type] = (result[event.type] ?? "") + event.text;
      } else if (event.type === "json-tool-block") {
        const { start, raw, call: one, calls: several, issues } = event;
        result.calls.push(...(one ? [one] : (several ?? [])));
        result.issues.push(...issues);
        if (isReport(event)) continue;
        const block = { start, end: start + raw.length, ...(one && { call: one }), ...(several && { calls: several }) };
        result.blocks.push(block);
      }
    }
  } finally {
    stream.dispose();
  }
  return result;
}

/** Whether a block only reports a call that is not executed. Its text is part of the text, or of another block. */
export function isReport({ issues }: Pick<ToolBlockEndEvent, "issues">): boolean {
  return issues[0]?.code === "NOT_A_CALL";
}

/** The longest piece that is sent to the module at once, in UTF-16 units. */
const MAX_PIECE = 1 << 16;

/** The text of a field that deltas have shown so far. `length` is that of `text`. */
type ShownField = Omit<ToolDeltaEvent, "type" | "delta"> & { text: string };

/** The common part of both streams: turns pieces into events. */
abstract class Stream<Name extends string> {
  /** Set by `bindMethods`. */
  declare [Symbol.dispose]: () => void;
  readonly #handle: Handle<RawBlockStream>;
  /** The class that messages name. */
  readonly #name: string;
  /** Whether this is a `ToolCallStream`. */
  readonly #isCall: boolean;
  /** Replaces the id of the module in all events. */
  readonly #toolId: string | undefined;
  readonly #pieces: Pieces;
  /** The text that the module has read and whose events have not arrived yet. */
  readonly #pending = new PendingText();
  /** Whether {@link end} was called. */
  #ended = false;
  /** The only call of a `ToolCallStream` is over; further input is ignored. */
  #over = false;
  /**
   * The fields of the current block that deltas have shown; emptied at its end. The module names a field only in the first delta:
   * further text belongs to the last field.
   */
  #shown: ShownField[] = [];

  /** @internal `name`: the class that messages name. `known`: the names of its options. */
  protected constructor(name: string, allOptions: Partial<ToolCallStreamOptions>, known: readonly string[]) {
    requireKeys(name, "options", allOptions, known);
    const { toolId, ...options } = allOptions;
    const text = optionsText(name, options) || "{}";
    this.#name = name;
    this.#pieces = new Pieces(name);
    this.#isCall = "tool" in options;
    this.#toolId = toolId;
    this.#handle = blocksModule.make((glue) => {
      const raw = new glue.RawBlockStream();
      blocksModule.receive(raw.configure(blocksModule.send(text)));
      return raw;
    });
    bindMethods(this);
  }

  /**
   * Reads the next piece, a string or UTF-8 cut anywhere, and returns the events that it completes.
   * @throws GenuiPatchError `INVALID_ARGUMENT` for another kind of piece, or after the end.
   */
  push(chunk: string | Uint8Array): ToolBlockEvent<Name>[] {
    if (this.#ended) throw misuse(`${this.#name}: push came after end; make a new stream.`);
    const text = this.#pieces.decode(chunk);
    if (text.length <= MAX_PIECE) return this.#send(text) as ToolBlockEvent<Name>[];
    // The records of many calls at once would take a hundred times the memory of their text.
    const events: ToolBlockEvent[] = [];
    for (let start = 0; start < text.length; ) {
      let end = start + MAX_PIECE;
      // Not between the halves of a surrogate pair.
      if ((text.charCodeAt(end) & 0xfc00) === 0xdc00) end -= 1;
      for (const event of this.#send(text.slice(start, end))) join(events, event);
      start = end;
    }
    return events as ToolBlockEvent<Name>[];
  }

  /**
   * The message is over. A block that is still open is `truncated` unless only its closing fence is missing. `complete` says that
   * nothing was cut off: then brackets that are missing at the end are added too. A string is never closed.
   */
  end(options: EndOptions = {}): ToolBlockEvent<Name>[] {
    requireKeys(this.#name, "options", options, ["complete"]);
    const { complete = false } = options;
    requireKind(this.#name, "complete", complete, FLAG);
    if (this.#ended) return [];
    const events = this.#send(this.#pieces.flush());
    this.#ended = true;
    const answer = this.#handle.call((raw) => raw.end(complete));
    return [...events, ...this.#events("", answer)] as ToolBlockEvent<Name>[];
  }

  /** Frees the stream's memory. May be called twice. */
  dispose(): void {
    this.#handle.dispose();
  }

  /** Sends a piece to the module, and returns the events that it completes. */
  #send(text: string): ToolBlockEvent[] {
    if (text === "") return [];
    // Unpaired surrogates become U+FFFD, as in the module, so that lengths agree.
    const sentText = wellFormed(text);
    return this.#events(
      sentText,
      this.#handle.call((raw) => raw.push(blocksModule.send(sentText))),
    );
  }

  /**
   * The events of an answer to the text `sent`. The answer is a number: its kind in the lower bits, a length above them. With the
   * kind `text` it is the length of the next text event in UTF-16 units, else the length of the module's output in bytes.
   */
  #events(sentText: string, answer: number): ToolBlockEvent[] {
    if (!this.#over) this.#pending.add(sentText);
    const length = answer >>> blockAnswer.lengthShift;
    const kind = answer - (length << blockAnswer.lengthShift);
    if (kind === blockAnswer.records) return this.#records(blocksModule.receive(length));
    if (kind === blockAnswer.delta) return [this.#continueDelta(blocksModule.receive(length))];
    return length > 0 ? [{ type: "text", text: this.#pending.shift(length) }] : [];
  }

  /** The event for more text of the last field, whose first delta was a record. */
  #continueDelta(delta: string): ToolDeltaEvent {
    const shown = this.#shown.at(-1) as ShownField;
    shown.text += delta;
    shown.length += delta.length;
    const { toolId, index, field, length } = shown;
    return { type: "json-tool-delta", toolId, index, field, delta, length };
  }

  /** Reads an answer of long strings and, after the last line feed, records. */
  #records(answer: string): ToolBlockEvent[] {
    const stringsEnd = answer.lastIndexOf("\n");
    let offset = 0;
    const nextString = (length: number): string => {
      offset += length;
      return answer.slice(offset - length, offset);
    };
    const events: ToolBlockEvent[] = [];
    for (const record of JSON.parse(answer.slice(stringsEnd + 1)) as RawEvent[]) {
      if (this.#toolId !== undefined && "toolId" in record) record.toolId = this.#toolId;
      if (record.type === "text" || record.type === "reasoning" || record.type === "skip") {
        const { type } = record;
        const text = this.#pending.shift(record.text);
        if (type !== "skip") events.push({ type, text });
      } else if (record.type === "json-tool-delta")
        events.push(this.#noteDelta({ ...record, delta: nextString(record.delta) }));
      else events.push(record.type === "json-tool-block" ? this.#block(record, nextString) : record);
    }
    return events;
  }

  /** Remembers the text that a delta shows: the record of the finished block does not repeat it. Returns the event. */
  #noteDelta(event: ToolDeltaEvent): ToolDeltaEvent {
    const { toolId, index, field, delta, length } = event;
    const last = this.#shown.at(-1);
    if (last?.index === index && last.field === field) Object.assign(last, { text: last.text + delta, length });
    else this.#shown.push({ toolId, index, field, text: delta, length });
    return event;
  }

  /**
   * The event of a finished block. Its long strings are those that deltas have shown, or the next ones of the answer: first
   * `content`, then those of each call. `raw` is the pending text.
   */
  #block(record: RawBlock, nextString: (length: number) => string): ToolBlockEndEvent {
    const raw = typeof record.raw === "string" ? record.raw : this.#pending.shift(record.raw);
    const content = record.content < 0 ? raw : nextString(record.content);
    // The texts are put into the record itself: a copy of it would cost more than all the rest.
    const event = Object.assign(record as object, { raw, content }) as ToolBlockEndEvent;
    this.#over = this.#isCall;
    const { call: one, calls: several = one ? [one] : [] } = record;
    // The index in `#shown` of the first field of the call, or of a later call if deltas have shown none of it.
    let fieldIndex = 0;
    for (const [index, call] of several.entries()) {
      if (this.#toolId !== undefined) call.id = index > 0 ? `${this.#toolId}_${index + 1}` : this.#toolId;
      // Both lists are in the order of calls. Searching all fields for each of thousands of calls would take quadratic time.
      while ((this.#shown[fieldIndex]?.index ?? index) < index) fieldIndex += 1;
      // A call has at most three text fields.
      const candidates = this.#shown.slice(fieldIndex, fieldIndex + 3);
      const shownText = (name: TextField) =>
        candidates.find((shown) => shown.index === index && shown.field === name)?.text ?? "";
      putTexts(call, (field, length) => (length < 0 ? shownText(field) : nextString(length)));
    }
    this.#shown = [];
    return event;
  }
}

/**
 * Finds the tool blocks of a message while it arrives. Text comes out at once, except for what may be the beginning of a
 * block. A block comes out when it is over, after its status and, with `contentDeltas`, its text as it grows.
 *
 * ```ts
 * const stream = new ToolBlockStream({ contentDeltas: true });
 * const write = (chunk: Uint8Array) => stream.push(chunk).forEach(show);
 * await body.pipeTo(new WritableStream({ write }));
 * for (const event of stream.end()) show(event);
 * stream.dispose();
 * ```
 */
export class ToolBlockStream<Name extends string = never> extends Stream<Name> {
  constructor(options: ToolBlockStreamOptions<Name> = {}) {
    super("ToolBlockStream", options, STREAM_OPTIONS);
  }
}

/**
 * Reads the streamed arguments of one native tool call: JSON without a fence, for the tool in the options. It has the same
 * events as {@link ToolBlockStream}; the block comes at the end.
 *
 * ```ts
 * const stream = new ToolCallStream({ tool: "write_file", toolId: part.toolCallId });
 * stream.push('{"path": "a.txt", "con');
 * ```
 */
export class ToolCallStream<Name extends string = never> extends Stream<Name> {
  constructor(options: ToolCallStreamOptions<Name>) {
    const { tool, toolId } = options ?? {};
    if (typeof tool !== "string") throw misuse("ToolCallStream: the option tool must be a string.");
    if (toolId !== undefined && typeof toolId !== "string") throw misuse("ToolCallStream: toolId must be a string.");
    super("ToolCallStream", options, [...STREAM_OPTIONS, "tool", "toolId"]);
  }
}

/**
 * Adds an event to those of the same piece. Adjacent texts, and adjacent deltas of a field, become one event. The first delta of
 * a field, whose `length` is that of the delta, begins a new event.
 */
function join(events: ToolBlockEvent[], event: ToolBlockEvent): void {
  const last = events.at(-1);
  if ((last?.type === "text" || last?.type === "reasoning") && event.type === last.type) last.text += event.text;
  else if (last?.type === "json-tool-delta" && event.type === last.type && event.length > event.delta.length) {
    last.delta += event.delta;
    last.length = event.length;
  } else events.push(event);
}

/** Replaces the lengths in a call by the long strings, which `textOf` returns, and adds the strings to its arguments. */
function putTexts(raw: RawCall, textOf: (field: TextField, length: number) => string): void {
  const call = raw as Omit<RawCall, "content" | "search_replace"> as ToolCall;
  const { content, search_replace: edit } = raw;
  if (content !== undefined) call.content = call.args.content = textOf("content", content);
  if (edit) {
    const old_string = textOf("old_string", edit.old_string);
    const new_string = textOf("new_string", edit.new_string);
    call.search_replace = { old_string, new_string };
    Object.assign(call.args.search_replace as object, call.search_replace);
  }
  putEdits(call);
}

/** The options as one line of JSON; an empty text for no options. */
export function optionsText(method: string, options: ToolBlockOptions): string {
  if (Object.keys(options).length === 0) return "";
  const { tools } = options;
  return optionText(`${method}: the options`, tools ? { ...options, tools: readTools(method, tools) } : options);
}
