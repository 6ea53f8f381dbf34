/** The types of patches: texts that change several files in one call. */
import type { Fix } from "../../blocks/types.js";
import type { wellFormed } from "../../core/surrogates.js";
import type { EditFormat } from "../../definitions/types.js";
import type { textDiff } from "../../diff/text.js";
import type { difference, fixesOf, hasTwoLines, nearest, normalizedLine } from "../edit.js";
import type { FileError } from "../errors.js";

/** A line of a hunk. */
export interface PatchLine {
  kind: "same" | "removed" | "added";
  /** The line without its line end. */
  text: string;
  /** Whether a CR stands at the end of the line in the patch. */
  hasCr: boolean;
  /** The patch says that the file (the old or the new one) ends with this line, without a line end. */
  isOpenEnd?: true;
}

/** A hunk as the patch has it: lines to find, and the lines in their place. */
export interface PatchHunk {
  lines: PatchLine[];
  /** The line of the patch at which the hunk begins, from 1. */
  patchLine: number;
  /** The line of the file at which the lines to find begin, from 1, if the patch has line numbers. */
  line?: number;
  /** Lines that stand above the hunk in the file, outermost first: `@@ class A`. */
  anchors: readonly string[];
  /** The last line to find is the last line of the file. */
  isAtEnd: boolean;
}

/** The change of one file by a patch. `patchLine`: the line of the patch at which it begins, from 1. */
export type FileOperation =
  | { kind: "add"; path: string; content: string; patchLine: number }
  /** `hunks`: what the deleted file must contain; none if the patch does not say. */
  | { kind: "delete"; path: string; hunks: PatchHunk[]; patchLine: number }
  /** `to`: the new path of a file that is moved. `keepsCr`: the CRs of the patch are those of the file, not of the transport. */
  | { kind: "update"; path: string; to?: string; hunks: PatchHunk[]; keepsCr: boolean; patchLine: number };

/** A file before and after a patch; null if it does not exist. */
export interface PatchedFile {
  path: string;
  /** The path of a moved file before. */
  from?: string;
  before: string | null;
  after: string | null;
  fixes?: Fix[];
}

/** Why a patch cannot be applied, for the error of the call. */
export interface PatchFault extends Pick<FileError, "path" | "index" | "matches" | "nearest" | "difference"> {
  code: "PATCH_SYNTAX" | "NO_MATCH" | "SEVERAL_MATCHES" | "NOT_FOUND" | "ALREADY_EXISTS" | "LIMIT_EXCEEDED";
  /** A sentence; absent for the usual sentence of the code. */
  message?: string;
  /** As `message`. */
  solution?: string;
}

/**
 * Functions of the package that the parsers get as an argument. The parsers, which are loaded on demand, import only types from
 * it: bundlers would move functions that both import into a third chunk, which every application would have to load.
 */
export interface TextFunctions {
  readonly wellFormed: typeof wellFormed;
  readonly textDiff: typeof textDiff;
  readonly difference: typeof difference;
  readonly fixesOf: typeof fixesOf;
  readonly hasTwoLines: typeof hasTwoLines;
  readonly nearest: typeof nearest;
  readonly normalizedLine: typeof normalizedLine;
}

/** Reads the patches of a format, and computes the files after them. */
export interface PatchParser {
  /** Reads a patch. @throws PatchFaultError */
  readonly parse: (text: string) => FileOperation[];
  /** Computes the files after a patch from their texts before. @throws PatchFaultError */
  readonly plan: (
    operations: readonly FileOperation[],
    texts: ReadonlyMap<string, string | null>,
    isReviewed: boolean,
    functions: TextFunctions,
  ) => PatchedFile[];
}

export type PatchParsers = Readonly<Record<EditFormat, PatchParser>>;
