/** Reads the patches of OpenAI's models (V4A), the format `apply_patch`. */
import { PatchFaultError } from "./fault.js";
import type { FileOperation, PatchHunk, PatchLine } from "./types.js";

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const SECTION = /^\*\*\* (Add|Delete|Update) File: (.*)$/;
const MOVE = "*** Move to: ";
const END_OF_FILE = "*** End of File";

/**
 * Reads a V4A patch: a line that begins it, sections for files, and a line that ends it. A section has a header and, by its kind,
 * nothing, the lines of a new file, or an optional new path and hunks. Text around the patch that only quotes it is skipped.
 * @throws PatchFaultError `PATCH_SYNTAX`
 */
export function parseApplyPatch(patch: string): FileOperation[] {
  const lines = patch.split("\n");
  // CRs at the ends of sections' headers come from the transport. Without them, the CRs of a new file are its own.
  const hasHeaderCr = lines.some((line) => line.endsWith("\r") && isHeader(line.trimEnd()));
  // A line without blanks and CR at its end.
  const plain = (at: number) => (lines[at] ?? "").trimEnd();
  // The index of the current line.
  let at = 0;
  // Models quote patches as shell documents and as code blocks. Some leave the first line out.
  while (at < lines.length && plain(at) !== BEGIN && !SECTION.test(plain(at))) {
    if (!/^(?:|```\w*|.*<<\s*['"]?\w+['"]?)$/.test(plain(at).trim()))
      throw syntax(`"${BEGIN}" must come first.`, at + 1);
    at += 1;
  }
  if (plain(at) === BEGIN) at += 1;
  const operations: FileOperation[] = [];
  for (;;) {
    while (at < lines.length && plain(at) === "") at += 1;
    if (at >= lines.length) throw syntax(`The patch has no line "${END}", so that a part of it may be missing.`, at);
    if (plain(at) === END) break;
    const [, kind, headerPath] = SECTION.exec(plain(at)) ?? [];
    const path = headerPath?.trim();
    if (kind === undefined || path === undefined || path === "")
      throw syntax("A section begins with *** Add File:, *** Delete File: or *** Update File: and a path.", at + 1);
    const patchLine = at + 1;
    at += 1;
    if (kind === "Delete") operations.push({ kind: "delete", path, hunks: [], patchLine });
    else if (kind === "Add") {
      const content: string[] = [];
      for (; at < lines.length && !isHeader(plain(at)); at += 1) {
        const line = lines[at] ?? "";
        if (!line.startsWith("+")) {
          // A blank line before the next section.
          if (line.trim() === "") continue;
          throw syntax("The lines of a new file begin with +.", at + 1);
        }
        content.push(hasHeaderCr ? withoutCr(line.slice(1)) : line.slice(1));
      }
      operations.push({ kind: "add", path, content: content.map((line) => `${line}\n`).join(""), patchLine });
    } else {
      const to = plain(at).startsWith(MOVE) ? plain(at).slice(MOVE.length).trim() : undefined;
      if (to !== undefined) at += 1;
      const hunks: PatchHunk[] = [];
      while (at < lines.length && !isHeader(plain(at))) {
        const [hunk, next] = readHunk(lines, at);
        if (hunk !== undefined) hunks.push(hunk);
        at = next;
      }
      if (hunks.length === 0 && to === undefined) throw syntax("The section changes nothing.", patchLine);
      const isMoved = to !== undefined && to !== path;
      operations.push({ kind: "update", path, ...(isMoved && { to }), hunks, keepsCr: false, patchLine });
    }
  }
  if (operations.length === 0) throw syntax("The patch has no sections.", at);
  return operations;
}

/** Whether a line begins a section, or ends the patch. */
const isHeader = (line: string): boolean => line === END || SECTION.test(line);

const withoutCr = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);

/**
 * Reads a hunk: lines with `@@` and an anchor (a line that stands above the hunk in the file), then the lines of the hunk.
 * Returns it, and the index of the line after it; `undefined` in place of the hunk if there are only blank lines.
 */
function readHunk(lines: readonly string[], start: number): [PatchHunk | undefined, number] {
  let at = start;
  const anchors: string[] = [];
  for (; at < lines.length && /^@@/.test(lines[at] ?? ""); at += 1) {
    const header = withoutCr(lines[at] ?? "")
      .slice(2)
      .trim();
    // Some models write the numbers of a unified diff, which say nothing here.
    const anchor = header
      .replace(/^-\d+(?:,\d+)? \+\d+(?:,\d+)? @@/, "")
      .replace(/@@$/, "")
      .trim();
    if (anchor !== "") anchors.push(anchor);
  }
  const hunkLines: PatchLine[] = [];
  let isAtEnd = false;
  for (; at < lines.length; at += 1) {
    const line = withoutCr(lines[at] ?? "");
    if (line.startsWith("@@") || isHeader(line.trimEnd())) break;
    if (line.trimEnd() === END_OF_FILE) {
      isAtEnd = true;
      at += 1;
      break;
    }
    const sign = line[0];
    // An empty line is an unchanged empty line whose space is missing.
    const kind =
      sign === undefined || sign === " " ? "same" : sign === "-" ? "removed" : sign === "+" ? "added" : undefined;
    if (kind === undefined) throw syntax("A line of a hunk must begin with a space, + or -.", at + 1);
    hunkLines.push({ kind, text: line.slice(1), hasCr: false });
  }
  // Blank lines before the next section are not part of the hunk.
  while (hunkLines.at(-1)?.kind === "same" && hunkLines.at(-1)?.text === "" && !isAtEnd) hunkLines.pop();
  if (hunkLines.length === 0 && anchors.length === 0) return [undefined, at];
  if (hunkLines.every(({ kind }) => kind === "same")) throw syntax("The hunk changes nothing.", start + 1);
  return [{ lines: hunkLines, patchLine: start + 1, anchors, isAtEnd }, at];
}

function syntax(message: string, line: number): PatchFaultError {
  return new PatchFaultError({
    code: "PATCH_SYNTAX",
    message: `Line ${line} of the patch: ${message}`,
    solution: `Nothing was changed. Send the whole patch again, from ${BEGIN} to ${END}.`,
  });
}
