/** Reads unified diffs, as `diff -u` and `git diff` write them: the format `unified`. */
import { PatchFaultError } from "./fault.js";
import type { FileOperation, PatchHunk, PatchLine } from "./types.js";

/** Reads a unified diff of one or several files. @throws PatchFaultError `PATCH_SYNTAX` */
export function parseUnified(diff: string): FileOperation[] {
  return new UnifiedParser(diff).parse();
}

/** The headers of a file in the diff: the lines before its hunks. */
interface Header {
  /** The line of the diff at which they begin, from 1. */
  patchLine: number;
  /** The text with both paths in the line `diff --git`. */
  git?: string | undefined;
  /** The paths of the lines `---` and `+++`, or NO_FILE. */
  old?: string;
  new?: string;
  renameFrom?: string;
  renameTo?: string;
  isNew?: boolean;
  isDeleted?: boolean;
}

/** In place of the path of a file that does not exist before or after. */
const NO_FILE = "/dev/null";

/** Goes through the lines of a diff, collects the headers and hunks of a file, and makes them an operation when the file ends. */
class UnifiedParser {
  readonly #lines: string[];
  readonly #operations: FileOperation[] = [];
  /** The index of the current line. */
  #at = 0;
  /** The headers of the current file; `undefined` before the first file. */
  #header: Header | undefined;
  /** The hunks of the current file. */
  #hunks: PatchHunk[] = [];
  /** Whether lines outside of hunks end with a CR: then CRs say nothing about the file. */
  #hasHeaderCr = false;

  constructor(diff: string) {
    this.#lines = diff.split("\n");
    // The last line break ends a line, and begins none.
    if (this.#lines.at(-1) === "") this.#lines.pop();
  }

  /** The operations of all files. Called once. */
  parse(): FileOperation[] {
    while (this.#at < this.#lines.length) {
      const line = this.#lineWithoutCr(this.#at);
      if (/^@@ /.test(line) || line === "@@") this.#hunk(line);
      else if (line.startsWith("diff --git ")) this.#begin({ patchLine: this.#at + 1, git: line.slice(11) });
      else if (line.startsWith("--- ") && this.#lineWithoutCr(this.#at + 1).startsWith("+++ ")) this.#paths(line);
      else this.#otherLine(line);
    }
    this.#finish();
    if (this.#operations.length === 0)
      throw syntax("The text is not a unified diff: it has no line that begins with ---.", 1);
    return this.#operations;
  }

  /** The line at an index, without its CR. */
  #lineWithoutCr(at: number): string {
    const line = this.#lines[at] ?? "";
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }

  /** Ends the file before, and begins one at the current line. */
  #begin(header: Header): void {
    this.#finish();
    this.#header = header;
    this.#next();
  }

  /** Goes on after a line outside of hunks. */
  #next(): void {
    this.#hasHeaderCr ||= this.#lines[this.#at]?.endsWith("\r") ?? false;
    this.#at += 1;
  }

