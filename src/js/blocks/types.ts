/** The types of tool blocks: issues, calls, events, options. */
import type { ToolInput } from "../definitions/types.js";
import type { BlockErrorCode, CallFormat } from "../generated/facts.js";
import type { Json, Limits, Position } from "../types.js";
import type { PathPolicy } from "./policy.js";

export type { BlockErrorCode, CallFormat };

/** One finding about a tool block. */
export interface Issue {
  /** The kind of finding; the documentation lists all codes. */
  code: BlockErrorCode;
  /** One sentence. `errors` of a report lists the messages of the errors. */
  message: string;
  /** The field: `"search_replace.old_string"`, `"1.path"` among several calls, `""` for the block as a whole. */
  path: string;
  /** Position of the finding, counted from the first character of the JSON. */
  position?: Position;
  /** Only errors make a block invalid. */
  severity: "error" | "warning";
}

/** One change that a repair made. */
export interface Fix {
  /** The kind of change: `TRAILING_COMMA`, `UNESCAPED_QUOTE`, … */
  code: string;
  /** One sentence. */
  message: string;
  /** Its position in the text as it arrived, counted from the first character of the JSON. */
  position: Position;
}

interface CallBase<Name extends string> {
  /** Unique in its stream. */
  id: string;
  tool: Name;
  /** All fields of the call, with its path and texts, unchanged. */
  args: Record<string, Json>;
  /** `detected` in reports and events. A `Workspace` sets the others while it executes the call. */
  status: "detected" | "processing" | "executing" | "completed" | "failed";
}

interface FileCallBase<Name extends string> extends CallBase<Name> {
  /** The path, checked by the policy and normalised. */
  path: string;
}

/** Makes a file, or replaces its whole text. */
export interface WriteFileCall extends FileCallBase<"write_file"> {
  /** The whole text of the file. */
  content: string;
  search_replace?: undefined;
  edits?: undefined;
}

/** One replacement of several in a call of `edit_file`. */
export interface Replacement {
  old_string: string;
  new_string: string;
  /** Replaces every occurrence. Only `true` counts; else `old_string` must occur exactly once. Models send null for "no". */
  replace_all?: boolean | null | undefined;
}

/** Replaces one text of a file, or several with `edits`. */
export interface EditFileCall extends FileCallBase<"edit_file"> {
  /** The only replacement. If the call has `edits`, it is absent at run time, whatever the type says: check `edits` first. */
  search_replace: { old_string: string; new_string: string };
  /** Several replacements, in order: all of them are made, or none. */
  edits?: readonly Replacement[] | undefined;
  content?: undefined;
}

/** Deletes a file. */
export interface DeleteFileCall extends FileCallBase<"delete_file"> {
  content?: undefined;
  search_replace?: undefined;
  edits?: undefined;
}

/** A call of one of `options.tools`. */
export interface CustomCall<Name extends string = string> extends CallBase<Name> {
  /** Only where the call has a `path` that is a file's: checked by the policy and normalised. */
  path?: string | undefined;
  content?: undefined;
  search_replace?: undefined;
  edits?: undefined;
}

/**
 * A valid call of a tool. `Name` are the names of `options.tools`. If they are literals or `never`, so that the type checker knows
 * them, comparing `tool` narrows the type to the calls of that tool.
 */
export type ToolCall<Name extends string = string> =
  | WriteFileCall
  | EditFileCall
  | DeleteFileCall
  | ([Name] extends [never] ? never : CustomCall<Name>);

/** Result of {@link validateToolBlock}. Act on `call` or `calls`: only valid blocks have them. */
export interface ToolBlockReport<Name extends string = string> {
  isValid: boolean;
  /** The messages of the issues that are errors. */
  errors: string[];
  issues: Issue[];
  /** The call of a valid block, if it has one. */
  call?: ToolCall<Name>;
  /** The calls of a valid block, if it has several. */
  calls?: ToolCall<Name>[];
  /** The value of valid JSON; a list if there are several values. Absent if the JSON is not valid. */
  parsedJson?: Json;
  /** Where in the text the JSON begins, in UTF-16 units. Positions of issues count from there. */
  jsonStart: number;
}

/**
 * A call for a `Workspace`: the `call` of a tool block, or a tool with its fields. `tool` may be any text, since calls come from
 * outside: a workspace refuses an unknown tool.
 */
export interface FileCall {
  id?: string | undefined;
  tool: string;
  path: string;
  content?: string | undefined;
  search_replace?: { old_string: string; new_string: string } | undefined;
  edits?: readonly Replacement[] | undefined;
  args?: Record<string, Json> | undefined;
  status?: ToolCall["status"] | undefined;
}

