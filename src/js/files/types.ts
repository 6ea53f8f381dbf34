/** The types of workspaces: calls, results, proposals, hosts. */
import type { FileProposal, FileWarning } from "../approval/types.js";
import type { PathPolicy } from "../blocks/policy.js";
import type { Fix, ToolCall } from "../blocks/types.js";
import type { Refused } from "../core/errors.js";
import type { Hunk, Limits } from "../types.js";
import type { FileError } from "./errors.js";

export type { FileError, FileErrorCode, NearestText, TextDifference } from "./errors.js";

export interface ExecutionResult {
  /** A copy of the call, with its path normalised and its last status. */
  call: ToolCall<never>;
  status: "completed" | "failed";
  action?: FileAction;
  error?: FileError;
  /** The look-alike characters in which `old_string` differs from the replaced text. Absent if it matched exactly. */
  fixes?: Fix[];
  /** The changes; with `STALE_PROPOSAL`: the changes that the proposal would make now. */
  diff?: Hunk[];
  /** Warnings about the path, for the user and the model. */
  warnings?: FileWarning[];
}

export type FileAction = "created" | "updated" | "deleted";

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
export interface FileApproval {
  /** Approves only these hunks of the proposal's diff, by their index. An empty list changes nothing. */
  hunks?: readonly number[] | undefined;
  /** The whole text of the file, as the user has edited it. */
  edits?: string | undefined;
}

/** A change in the history of a workspace in memory. */
export interface FileChange extends Pick<FilePreview, "path" | "before" | "after"> {
  action: FileAction;
}

export type WorkspaceEvent =
  /** The status of a call has changed; with the result at its end. */
  | { type: "status"; call: ToolCall<never>; result?: ExecutionResult }
  /** A proposal was created, has changed, or was settled. */
  | { type: "proposal"; proposal: FileProposal };

export interface WorkspaceOptions {
  /** Which paths calls may name. */
  policy?: PathPolicy | undefined;
  /** A workspace uses `maxBlockBytes` and `maxProposals`. */
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
  remove(path: string): Promise<void> | void;
  /** The paths of all files in a directory and below it, relative to the workspace; without a directory, of all files. */
  list(dir?: string): Promise<readonly string[]> | readonly string[];
  /**
   * For hosts with links: the path with its links resolved, absolute or relative to the workspace. A call whose path leads
   * out of the workspace fails. Called with `"."`, with the path, and, if that does not exist, with the directories above.
   */
  realpath?(path: string): Promise<string | null> | string | null;
}
