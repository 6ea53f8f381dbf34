/** The types of workspaces: calls, results, proposals, hosts. */
import type { ExecuteOptions } from "../agent/types.js";
import type { FileEffect, FileProposal, FileWarning, WorkspaceCall } from "../approval/types.js";
import type { PathPolicy } from "../blocks/policy.js";
import type { Fix } from "../blocks/types.js";
import type { Refused } from "../core/errors.js";
import type { Author, ChangeOptions, HistoryEntry, Hunk, Limits, UndoOptions } from "../types.js";
import type { FileError } from "./errors.js";

export type { EditFormat } from "../definitions/types.js";
export type { FileError, FileErrorCode, NearestText, TextDifference } from "./errors.js";

/** The result of a call. */
export interface ExecutionResult {
  /** A copy of the call, with its path normalised and its last status. */
  call: WorkspaceCall;
  status: "completed" | "failed";
  /** The effect on the file. Absent for a patch and for a failed call. */
  action?: FileAction;
  /** For a patch: what it did to each file. `diff` has the hunks of all files, in the same order. */
  files?: FileEffect[];
  error?: FileError;
  /**
   * The ways in which `old_string` differs from the replaced text, such as other quotes or blanks. Absent if it matched exactly.
   */
  fixes?: Fix[];
  /** The changes; with `STALE_PROPOSAL`: the changes that the proposal would make now. */
  diff?: Hunk[];
  /** Warnings about the path, for the user and the model. */
  warnings?: FileWarning[];
}

/** The effect of a call on a file. */
export type FileAction = "created" | "updated" | "deleted";

/** The effect that a call would have on its file. */
export interface FilePreview {
  path: string;
  /** The current text; null if the file does not exist. */
  before: string | null;
  /** The text after the call; null if the file would be deleted. */
  after: string | null;
  hunks: Hunk[];
  /** As in {@link ExecutionResult}. An `old_string` of one line is fixed in previews and proposals only. */
  fixes?: Fix[];
  /** The reason why the call would fail; both texts are the same then. */
  error?: FileError;
  /** Warnings about the path, for the user. */
  warnings?: FileWarning[];
}

/** The answer for a call that cannot be proposed, or for an unknown proposal. */
export type FileRefusal = Refused<FileError>;

/** The approved part of a proposal: all of it by default. */
export interface FileApproval extends ChangeOptions {
  /** Approves only these hunks of the proposal's diff, by their index. An empty list changes nothing. */
  hunks?: readonly number[] | undefined;
  /** The whole text of the file, as the user has edited it. */
  edits?: string | undefined;
}

/** A change of a file, as the history has it. */
export interface FileChange extends Pick<FilePreview, "path" | "before" | "after"> {
  action: FileAction;
}

/** The event that listeners of a workspace get. */
export type WorkspaceEvent =
  /** The status of a call has changed; with the result at its end. */
  | {
      type: "status";
      call: WorkspaceCall;
      author: Author;
      result?: ExecutionResult;
      /** `undo` or `redo` has written the file. `call` is the call that would do the same. */
      origin?: "undo" | "redo";
    }
  /** A proposal was created, has changed, or was settled. */
  | { type: "proposal"; proposal: FileProposal };

/** A group of changes of files that `undo` reverts together. */
export type FileHistoryEntry = HistoryEntry<FileChange>;

/** Which changes `undo` and `redo` of a workspace are about. */
export type FileUndoOptions = Omit<UndoOptions, "optimistic">;

/** The result of `undo` or `redo`: the files that it has changed, or why it has changed none. */
export type FileUndoResult =
  | { status: "completed"; group: string; changes: readonly FileChange[]; error?: undefined }
  | { status: "failed"; error: FileError; group?: undefined; changes?: undefined };

/** The options of a call: a signal that cancels it, and who makes it. Default: `{ kind: "user" }`. */
export interface FileCallOptions extends ExecuteOptions, ChangeOptions {}

export interface WorkspaceOptions {
  /** Which paths calls may name. */
  policy?: PathPolicy | undefined;
  /** A workspace uses `maxBlockBytes`, `maxProposals`, `maxHistory` and `maxHistoryBytes`. */
  limits?: Partial<Limits> | undefined;
}

/**
 * The storage of a workspace. Paths are relative to the workspace, normalised, with `/`. Errors become failed results;
 * the codes of Node (`ENOENT`, …) and the names of `DOMException`s are recognized.
 */
export interface WorkspaceHost {
  /** The text of a file; null if it does not exist. */
  read(path: string): Promise<string | null> | string | null;
  /** Creates or replaces a file as a whole, and creates the directories above it. */
  write(path: string, content: string): Promise<void> | void;
  /** Removes an existing file. */
  remove(path: string): Promise<void> | void;
  /** The paths of all files in a directory and below it, relative to the workspace; without a directory, of all files. */
  list(dir?: string): Promise<readonly string[]> | readonly string[];
  /**
   * For hosts with links: the path with its links resolved, absolute or relative to the workspace. A call whose path leads
   * out of the workspace fails. Called with `"."`, with the path, and, if that does not exist, with the directories above.
   */
  realpath?(path: string): Promise<string | null> | string | null;
}