/** All calls of a finished message, and the text around them. */
export interface ParsedToolCalls<Name extends string = string> {
  /** The calls of all valid blocks, in order. */
  calls: ToolCall<Name>[];
  /** The ranges of the blocks in the message, in UTF-16 units, and their calls if they are valid. */
  blocks: { start: number; end: number; call?: ToolCall<Name>; calls?: ToolCall<Name>[] }[];
  /** The message without its blocks and without its reasoning. */
  text: string;
  /** The reasoning, without the tags around it, if there is any. */
  reasoning?: string;
  /** The issues of all blocks. */
  issues: Issue[];
}

/** Options of everything that reads tool blocks. */
export interface ToolBlockOptions<Name extends string = string> {
  /** Tools beside `write_file`, `edit_file` and `delete_file`. */
  tools?: readonly ToolInput<Name>[] | undefined;
  /** Which paths a call may name. */
  policy?: PathPolicy | undefined;
  /**
   * Reasoning, in which nothing is a call: between `<think>`, `<thinking>`, `<reasoning>`, `<reflection>` or `<scratchpad>` at
   * the beginning of a line and its end. `tags` names more tags, without brackets; `open` says that the prompt has opened
   * the tag, so that only its end arrives.
   */
  reasoning?: { tags?: readonly string[] | undefined; open?: boolean | undefined } | undefined;
  /** Whether a call may stand without a fence, on lines of its own. Default: true. */
  unfenced?: boolean | undefined;
  /** Formats of calls to read beside JSON in fences, wrapper tags and lines of its own. Default: none. */
  formats?: readonly CallFormat[] | undefined;
  /** Only `maxBlockBytes`, `maxDepth`, `maxIssues` and `maxCalls` have an effect here. */
  limits?: Partial<Limits> | undefined;
}

/** Options of streams of tool blocks. */
export interface ToolBlockStreamOptions<Name extends string = string> extends ToolBlockOptions<Name> {
  /** Whether a block is repaired when it ends, if that is possible without a model. Default: true. */
  repair?: boolean | undefined;
  /** Whether events carry the texts of `content`, `old_string` and `new_string` as they arrive. Default: false. */
  contentDeltas?: boolean | undefined;
  /** Whether each entry of a call's `patches` is reported as soon as it has arrived. Default: false. */
  patches?: boolean | undefined;
}

/** Options of the end of a text. */
export interface EndOptions {
  /** The message was not cut off, so missing brackets at its end are added. Default: false. */
  complete?: boolean | undefined;
}

/** Options of {@link repairToolBlock}. With `complete`, a missing closing fence is added too. */
export interface ToolBlockRepairOptions<Name extends string = string> extends ToolBlockOptions<Name>, EndOptions {}

/** The result of `repairToolBlock`. */
export interface ToolBlockRepair<Name extends string = string> {
  /** The text with its block repaired; the text itself if nothing was done. */
  text: string;
  /** The changes, in the order of the text. */
  fixes: Fix[];
  /** The report of {@link validateToolBlock} on `text`. Act on its `call` or `calls`. */
  report: ToolBlockReport<Name>;
}

/** Options of {@link repairJson}. Default of `complete`: true. */
export interface JsonRepairOptions extends Pick<ToolBlockOptions, "limits">, EndOptions {}

/** The result of `repairJson`. */
export interface JsonRepair {
  /** JSON if `ok`, else the text itself. */
  text: string;
  /** The changes, in the order of the text; empty if nothing was done. */
  fixes: Fix[];
  /** Whether `text` is JSON. */
  ok: boolean;
}

/** The result of `parsePartialJson`. */
export interface PartialJson {
  /** The value so far; `undefined` if it has not begun. */
  value: Json | undefined;
  /** Whether the text is JSON as it stands: what `JSON.parse` reads. */
  complete: boolean;
}

/** Options of a `ToolCallStream`, which reads the arguments of one native call of a tool. */
export interface ToolCallStreamOptions<Name extends string = string> extends ToolBlockStreamOptions<Name> {
  /** The name of the tool. */
  tool: string;
  /** The id of the call, as its events carry it. Default: `tool_1`. */
  toolId?: string | undefined;
}

/** Text that belongs to no block. */
export interface TextEvent {
  type: "text";
  text: string;
}

/** Reasoning of the model, without the tags around it. Nothing in it is a call. */
export interface ReasoningEvent {
  type: "reasoning";
  text: string;
}

/** A block is arriving: its tool is known, or, the second time, its path. */
export interface ToolStatusEvent {
  type: "json-tool-status";
  /** The id of the first call of the block. */
  toolId: string;
  /** The tool, as it is written. */
  toolType: string | null;
  /** The path as it is written, once it is known. */
  path: string | null;
  status: "buffering";
  /** `Creating...`, `Editing...`, `Deleting...`, or `Processing...` for an unknown tool. */
  statusMessage: string;
}

