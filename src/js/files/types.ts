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
  /** In what `old_string` differs from the text that was replaced: in characters that look alike. Absent where it matched. */
  fixes?: Fix[];
  /** What changed; with `STALE_PROPOSAL`: what the proposal would change now. */
  diff?: Hunk[];
  /** Warnings about the path, for the user and the model. */
  warnings?: FileWarning[];
}

export type FileAction = "created" | "updated" | "deleted";

export interface FilePreview {
  path: string;
  /** The text of the file now; null if there is none. */
  before: string | null;
  /** The text of the file then; null if it would be deleted. */
  after: string | null;
  hunks: Hunk[];
  /** As in {@link ExecutionResult}. A piece of one line is fixed in previews and proposals only. */
  fixes?: Fix[];
  /** Why it would fail; the texts are the same then. */
  error?: FileError;
  /** Warnings about the path, for the user. */
  warnings?: FileWarning[];
}

/** A call that cannot be proposed, or a proposal that is not there. */
export type FileRefusal = Refused<FileError>;

/** How much of a proposal is approved: all of it by default. */
export interface FileApproval {
  /** Only these hunks of the proposal's diff, by their index. An empty list: nothing is made, also where there is no hunk. */
  hunks?: readonly number[] | undefined;
  /** The whole text that the file shall have, in the person's own words. */
  edits?: string | undefined;
}

/** A change that was made in a workspace in memory. */
export interface FileChange extends Pick<FilePreview, "path" | "before" | "after"> {
  action: FileAction;
}

export type WorkspaceEvent =
  /** A call has come further; with its result once it is over. */
  | { type: "status"; call: ToolCall<never>; result?: ExecutionResult }
  /** A proposal was made, overtaken or settled. */
  | { type: "proposal"; proposal: FileProposal };

export interface WorkspaceOptions {
  /** Which paths calls may name. */
  policy?: PathPolicy | undefined;
  /** `maxBlockBytes` and `maxProposals` count here. */
  limits?: Partial<Limits> | undefined;
}

/**
 * Where files live. Paths are relative to the workspace, normalised, with `/`. Whatever a function throws becomes a failed
 * result; codes of Node (`ENOENT`, …) and names of `DOMException`s are understood.
 */
export interface WorkspaceHost {
  /** The text of a file; null if there is none. */
  read(path: string): Promise<string | null> | string | null;
  /** Makes or replaces a file as a whole, and the directories above it. */
  write(path: string, content: string): Promise<void> | void;
  remove(path: string): Promise<void> | void;
  /** The paths of all files in a directory and below, from the workspace on; of all files without one. */
  list(dir?: string): Promise<readonly string[]> | readonly string[];
  /**
   * For hosts with links: where a path leads, either absolute or from the workspace on. A call whose path leads out of
   * the workspace fails. Asked for `"."`, for the path, and, if that is not there, for the directories above it.
   */
  realpath?(path: string): Promise<string | null> | string | null;
}
