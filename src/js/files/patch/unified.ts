/** Reads unified diffs, as `diff -u` and `git diff` write them: the format `unified`. */
import { PatchFaultError } from "./fault.js";
import type { FileOperation, PatchHunk, PatchLine } from "./types.js";

/** Reads a unified diff of one or several files. @throws PatchFaultError `PATCH_SYNTAX` */
export function parseUnified(diff: string): FileOperation[] {
  return new UnifiedParser(diff).parse();
}

/** The headers of a file in the diff. */
interface Header {
  patchLine: number;
  /** The paths of the line `diff --git`. */
  git?: string | undefined;
  old?: string;
  new?: string;
  renameFrom?: string;
  renameTo?: string;
  isNew?: boolean;
  isDeleted?: boolean;
}

const NO_FILE = "/dev/null";

class UnifiedParser {
  readonly #lines: string[];
  readonly #operations: FileOperation[] = [];
  #at = 0;
  #header: Header | undefined;
  #hunks: PatchHunk[] = [];
  /** Whether lines outside of hunks end with a CR: then CRs say nothing about the file. */
  #hasHeaderCr = false;

  constructor(diff: string) {
    this.#lines = diff.split("\n");
    // The last line break ends a line, and begins none.
    if (this.#lines.at(-1) === "") this.#lines.pop();
  }

  parse(): FileOperation[] {
    while (this.#at < this.#lines.length) {
      const line = this.#plain(this.#at);
      if (/^@@ /.test(line) || line === "@@") this.#hunk(line);
      else if (line.startsWith("diff --git ")) this.#begin({ patchLine: this.#at + 1, git: line.slice(11) });
      else if (line.startsWith("--- ") && this.#plain(this.#at + 1).startsWith("+++ ")) this.#paths(line);
      else this.#extended(line);
    }
    this.#finish();
    if (this.#operations.length === 0)
      throw syntax("The text is not a unified diff: it has no line that begins with ---.", 1);
    return this.#operations;
  }

  /** A line without its CR. */
  #plain(at: number): string {
    const line = this.#lines[at] ?? "";
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }

  #begin(header: Header): void {
    this.#finish();
    this.#header = header;
    this.#next();
  }

  #next(): void {
    this.#hasHeaderCr ||= this.#lines[this.#at]?.endsWith("\r") ?? false;
    this.#at += 1;
  }

