/** The text that `Workspace.save()` writes: proposals, and the files if they are in memory. */
import type { FileCall } from "../blocks/types.js";
import { GenuiPatchError } from "../core/errors.js";
import { parseJson } from "../core/json.js";
import { isObject, isText } from "../core/kinds.js";
import type { Json } from "../types.js";
import type { Text } from "./proposals.js";

/** A saved proposal. Everything else about it is computed on restore. */
export interface SavedProposal {
  id: string;
  call: FileCall;
  /** The text of the file when the call was proposed. */
  before: Text;
}

export interface SavedWorkspace {
  /** The files of a workspace in memory, by path. */
  files: Record<string, string> | undefined;
  proposals: SavedProposal[];
}

/** The version of the text. */
const VERSION = 1;

export function writeSaved({ files, proposals }: SavedWorkspace): string {
  return JSON.stringify({ "genui-patch-files": VERSION, files, proposals });
}

/** @throws GenuiPatchError `INVALID_JSON`, `INVALID_STRUCTURE`. */
export function readSaved(text: string): SavedWorkspace {
  const saved = parseJson(text);
  if (saved === undefined) throw damagedText("INVALID_JSON");
  if (!isObject<Json>(saved) || saved["genui-patch-files"] !== VERSION) throw damagedText();
  const { files, proposals } = saved;
  if (!areTexts(files) || !Array.isArray(proposals) || !proposals.every(isProposal)) throw damagedText();
  return { files, proposals: proposals as unknown as SavedProposal[] };
}

export const damagedText = (code = "INVALID_STRUCTURE"): GenuiPatchError =>
  new GenuiPatchError(code, "The text is not one that save() of a Workspace returned.");

const areTexts = (files: Json | undefined): files is Record<string, string> | undefined =>
  files === undefined || (isObject<Json>(files) && Object.values(files).every(isText));

const isProposal = (value: unknown): boolean =>
  isObject(value) && isText(value.id) && isObject(value.call) && (value.before === null || isText(value.before));
