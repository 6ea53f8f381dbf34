/** The part of a proposal that is approved, as a page or the application sends it, for each kind of proposal. */
import type { ApproveOptions } from "../approval/inputs.js";
import { isObject, isText, isTexts } from "../core/kinds.js";
import type { ApproveNodeOptions } from "../flow/types.js";
import type { FileDecision } from "./room-files.js";

/** What was sent: nothing of it is checked. */
export interface Decided {
  paths?: unknown;
  edits?: unknown;
  hunks?: unknown;
  fields?: unknown;
  seen?: unknown;
}

export function patchDecision({ paths, edits }: Decided): ApproveOptions {
  return {
    ...(Array.isArray(paths) && { paths }),
    ...(isObject(edits) || Array.isArray(edits) ? { edits } : {}),
  };
}

/** `undefined` for hunks and edits at once, or of other types. */
export function fileDecision({ hunks, edits, seen }: Decided): FileDecision | undefined {
  if (hunks !== undefined && edits !== undefined) return undefined;
  if (hunks !== undefined) return Array.isArray(hunks) ? { hunks, seen } : undefined;
  if (edits !== undefined) return isText(edits) ? { edits } : undefined;
  return {};
}

export function nodeDecision({ fields, edits }: Decided): ApproveNodeOptions {
  return { ...(isTexts(fields) && { fields }), ...(isObject(edits) && { edits }) };
}