  /** Reads the lines `---` (`line`) and `+++`. They begin a file, unless headers of git have done so. */
  #paths(line: string): void {
    if (this.#header === undefined || this.#header.old !== undefined) this.#begin({ patchLine: this.#at + 1 });
    else this.#next();
    const header = this.#header;
    // Not reached: `#begin` has set it.
    if (header === undefined) return;
    // `#at` is now the index of the line `+++`, which is the number, from 1, of the line before.
    header.old = pathOf(line.slice(4), this.#at);
    header.new = pathOf(this.#lineWithoutCr(this.#at).slice(4), this.#at + 1);
    this.#next();
  }

  /** Any other line between hunks: headers of git, or prose. */
  #otherLine(line: string): void {
    const header = this.#header;
    const pathAfter = (prefix: string) =>
      line.startsWith(prefix) ? pathOf(line.slice(prefix.length), this.#at + 1) : undefined;
    if (header !== undefined) {
      const [from, to] = [pathAfter("rename from "), pathAfter("rename to ")];
      if (from !== undefined) header.renameFrom = from;
      if (to !== undefined) header.renameTo = to;
      if (line.startsWith("new file mode ")) header.isNew = true;
      if (line.startsWith("deleted file mode ")) header.isDeleted = true;
      if (line.startsWith("copy from "))
        throw syntax("Copies are not supported: add the file with its whole text.", this.#at + 1);
      if (line.startsWith("GIT binary patch") || /^Binary files .* differ$/.test(line))
        throw syntax("The diff changes a binary file, which a text tool cannot do.", this.#at + 1);
    }
    const isHunkLine = /^[ +-]./.test(line) && this.#hunks.length > 0 && header !== undefined;
    if (isHunkLine) throw syntax("A line of a hunk stands outside of it: every hunk begins with @@.", this.#at + 1);
    this.#next();
  }

  /**
   * Reads a hunk, whose first line is `line`. Models often count its lines wrong, or leave the numbers out. So the counts say
   * only how many lines belong to the hunk for sure: more lines follow as long as they look like lines of a hunk.
   */
  #hunk(line: string): void {
    if (this.#header === undefined) throw syntax("A hunk has no file: --- and +++ come before it.", this.#at + 1);
    const numbers = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    const patchLine = this.#at + 1;
    this.#next();
    // A count that is left out is 1.
    const [, start, old = "1", , now = "1"] = numbers ?? [];
    // How many lines of the old and of the new file are missing by the counts: below 0 if the hunk has more lines than that,
    // infinite without counts.
    let [oldLeft, newLeft] = numbers ? [Number(old), Number(now)] : [Infinity, Infinity];
    const lines: PatchLine[] = [];
    for (; this.#at < this.#lines.length; this.#at++) {
      const raw = this.#lines[this.#at] ?? "";
      const isCounted = numbers !== null && (oldLeft > 0 || newLeft > 0);
      // "\ No newline at end of file"
      if (raw.startsWith("\\")) {
        const last = lines.at(-1);
        if (last) last.isOpenEnd = true;
        continue;
      }
      if (this.#endsHunk(raw, isCounted)) break;
      const kind = kindOf(raw);
      if (kind === undefined) throw syntax("A line of a hunk must begin with a space, + or -.", this.#at + 1);
      const hasCr = raw.endsWith("\r");
      lines.push({ kind, text: raw.slice(1, hasCr ? -1 : undefined), hasCr });
      if (kind !== "added") oldLeft -= 1;
      if (kind !== "removed") newLeft -= 1;
    }
    // With wrong counts, blank lines at the end may belong to no hunk.
    if (oldLeft !== 0 || newLeft !== 0) while (isBlankSame(lines.at(-1))) lines.pop();
    // Only a hunk with numbers may be without lines.
    if (lines.every(({ kind }) => kind === "same") && (lines.length > 0 || !numbers))
      throw syntax("The hunk changes nothing.", patchLine);
    const isAtEnd = lines.some(({ kind, isOpenEnd }) => kind !== "added" && isOpenEnd === true);
    // In a hunk that only adds lines, the number is that of the line before: there is no line to look for.
    const onlyAdds = lines.every(({ kind }) => kind === "added");
    const hint = start === undefined || onlyAdds ? undefined : { line: Number(start) };
    this.#hunks.push({ lines, patchLine, anchors: [], isAtEnd, ...hint });
  }

  /** Whether the current line, `raw`, is not part of the hunk. `isCounted`: by its counts, lines of the hunk are still missing. */
  #endsHunk(raw: string, isCounted: boolean): boolean {
    // Another hunk or another file begins, whatever the counts say.
    if (raw.startsWith("@@ ") || raw.startsWith("diff --git ") || raw === "@@" || raw === "@@\r") return true;
    if (isCounted) return false;
    if (raw.startsWith("--- ") && (this.#lines[this.#at + 1] ?? "").startsWith("+++ ")) return true;
    // The signature at the end of a mail: git format-patch.
    if (/^-- ?\r?$/.test(raw)) return true;
    return kindOf(raw) === undefined || (raw.trim() === "" && this.#isOver());
  }

  /** Whether only blank lines follow, up to another file or the end of the diff. */
  #isOver(): boolean {
    for (let at = this.#at; at < this.#lines.length; at++) {
      const line = this.#lineWithoutCr(at);
      if (line.trim() === "") continue;
      return line.startsWith("diff --git ") || line.startsWith("--- ");
    }
    return true;
  }

  /** Ends the current file, and adds its operation. Its hunks and headers decide which. */
  #finish(): void {
    const header = this.#header;
    const hunks = this.#hunks;
    this.#header = undefined;
    this.#hunks = [];
    if (header === undefined) return;
    const { patchLine } = header;
    const [old, now] = pathsOf(header);
    const isAdded = header.isNew || header.old === NO_FILE;
    const isRemoved = header.isDeleted || header.new === NO_FILE;
    if (isAdded) {
      const lines = hunks.flatMap(({ lines }) => lines);
      if (lines.some(({ kind }) => kind !== "added")) throw syntax("A new file has only lines with +.", patchLine);
      const lineEnd = ({ isOpenEnd, hasCr }: PatchLine) =>
        isOpenEnd ? "" : hasCr && !this.#hasHeaderCr ? "\r\n" : "\n";
      const content = lines.map((line) => line.text + lineEnd(line)).join("");
      this.#operations.push({ kind: "add", path: now, content, patchLine });
    } else if (isRemoved) this.#operations.push({ kind: "delete", path: old, hunks, patchLine });
    else if (hunks.length > 0 || old !== now) {
      const to = old === now ? {} : { to: now };
      this.#operations.push({ kind: "update", path: old, ...to, hunks, keepsCr: !this.#hasHeaderCr, patchLine });
    } else if (header.old !== undefined) throw syntax("The file has no hunks.", patchLine);
    // Any other file changes no text: git's headers without hunks, such as a change of mode.
  }
}

const isBlankSame = (line: PatchLine | undefined): boolean => line?.kind === "same" && line.text === "";

/** The kind of a line of a hunk; `undefined` for any other line. An empty line is an unchanged one whose space is missing. */
function kindOf(raw: string): PatchLine["kind"] | undefined {
  const sign = raw[0];
  if (sign === " " || sign === undefined || sign === "\r") return "same";
  return sign === "-" ? "removed" : sign === "+" ? "added" : undefined;
}

/** The paths before and after, without the prefixes a/ and b/, which only git writes. */
function pathsOf({ git, old, new: now, renameFrom, renameTo, patchLine }: Header): [string, string] {
  if (renameFrom !== undefined && renameTo !== undefined) return [renameFrom, renameTo];
  if (old === undefined || now === undefined) {
    const paths = git === undefined ? undefined : gitPaths(git, patchLine);
    if (paths === undefined) throw syntax("The file has no lines --- and +++.", patchLine);
    return paths;
  }
  const isGit =
    git !== undefined || ((old === NO_FILE || old.startsWith("a/")) && (now === NO_FILE || now.startsWith("b/")));
  const bare = (path: string, prefix: string) => (isGit && path.startsWith(prefix) ? path.slice(2) : path);
  return [bare(old, "a/"), bare(now, "b/")];
}

/**
 * The paths in a line `diff --git a/x b/x`, which are equal where no other header has them. `undefined` if they differ: then a
 * path with blanks could not be told from two paths.
 */
function gitPaths(line: string, patchLine: number): [string, string] | undefined {
  if (line.startsWith('"')) {
    const end = line.indexOf('" ');
    const [old, now] = [pathOf(line.slice(0, end + 1), patchLine), pathOf(line.slice(end + 2), patchLine)];
    return [old.slice(2), now.slice(2)];
  }
  // Equal paths have the same length, so the blank between them is in the middle: a/ and b/ are the only difference.
  const half = (line.length - 1) / 2;
  const [old, now] = [line.slice(2, half), line.slice(half + 3)];
  return old === now ? [old, now] : undefined;
}

/** The bytes of the escapes in quoted paths. */
const ESCAPES: { readonly [char: string]: number } = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  "\\": 92,
};

/** A path of a header, whose text may have a time after a tab, or git's quotes, escapes and octal bytes (`"\303\244.txt"`). */
function pathOf(text: string, patchLine: number): string {
  if (!text.startsWith('"')) {
    const tab = text.indexOf("\t");
    return (tab < 0 ? text : text.slice(0, tab)).trimEnd();
  }
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (let at = 1; at < text.length; ) {
    const char = text[at] ?? "";
    if (char === '"') return new TextDecoder().decode(new Uint8Array(bytes));
    const octal = char === "\\" ? /^[0-3][0-7]{2}/.exec(text.slice(at + 1, at + 4))?.[0] : undefined;
    if (octal !== undefined) {
      bytes.push(Number.parseInt(octal, 8));
      at += 4;
    } else if (char === "\\") {
      // 63 is ?, for an unknown escape.
      bytes.push(ESCAPES[text[at + 1] ?? ""] ?? 63);
      at += 2;
    } else {
      const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
      bytes.push(...encoder.encode(character));
      at += character.length;
    }
  }
  throw syntax("A quoted path has no closing quote.", patchLine);
}

function syntax(message: string, line: number): PatchFaultError {
  return new PatchFaultError({
    code: "PATCH_SYNTAX",
    message: `Line ${line} of the diff: ${message}`,
    solution: "Nothing was changed. Send the whole diff again, as git writes it.",
  });
}