/** More of a field's text, decoded. A preview: the block may still fail. */
export interface ToolDeltaEvent {
  type: "json-tool-delta";
  toolId: string;
  /** The index of the call in its block, from 0. */
  index: number;
  field: "content" | "old_string" | "new_string";
  /** The text that is new. */
  delta: string;
  /** The length of the field so far in UTF-16 units, this delta included. */
  length: number;
}

/** An entry of the `patches` of a call has arrived. A preview: the block may still fail. Only with the option `patches`. */
export interface ToolPatchEvent {
  type: "json-tool-patch";
  toolId: string;
  /** The index of the call in its block, from 0. */
  index: number;
  /** The tool of the call, as it is written. */
  toolType: string;
  /** Null: the call is about an instance, not about a file. */
  path: null;
  /** Its index in `patches`. */
  patchIndex: number;
  /** The other keys of the call that have arrived; the name of its instance is always among them. */
  call: { [key: string]: Json };
  /** The entry. */
  patch: { [key: string]: Json };
}

/**
 * A block is over. Act on `call` or `calls`, never on `validationPassed`. An event whose first issue is `NOT_A_CALL` reports
 * JSON that names a known tool and is not executed. Its `raw` has already come in text events or in the block before it: do not
 * show it a second time.
 */
export interface ToolBlockEndEvent<Name extends string = string>
  extends Pick<ToolBlockReport<Name>, "errors" | "issues" | "call" | "calls"> {
  type: "json-tool-block";
  /** The id of its first call. */
  toolId: string;
  /** The tool of its first call, as it is written; null if no name was read. */
  toolType: string | null;
  /** The path of its first call, as it is written, or null; `call.path` is the checked one. */
  path: string | null;
  /** `truncated`: the text ended inside the block, or the block is over the limit. */
  status: "complete" | "truncated";
  /** Where the block begins: the number of UTF-16 units of the stream before it. */
  start: number;
  /** The block as it arrived, with its fences. */
  raw: string;
  /** The block that counts: the repaired one if `corrected`, else `raw`. */
  content: string;
  /** Whether the block was valid as it arrived. */
  validationPassed: boolean;
  /** Whether a repair, or a model, made it valid. */
  corrected: boolean;
  /** The fixes that made it valid; absent unless `corrected`. */
  correctedBy?: "repair" | "model";
  /** The changes of the repair; empty if there were none. */
  fixes: Fix[];
}

export type ToolBlockEvent<Name extends string = string> =
  | TextEvent
  | ReasoningEvent
  | ToolStatusEvent
  | ToolDeltaEvent
  | ToolPatchEvent
  | ToolBlockEndEvent<Name>;

/** A request to a model to correct a block. */
export interface CorrectionPrompt {
  /** The system prompt. */
  system: string;
  /** The user message, which quotes the block and its errors. */
  prompt: string;
  /** The recommended temperature: a correction needs no variety. */
  temperature: 0.1;
}

/** The prompt for a model, and the signal that aborts the request. */
export interface GenerateRequest extends CorrectionPrompt {
  signal?: AbortSignal | undefined;
}

/** Asks a model and returns its text. If it throws or returns no text, the attempt has failed; the caller gets no exception. */
export type Generate = (request: GenerateRequest) => string | PromiseLike<string>;

/** How a model corrects blocks. */
export interface CorrectionOptions {
  /** Asks the model. */
  generate: Generate;
  /** How often the model may be asked about one block. Default 1; with 0, only the repair corrects blocks. */
  maxAttempts?: number | undefined;
  /** Aborts the request to the model. */
  signal?: AbortSignal | undefined;
}

/** Options of `correctToolBlock`. */
export interface CorrectToolBlockOptions<Name extends string = string>
  extends ToolBlockOptions<Name>,
    CorrectionOptions {}

/** The result of `correctToolBlock`. */
export interface CorrectedToolBlock<Name extends string = string> {
  /** Whether the block was made valid. */
  corrected: boolean;
  /** The fixes that made it valid; absent unless `corrected`. */
  by?: "repair" | "model";
  /** The block that counts: fenced if it was corrected, else as it was given. */
  content: string;
  /** The report on `content`. Act on its `call` or `calls`. */
  report: ToolBlockReport<Name>;
  /** How often the model was asked. */
  attempts: number;
}

/** Options of `toolBlockTransform`, which turns the pieces of a message into events. Without `generate` no model is asked. */
export interface ToolBlockTransformOptions<Name extends string = string>
  extends ToolBlockStreamOptions<Name>,
    Partial<CorrectionOptions> {}
