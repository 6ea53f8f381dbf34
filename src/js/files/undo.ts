/** `FileUndo`: undo and redo of the changes of a workspace, by group and by author. */
import type { WorkspaceCall } from "../approval/types.js";
import type { Listeners } from "../core/listeners.js";
import { USER } from "../store/authors.js";
import type { Access } from "./access.js";
import { changeOf, type FileWriter } from "./commit.js";
import { FileRefusedError, fileRefusal } from "./errors.js";
import { type FileHistory, revert } from "./history.js";
import { hunksOf } from "./proposals.js";
import type { FileQueue } from "./queue.js";
import type {
  ExecutionResult,
  FileChange,
  FileHistoryEntry,
  FileUndoOptions,
  FileUndoResult,
  WorkspaceEvent,
} from "./types.js";

export class FileUndo {
  constructor(
    private readonly access: Access,
    private readonly queue: FileQueue,
    private readonly writer: FileWriter,
    private readonly history: FileHistory,
    private readonly listeners: Listeners<WorkspaceEvent>,
  ) {}

  /** Reverts the last group that the options name, but keeps what was changed later; or makes an undone group again. */
  async run(type: "undo" | "redo", options: FileUndoOptions): Promise<FileUndoResult> {
    const entry = this.history.find(type, options);
    try {
      if (entry === undefined) throw fileRefusal("NOTHING_TO_UNDO", options.group ?? "");
      const paths = [...new Set(this.history.changesOf(entry).map(({ path }) => path))];
      return await this.queue.run(paths, (files) =>
        this.queue.exclusively(paths, () => this.#revert(type, entry, paths, files, options.force === true)),
      );
    } catch (cause) {
      if (!(cause instanceof FileRefusedError)) throw cause;
      return { status: "failed", error: cause.answer.error };
    }
  }

  /** `files` are the identities of the files at `paths`. With `isForced` lines in conflict are left as they are. */
  async #revert(
    type: "undo" | "redo",
    entry: FileHistoryEntry,
    paths: readonly string[],
    files: readonly string[],
    isForced: boolean,
  ): Promise<FileUndoResult> {
    const current = new Map<string, string | null>();
    for (const path of paths) current.set(path, await this.access.find(path));
    const { texts, conflicts } = revert(this.history.changesOf(entry), current);
    const [first] = conflicts;
    if (first && !isForced) {
      const refusal = fileRefusal("UNDO_CONFLICT", first.path);
      refusal.answer.error.places = conflicts.map(({ path, line }) => `${path}:${line}`);
      throw refusal;
    }
    const edits = paths.flatMap((path, index) => {
      const [before, after] = [current.get(path) ?? null, texts.get(path) ?? null];
      return before === after ? [] : [{ path, file: files[index] ?? path, before, after }];
    });
    const changes = edits.map(changeOf);
    // Without a source, so that the history does not record it as a new change.
    await this.writer.commit(edits);
    this.history.settle(entry, changes);
    for (const change of changes) this.#notify(type, change);
    return { status: "completed", group: entry.id, changes };
  }

  /** Reports a changed file as an executed call that makes the same change. */
  #notify(origin: "undo" | "redo", { path, before, after, action }: FileChange): void {
    const base = { id: `${origin}_1`, path, status: "completed" as const };
    const call: WorkspaceCall =
      after === null
        ? { ...base, tool: "delete_file", args: { tool: "delete_file", path } }
        : { ...base, tool: "write_file", content: after, args: { tool: "write_file", path, content: after } };
    const result: ExecutionResult = { call, status: "completed", action, diff: hunksOf(before, after) };
    this.listeners.emit({ type: "status", call, author: USER, result, origin });
  }
}
