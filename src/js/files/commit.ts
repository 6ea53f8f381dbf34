/** `FileWriter`: writes the files of one call, all of them or none, and notifies the listeners that depend on their texts. */
import type { Source } from "../store/history-types.js";
import type { Access } from "./access.js";
import { foldPath } from "./identity.js";
import type { Text } from "./proposals.js";
import type { FileAction, FileChange } from "./types.js";

/** The change of one file. */
export interface FileEdit {
  path: string;
  /** The identity of the file: equal for all its paths. */
  file: string;
  before: Text;
  after: Text;
}

/** Called after changes are written, with their source; `undefined` for an undo or redo, which the history does not record. */
export type CommitListener = (edits: readonly FileEdit[], by: Source | undefined) => Promise<void> | undefined;

export class FileWriter {
  /** How often this workspace has changed each file, by its identity. */
  readonly #revisions = new Map<string, number>();
  readonly #listeners: CommitListener[] = [];

  constructor(private readonly access: Access) {}

  /** Adds a listener. `commit` waits for each, in the order in which they were added. */
  onCommit(listener: CommitListener): void {
    this.#listeners.push(listener);
  }

  /** How often this workspace has changed a file. `file` is its identity, not its path. */
  revision(file: string): number {
    return this.#revisions.get(file) ?? 0;
  }

  /**
   * Writes and removes files. If the host fails, the files that are written already get their texts back.
   * @throws FileRefusedError
   */
  async commit(edits: readonly FileEdit[], by?: Source): Promise<void> {
    const writtenEdits: FileEdit[] = [];
    try {
      for (const edit of inOrder(edits)) {
        await this.#put(edit.path, edit.after);
        writtenEdits.push(edit);
      }
    } catch (cause) {
      for (const { path, before } of writtenEdits.reverse()) await this.#put(path, before).catch(() => {});
      throw cause;
    }
    for (const { file } of edits) this.#revisions.set(file, this.revision(file) + 1);
    for (const listener of this.#listeners) await listener(edits, by);
  }

  /** Writes a file, or removes it. */
  async #put(path: string, text: Text): Promise<void> {
    await this.access.ask(path, (host) => (text === null ? host.remove(path) : host.write(path, text)));
    this.access.updateList(path, text !== null);
  }
}

/**
 * The edits in the order in which they are written: first the removals of paths that a system may treat as one with a written
 * path, since they would remove the new file; then the writes; then the other removals, so that a moved file is never missing.
 */
function inOrder(edits: readonly FileEdit[]): readonly FileEdit[] {
  if (edits.length < 2) return edits;
  const writtenPaths = new Set(edits.flatMap(({ path, after }) => (after === null ? [] : foldPath(path))));
  const rank = ({ path, after }: FileEdit) => (after !== null ? 1 : writtenPaths.has(foldPath(path)) ? 0 : 2);
  return [...edits].sort((one, other) => rank(one) - rank(other));
}

/** The effect of a change on a file. */
export function actionOf(before: Text, after: Text): FileAction {
  return after === null ? "deleted" : before === null ? "created" : "updated";
}

/** A change as the history and the results have it, frozen. */
export const changeOf = ({ path, before, after }: Pick<FileEdit, "path" | "before" | "after">): FileChange =>
  Object.freeze({ path, action: actionOf(before, after), before, after });
