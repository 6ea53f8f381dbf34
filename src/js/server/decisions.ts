/** Reads decisions as pages or the application send them: which part of a proposal is approved. One function for each kind. */
import type { ApproveOptions } from "../approval/inputs.js";
import { isObject, isText, isTexts } from "../core/kinds.js";
import type { ApproveNodeOptions } from "../flow/types.js";
import type { FileDecision } from "./room-files.js";

/** A decision as it was sent: the types of its members are not checked. */
export interface SentDecision {
  /** Of a document: the paths of the changes that are approved. */
  paths?: unknown;
  /** The user's own values: of a document by path, of a node by field; of a file its text. */
  edits?: unknown;
  /** Of a file: the indexes of the hunks that are approved. */
  hunks?: unknown;
  /** Of a node: the fields that are approved. */
  fields?: unknown;
  /** Of a file: the revision whose diff the user has seen. */
  seen?: unknown;
}

/** The part of a proposal on a document that is approved. Members of a wrong type are left out; the store checks the others. */
export function patchDecision({ paths, edits }: SentDecision): ApproveOptions {
  return {
    ...(Array.isArray(paths) && { paths }),
    ...(isObject(edits) || Array.isArray(edits) ? { edits } : {}),
  };
}

/** The part of a proposal on a file that is approved; `undefined` for hunks and edits at once, or of a wrong type. */
export function fileDecision({ hunks, edits, seen }: SentDecision): FileDecision | undefined {
  if (hunks !== undefined && edits !== undefined) return undefined;
  if (hunks !== undefined) return Array.isArray(hunks) ? { hunks, seen } : undefined;
  if (edits !== undefined) return isText(edits) ? { edits } : undefined;
  return {};
}

/**
 * The part of a proposal on a node that is approved. Members of a wrong type are left out; the store of flows checks the others.
 */
export function nodeDecision({ fields, edits }: SentDecision): ApproveNodeOptions {
  return { ...(isTexts(fields) && { fields }), ...(isObject(edits) && { edits }) };
}
