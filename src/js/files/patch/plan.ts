/** `planPatch`: computes the files after a patch, one section after the other, without writing anything. */
import type { Fix } from "../../blocks/types.js";
import { PatchFaultError } from "./fault.js";
import { applyPatchHunks } from "./place.js";
import type { FileOperation, PatchedFile, TextFunctions } from "./types.js";

/** The texts of files while a patch is planned; null for a file that does not exist. */
type Texts = ReadonlyMap<string, string | null>;

/**
 * The files that a patch changes, with their texts before and after it. Each operation works on the texts that the ones before it
 * left: a patch may change a file twice, or change it and then move it.
 * @throws PatchFaultError
 */
export function planPatch(
  operations: readonly FileOperation[],
  texts: Texts,
  isReviewed: boolean,
  functions: TextFunctions,
): PatchedFile[] {
  const { wellFormed } = functions;
  // The texts after the operations so far.
  const now = new Map(texts);
  // By the new path of a moved file: its path before the patch.
  const origins = new Map<string, string>();
  // The fixes of a file, by the path that it has after the operations so far.
  const fixes = new Map<string, Fix[]>();
  const textOf = (path: string): string => {
    const text = now.get(path) ?? null;
    if (text === null) throw new PatchFaultError({ code: "NOT_FOUND", path });
    return text;
  };
  const create = (path: string, content: string) => {
    if ((now.get(path) ?? null) !== null) throw new PatchFaultError({ code: "ALREADY_EXISTS", path });
    now.set(path, wellFormed(content));
  };
  for (const operation of operations) {
    const { kind, path } = operation;
    if (kind === "add") create(path, operation.content);
    else if (kind === "delete") {
      const text = textOf(path);
      requireDeletedText(text, operation, isReviewed, functions);
      now.set(path, null);
    } else {
      const { to, hunks, keepsCr } = operation;
      const result = applyPatchHunks(wellFormed(textOf(path)), hunks, path, isReviewed, keepsCr, functions);
      if (to === undefined) now.set(path, result.after);
      else {
        create(to, result.after);
        now.set(path, null);
        origins.set(to, origins.get(path) ?? path);
      }
      const allFixes = [...(fixes.get(path) ?? []), ...result.fixes];
      if (allFixes.length > 0) fixes.set(to ?? path, allFixes);
    }
  }
  return changesOf(texts, now, origins, fixes);
}

/** Requires that a deleted file has the text that the patch removes, if the patch shows it. */
function requireDeletedText(
  text: string,
  { path, hunks }: Extract<FileOperation, { kind: "delete" }>,
  isReviewed: boolean,
  functions: TextFunctions,
): void {
  if (hunks.length === 0) return;
  // The line ends of added lines do not matter: the result must be empty.
  const keepsCr = false;
  const { after } = applyPatchHunks(functions.wellFormed(text), hunks, path, isReviewed, keepsCr, functions);
  if (after === "") return;
  const message = `${JSON.stringify(path)} has more lines than the patch removes.`;
  throw new PatchFaultError({
    code: "NO_MATCH",
    path,
    message,
    solution: "Read the file again. If it is to be deleted all the same, send delete_file.",
  });
}

/** The changes from the texts before a patch to those after it (`now`). `origins` and `fixes` are as in `planPatch`. */
function changesOf(
  before: Texts,
  now: Texts,
  origins: ReadonlyMap<string, string>,
  fixes: ReadonlyMap<string, Fix[]>,
): PatchedFile[] {
  const textBefore = (path: string) => before.get(path) ?? null;
  // By new path: the old path of a moved file. A move is one change only if the old path has no file after the patch, the new
  // path had none before it, and no other file comes from the old path. Else both files are changed.
  const moves = new Map<string, string>();
  for (const [path, after] of now) {
    const from = origins.get(path);
    if (from === undefined || after === null || textBefore(path) !== null || textBefore(from) === null) continue;
    if ((now.get(from) ?? null) === null && ![...moves.values()].includes(from)) moves.set(path, from);
  }
  const oldPaths = new Set(moves.values());
  const files: PatchedFile[] = [];
  for (const [path, after] of now) {
    const from = moves.get(path);
    if (from !== undefined) files.push({ path, from, before: textBefore(from), after, ...fixesOf(path) });
    else if (!oldPaths.has(path) && textBefore(path) !== after) {
      files.push({ path, before: textBefore(path), after, ...fixesOf(path) });
    }
  }
  return files;

  function fixesOf(path: string): { fixes?: Fix[] } {
    const fileFixes = fixes.get(path);
    return fileFixes === undefined ? {} : { fixes: fileFixes };
  }
}