  /** The lines `---` and `+++`. */
  #paths(line: string): void {
    if (this.#header === undefined || this.#header.old !== undefined) this.#begin({ patchLine: this.#at + 1 });
    else this.#next();
    const header = this.#header;
    if (header === undefined) return;
    header.old = pathOf(line.slice(4), this.#at);
    header.new = pathOf(this.#plain(this.#at).slice(4), this.#at + 1);
    this.#next();
  }

  /** Any other line between hunks: headers of git, or prose. */
  #extended(line: string): void {
    const header = this.#header;
    const rest = (prefix: string) =>
      line.startsWith(prefix) ? pathOf(line.slice(prefix.length), this.#at + 1) : undefined;
    if (header !== undefined) {
      const [from, to] = [rest("rename from "), rest("rename to ")];
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

  #hunk(line: string): void {
    if (this.#header === undefined) throw syntax("A hunk has no file: --- and +++ come before it.", this.#at + 1);
    const numbers = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    const patchLine = this.#at + 1;
    this.#next();
    // A count that is left out is 1.
    const [, start, old = "1", , now = "1"] = numbers ?? [];
    let [oldLeft, newLeft] = numbers ? [Number(old), Number(now)] : [Infinity, Infinity];
    const lines: PatchLine[] = [];
    for (; this.#at < this.#lines.length; this.#at++) {
      const raw = this.#lines[this.#at] ?? "";
      const isCounted = oldLeft > 0 || newLeft > 0;
      if (raw.startsWith("\\")) {
        const last = lines.at(-1);
        if (last) last.isOpenEnd = true;
        continue;
      }
      if (this.#endsHunk(raw, isCounted && numbers !== null)) break;
      const kind = kindOf(raw);
      if (kind === undefined) throw syntax("A line of a hunk must begin with a space, + or -.", this.#at + 1);
      const hasCr = raw.endsWith("\r");
      lines.push({ kind, text: raw.slice(1, hasCr ? -1 : undefined), hasCr });
      if (kind !== "added") oldLeft -= 1;
      if (kind !== "removed") newLeft -= 1;
    }
    // With wrong counts, blank lines at the end may belong to no hunk.
    if (oldLeft !== 0 || newLeft !== 0) while (isBlankSame(lines.at(-1))) lines.pop();
    if (lines.every(({ kind }) => kind === "same")) {
      if (lines.length > 0 || !numbers) throw syntax("The hunk changes nothing.", patchLine);
    }
    const isAtEnd = lines.some(({ kind, isOpenEnd }) => kind !== "added" && isOpenEnd === true);
    // For a hunk without lines to find, the number is that of the line before: it names no place to look at.
    const isEmpty = lines.every(({ kind }) => kind === "added");
    const hint = start === undefined || isEmpty ? undefined : { line: Number(start) };
    this.#hunks.push({ lines, patchLine, anchors: [], isAtEnd, ...hint });
  }

  /** Whether a line is not part of a hunk, of which `isCounted` says that lines are still missing. */
  #endsHunk(raw: string, isCounted: boolean): boolean {
    if (raw.startsWith("@@ ") || raw.startsWith("diff --git ") || raw === "@@" || raw === "@@\r") return true;
    if (isCounted) return false;
    if (raw.startsWith("--- ") && (this.#lines[this.#at + 1] ?? "").startsWith("+++ ")) return true;
    // The signature at the end of a mail: git format-patch.
    if (/^-- ?\r?$/.test(raw)) return true;
    return kindOf(raw) === undefined || (raw.trim() === "" && this.#isOver());
  }

  /** Whether only blank lines, or another file, follow. */
  #isOver(): boolean {
    for (let at = this.#at; at < this.#lines.length; at++) {
      const line = this.#plain(at);
      if (line.trim() === "") continue;
      return line.startsWith("diff --git ") || line.startsWith("--- ");
    }
    return true;
  }

  /** Ends a file. */
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
      const end = ({ isOpenEnd, hasCr }: PatchLine) => (isOpenEnd ? "" : hasCr && !this.#hasHeaderCr ? "\r\n" : "\n");
      const content = lines.map((line) => line.text + end(line)).join("");
      this.#operations.push({ kind: "add", path: now, content, patchLine });
    } else if (isRemoved) this.#operations.push({ kind: "delete", path: old, hunks, patchLine });
    else if (hunks.length > 0 || old !== now) {
      const to = old === now ? {} : { to: now };
      this.#operations.push({ kind: "update", path: old, ...to, hunks, keepsCr: !this.#hasHeaderCr, patchLine });
    } else if (header.old !== undefined) throw syntax("The file has no hunks.", patchLine);
  }
}

const isBlankSame = (line: PatchLine | undefined): boolean => line?.kind === "same" && line.text === "";

/** The kind of a line. An empty line is an unchanged empty line whose space is missing. */
function kindOf(raw: string): PatchLine["kind"] | undefined {
  const first = raw[0];
  if (first === " " || first === undefined || first === "\r") return "same";
  return first === "-" ? "removed" : first === "+" ? "added" : undefined;
}

/** The paths before and after, without the prefixes a/ and b/. */
function pathsOf({ git, old, new: now, renameFrom, renameTo, patchLine }: Header): [string, string] {
  if (renameFrom !== undefined && renameTo !== undefined) return [renameFrom, renameTo];
  if (old === undefined || now === undefined) {
    const both = git === undefined ? undefined : gitPaths(git, patchLine);
    if (both === undefined) throw syntax("The file has no lines --- and +++.", patchLine);
    return both;
  }
  const isGit =
    git !== undefined || ((old === NO_FILE || old.startsWith("a/")) && (now === NO_FILE || now.startsWith("b/")));
  const bare = (path: string, prefix: string) => (isGit && path.startsWith(prefix) ? path.slice(2) : path);
  return [bare(old, "a/"), bare(now, "b/")];
}

/** The paths of a line `diff --git a/x b/x`, which are equal where no other header has them. */
function gitPaths(line: string, patchLine: number): [string, string] | undefined {
  if (line.startsWith('"')) {
    const end = line.indexOf('" ');
    const [old, now] = [pathOf(line.slice(0, end + 1), patchLine), pathOf(line.slice(end + 2), patchLine)];
    return [old.slice(2), now.slice(2)];
  }
  // Both paths have the same length, so the blank between them is in the middle: a/ and b/ are the only difference.
  const half = (line.length - 1) / 2;
  const [old, now] = [line.slice(2, half), line.slice(half + 3)];
  return old === now ? [old, now] : undefined;
}

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

/** A path of a header: without a time after a tab, and without git's quotes and octal bytes. */
function pathOf(written: string, patchLine: number): string {
  if (!written.startsWith('"')) {
    const tab = written.indexOf("\t");
    return (tab < 0 ? written : written.slice(0, tab)).trimEnd();
  }
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (let at = 1; at < written.length; ) {
    const char = written[at] ?? "";
    if (char === '"') return new TextDecoder().decode(new Uint8Array(bytes));
    const octal = char === "\\" ? /^[0-3][0-7]{2}/.exec(written.slice(at + 1, at + 4))?.[0] : undefined;
    if (octal !== undefined) {
      bytes.push(Number.parseInt(octal, 8));
      at += 4;
    } else if (char === "\\") {
      // 63 is ?, for an unknown escape.
      bytes.push(ESCAPES[written[at + 1] ?? ""] ?? 63);
      at += 2;
    } else {
      const whole = String.fromCodePoint(written.codePointAt(at) ?? 0);
      bytes.push(...encoder.encode(whole));
      at += whole.length;
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
