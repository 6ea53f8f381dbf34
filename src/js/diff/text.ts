/** What differs between two texts, and what can be made of it. */
import type { Hunk } from "../approval-types.js";
import { call, receive, receiveJson, send } from "../bridge.js";
import { GenuiPatchError } from "../errors.js";
import * as glue from "../generated/glue.js";
import { requireKeys, requireText, wrong } from "../require.js";

/** How {@link textDiff} compares. */
export interface TextDiffOptions {
  /** `"word"`, the default, marks what changed within lines; `"line"` saves the time for that. */
  by?: "line" | "word" | undefined;
  /** Unchanged lines around a change. Default: 3. */
  context?: number | undefined;
}

const CONTEXT = 3;

/**
 * What differs between two texts, as hunks of lines. Made all, they give the second text; none, the first; see
 * {@link applyHunks}. A line's text and its `end` together are the line as it stands. Bounded in time: where two large
 * texts have little in common, the diff is coarser than it could be, and still right. Halves of surrogate pairs read as
 * U+FFFD.
 *
 * ```ts
 * textDiff("let a = 1;\n", "let b = 1;\n")[0].lines;
 * // [{ kind: "removed", text: "let a = 1;", words: [[4, 5]] }, { kind: "added", text: "let b = 1;", words: [[4, 5]] }]
 * ```
 * @throws GenuiPatchError `INVALID_ARGUMENT` if a text is no string or an option is not understood.
 */
export function textDiff(before: string, after: string, options: TextDiffOptions = {}): Hunk[] {
  const context = check("textDiff", before, after, options);
  if (before === after) return [];
  const words = options.by === "line" ? 0 : 1;
  return call(() => receiveJson<Hunk[]>(glue.text_diff(sendTexts([before, after], [context, words]))));
}

/**
 * The first text with some of the hunks of {@link textDiff} made: `hunks` are their indexes, and `context` is what it was
 * there.
 *
 * ```ts
 * applyHunks("a\nb\n", "A\nB\n", [0]); // "A\nB\n"
 * applyHunks("a\nb\n", "A\nB\n", []); // "a\nb\n"
 * ```
 * @throws GenuiPatchError `INVALID_ARGUMENT` if an argument is not understood.
 */
export function applyHunks(
  before: string,
  after: string,
  hunks: readonly number[],
  options: TextDiffOptions = {},
): string {
  const context = check("applyHunks", before, after, options);
  if (!Array.isArray(hunks) || !hunks.every((index) => Number.isSafeInteger(index) && index >= 0))
    throw wrong("applyHunks", "hunks", "a list of indexes", hunks);
  return call(() => receive(glue.choose_hunks(sendTexts([before, after], [context, ...hunks]))));
}

function check(method: string, before: unknown, after: unknown, options: TextDiffOptions): number {
  requireText(method, "text before", before);
  requireText(method, "text after", after);
  requireKeys(method, "options", options, ["by", "context"]);
  const { by, context = CONTEXT } = options;
  if (by !== undefined && by !== "line" && by !== "word")
    throw new GenuiPatchError("INVALID_ARGUMENT", `${method}: by is "line" or "word".`);
  if (typeof context !== "number" || !(context >= 0)) throw wrong(method, "context", "a number from 0", context);
  return Math.min(Math.floor(context), 2 ** 31);
}

/** A line of numbers, the lengths first, and each text with a line break behind it. */
function sendTexts(texts: readonly string[], numbers: readonly number[] = []): number {
  return send(`[${[...texts.map(({ length }) => length), ...numbers].join()}]\n${texts.join("\n")}\n`);
}

/** What both made of a text, together; null if they overlap. */
export function mergeTexts(base: string, one: string, other: string): string | null {
  const answer = call(() => receive(glue.merge_texts(sendTexts([base, one, other]))));
  return answer === "" ? null : answer.slice(1);
}

/** Why a piece could not be replaced. */
export interface EditFailure {
  matches: number;
  /** The lines of the first matches. */
  lines?: number[];
  /** Where the text is most like the piece. */
  nearest?: NearestText;
}

/** A place in a file that is like what was looked for. */
export interface NearestText {
  /** From 1. */
  line: number;
  /** As many lines as were looked for. */
  text: string;
}

/** The text with the one place of a piece replaced. */
export function editText(text: string, from: string, to: string): string | EditFailure {
  const answer = call(() => receive(glue.edit_text(sendTexts([text, from, to]))));
  return answer[0] === "=" ? answer.slice(1) : (JSON.parse(answer) as EditFailure);
}
