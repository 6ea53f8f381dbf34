/** The arguments of `propose` and `approve`: types, checks and conversions. */
import { copyWellFormed, copyWithinDepth, parseJson, toText } from "../core/json.js";
import { isObject, type Members } from "../core/kinds.js";
import { type ArgumentKind, fits, OBJECT } from "../core/require.js";
import type { Step } from "../core/tree.js";
import type { Json, PatchCall } from "../types.js";
import type { PathLike } from "./select.js";

/** The approved part of a proposal. Default: all of it. */
export interface ApproveOptions {
  /** Only the changes at or below these paths: texts as in a call, or paths of changes in the diff. */
  paths?: readonly PathLike[] | undefined;
  /**
   * The user's own values, by path: in place of proposed values, or in addition. In a list of `[path, value]` a path may be the
   * path of a change, for keys that a path text cannot name, such as `""` and `constructor`.
   */
  edits?: { readonly [path: string]: unknown } | readonly (readonly [path: PathLike, value: unknown])[] | undefined;
}

/** A call to propose. A second call with the same `id` returns the first proposal. */
export type ProposedCall = PatchCall & { id?: string | undefined };

/** A call as JSON text for the module, and as values that the proposal shows. */
export interface TextAndValues {
  text: string;
  /** The members of the call; empty for a text that is not an object. */
  values: Members;
  /** The id by which the page knows the call. */
  callId?: string | undefined;
}

/**
 * A call as JSON text, and as a value. The value is `undefined` if the text is not JSON, or the object is nested too deeply: the
 * module will refuse the text.
 */
export function readCall(call: ProposedCall | string): { text: string; value: Json | undefined } {
  if (typeof call === "string") return { text: call, value: parseJson(call) };
  const value = copyWithinDepth(call, "call");
  return value === undefined ? { text: toText(call, "call"), value } : { text: JSON.stringify(value), value };
}

/** The edits as pairs. {@link EDITS} has checked them. */
export function readEdits(edits: ApproveOptions["edits"] = {}): [PathLike, Json][] {
  const copy = copyWellFormed(edits, "edits");
  if (isObject<Json>(copy)) return Object.entries(copy);
  return Array.isArray(copy) ? copy.flatMap((edit) => (isEdit(edit) ? [edit] : [])) : [];
}

const isStep = (step: unknown): step is Step => typeof step === "string" || Number.isInteger(step);
const isPath = (path: unknown): path is PathLike =>
  typeof path === "string" || (Array.isArray(path) && path.every(isStep));
const isEdit = (edit: unknown): edit is [PathLike, Json] => Array.isArray(edit) && edit.length === 2 && isPath(edit[0]);
/** The option `edits`. */
export const EDITS: ArgumentKind = [
  "a plain object, or a list of [path, value], at least one",
  (value) => (Array.isArray(value) ? value.length > 0 && value.every(isEdit) : fits(OBJECT, value)),
];
/** The option `paths`. An empty list is accepted here: together with `edits` it is valid. */
export const PATHS: ArgumentKind = [
  "a list of paths, at least one",
  (value) => Array.isArray(value) && value.every(isPath),
];
