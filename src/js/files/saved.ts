/** The text that `Workspace.save()` writes: proposals, and the files if they are in memory. */
import type { FileCall } from "../blocks/types.js";
import { GenuiPatchError } from "../core/errors.js";
import { parseJson } from "../core/json.js";
import { isObject, isText } from "../core/kinds.js";
import { isAuthor } from "../store/authors.js";
import type { Author, Json } from "../types.js";
import type { PatchedFile } from "./patch/types.js";
import type { Text } from "./proposals.js";

/** A saved proposal. Everything else about it is computed on restore. */
export interface SavedProposal {
  id: string;
  call: FileCall;
  /** The text of the file when the call was proposed; null if there was no file. For a patch, of its first file. */
  before: Text;
  /** For a patch: its files, since the text alone does not say which format it is in. */
  files?: PatchedFile[];
  author?: Author;
  group?: string;
}

/** The contents of the text. */
export interface SavedWorkspace {
  /** The files of a workspace in memory, by path; `undefined` for a workspace on a host, which has the files. */
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
  if (!areTexts(files) || !Array.isArray(proposals)) throw damagedText();
  const savedProposals = proposals.map((proposal: unknown) => {
    if (!isProposal(proposal)) throw damagedText();
    return proposal;
  });
  return { files, proposals: savedProposals };
}

/** The error for a text that `save` has not written. */
export const damagedText = (code = "INVALID_STRUCTURE"): GenuiPatchError =>
  new GenuiPatchError(code, "The text is not one that save() of a Workspace returned.");

const areTexts = (files: Json | undefined): files is Record<string, string> | undefined =>
  files === undefined || (isObject<Json>(files) && Object.values(files).every(isText));

const isTextOrNull = (value: unknown): value is Text => value === null || isText(value);

/** Checks what `restore` relies on. The call itself is validated when the proposal is restored. */
function isProposal(value: unknown): value is SavedProposal {
  if (!isObject(value) || !isText(value.id) || !isObject(value.call) || !isTextOrNull(value.before)) return false;
  const { files, author, group } = value;
  const isAboutFiles = files === undefined || (Array.isArray(files) && files.every(isPatchedFile));
  return isAboutFiles && (author === undefined || isAuthor(author)) && (group === undefined || isText(group));
}

const isPatchedFile = (value: unknown): boolean =>
  isObject(value) &&
  isText(value.path) &&
  (value.from === undefined || isText(value.from)) &&
  isTextOrNull(value.before) &&
  isTextOrNull(value.after);
