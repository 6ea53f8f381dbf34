/**
 * Conversions of the files of a call. A call is planned: the plan has each file with its text before and after. From the plan
 * come the parts of a proposal and the edits to write; from the parts, what is saved.
 */

import { checkPath } from "../blocks/policy.js";
import type { Fix } from "../blocks/types.js";
import type { FileEdit } from "./commit.js";
import { FileRefusedError } from "./errors.js";
import { pathInstead } from "./instead.js";
import type { PatchedFile } from "./patch/types.js";
import { type CheckedCall, checkCall, DEFAULT_ID, type FileRead, type FileTexts } from "./plan.js";
import type { FilePart, ProposalRecord } from "./proposals.js";
import type { SavedProposal } from "./saved.js";
import type { WorkspaceOptions } from "./types.js";

/** The texts that were read, by path. */
export const textsBefore = (reads: readonly FileRead[]): FileTexts =>
  new Map(reads.map(({ path, text }) => [path, text]));

/** The fixes of all files of a call: how the texts to replace differ from the texts that they match. No property without any. */
export function fixesOf(planned: readonly Pick<PatchedFile, "fixes">[]): { fixes?: Fix[] } {
  const fixes = planned.flatMap(({ fixes = [] }) => fixes);
  return fixes.length > 0 ? { fixes } : {};
}

/** The edits of a planned call. `from` is the old path of a file that is moved: its edits are a creation and a removal. */
export function editsOf(planned: readonly PatchedFile[], reads: readonly FileRead[]): FileEdit[] {
  const fileOf = (wanted: string) => reads.find(({ path }) => path === wanted)?.file ?? wanted;
  return planned.flatMap(({ path, from, before, after }): FileEdit[] => {
    if (from === undefined) return [{ path, file: fileOf(path), before, after }];
    return [
      { path, file: fileOf(path), before: null, after },
      { path: from, file: fileOf(from), before, after: null },
    ];
  });
}

/** The parts of a proposal, one for each planned file. `files`: the identities of the files of the call's `paths`. */
export function partsOf(
  { paths }: CheckedCall,
  files: readonly string[],
  planned: readonly (Omit<PatchedFile, "after"> & { after?: string | null })[],
): { parts: FilePart[]; fixes?: Fix[] } {
  const withIdentity = (path: string) => ({ path, file: files[paths.indexOf(path)] ?? path });
  const parts = planned.map(({ path, from, before, after }): FilePart => {
    return {
      ...withIdentity(path),
      ...(from !== undefined && { from: withIdentity(from) }),
      before,
      seen: before,
      ...(after !== undefined && { after }),
    };
  });
  return { parts, ...fixesOf(planned) };
}

/** The parts, with the current texts of their files as the texts whose diff the user sees (`seen`). */
export function withCurrentTexts(parts: readonly FilePart[], reads: readonly FileRead[]): FilePart[] {
  const texts = textsBefore(reads);
  return parts.map((part) => {
    // A file cannot be moved to a path that another file has.
    const isBlocked = part.from !== undefined && (texts.get(part.path) ?? null) !== null;
    return { ...part, seen: isBlocked ? undefined : (texts.get(part.from?.path ?? part.path) ?? null) };
  });
}

/** The plan of a call on these texts; `undefined` if it cannot be applied to them. */
export function planOn(checked: CheckedCall, texts: FileTexts): PatchedFile[] | undefined {
  try {
    return checked.plan(texts, "reviewed");
  } catch (cause) {
    if (cause instanceof FileRefusedError) return undefined;
    throw cause;
  }
}

/** In place of a plan: the files of a call that cannot be applied to these texts. */
export const filesWithoutPlan = ({ paths }: CheckedCall, texts: FileTexts): Omit<PatchedFile, "after">[] =>
  paths.map((path) => ({ path, before: texts.get(path) ?? null }));

/** A proposal as it is saved. */
export function savedProposal({ proposal, parts, isPatch }: ProposalRecord): SavedProposal {
  const { id, proposed: call, author, group } = proposal;
  // A part without `after` cannot be applied: it is saved as one that changes nothing.
  const files = parts.map(({ path, from, before, after = before }): PatchedFile => {
    return { path, ...(from && { from: from.path }), before, after };
  });
  const saved: SavedProposal = {
    id,
    call,
    before: parts[0]?.before ?? null,
    ...(author && { author }),
    ...(group !== undefined && { group }),
  };
  return isPatch ? { ...saved, files } : saved;
}

/** The texts on which a saved call was proposed. */
export function savedTexts({ before, files }: SavedProposal, { paths }: CheckedCall): FileTexts {
  if (files === undefined) return new Map(paths.map((path) => [path, before]));
  const texts = new Map<string, string | null>();
  for (const { path, from, before } of files) {
    // The text of a moved file was at its old path, and nothing at the new one.
    texts.set(from ?? path, before);
    if (from !== undefined) texts.set(path, null);
  }
  return texts;
}

/**
 * The call of a saved proposal, checked again under the current options. The plan of a patch is the saved change of its files,
 * which the user has seen: its text is not parsed again.
 */
export function restoredCall({ call, files }: SavedProposal, options: WorkspaceOptions): CheckedCall {
  if (files === undefined) return checkCall("restore", call, options);
  const paths = [...new Set(files.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])))];
  // Saved texts may have been edited, so that any member of the call may have any value.
  const tool = call.tool === "apply_diff" ? "apply_diff" : "apply_patch";
  const patch = "patch" in call && typeof call.patch === "string" ? call.patch : "";
  const checked: CheckedCall = {
    call: {
      id: call.id ?? DEFAULT_ID,
      tool,
      path: paths.join(", "),
      patch,
      args: call.args ?? {},
      status: "processing",
    },
    paths,
    isPatch: true,
    plan: () => [...files],
  };
  for (const path of paths) {
    const checkedPath = checkPath(path, options.policy);
    if (checkedPath.ok) continue;
    const { message } = checkedPath;
    const error = { code: "UNSAFE_PATH" as const, message, solution: pathInstead(path, options.policy), path };
    return { ...checked, refused: new FileRefusedError({ status: "error", error }) };
  }
  return checked;
}
