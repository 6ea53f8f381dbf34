/** `FileQueue`: runs calls on one file one after another, within this workspace and, in the private file system, in all tabs. */
import type { Access } from "./access.js";
import { foldPath } from "./identity.js";
import { OpfsHost } from "./opfs.js";
import type { Text } from "./proposals.js";
import type { WorkspaceHost } from "./types.js";

export class FileQueue {
  /** By the key of a path or a file: the end of the last task that waits or runs. */
  readonly #tails = new Map<string, Promise<unknown>>();

  constructor(
    private readonly host: WorkspaceHost,
    private readonly access: Access,
  ) {}

  /**
   * Runs tasks on files one after another, by whichever paths the files are named. `files` are the identities of the files, in
   * the order of the paths.
   */
  run<T>(paths: readonly string[], task: (files: readonly string[]) => Promise<T>): Promise<T> {
    const foldedPaths = paths.map(foldPath);
    const keys = foldedPaths.map((path) => `path ${path}`);
    return this.#enqueue(keys, async () => {
      if (!this.access.hasLinks) return task(foldedPaths);
      // A path that leads nowhere is refused when the file is read.
      const files = await Promise.all(paths.map((path) => this.access.identity(path).catch(() => foldPath(path))));
      // Calls lock the paths first and then the files. The fixed order prevents deadlocks.
      const locks = files.map((file) => `file ${file}`);
      return this.#enqueue(locks, () => task(files));
    });
  }

  /** Reads a file while no tab writes it: in WebKit a file that is being replaced is empty or truncated for a moment. */
  read(path: string): Promise<Text> {
    const find = () => this.access.find(path);
    return this.host instanceof OpfsHost ? this.host.lock(path, find, "shared") : find();
  }

  /** Runs a task while no other tab reads or writes the files. All tabs lock files in the same order. */
  exclusively<T>(paths: readonly string[], task: () => Promise<T>): Promise<T> {
    const { host } = this;
    if (!(host instanceof OpfsHost)) return task();
    // By folded path: two paths with one lock would wait for each other.
    const byFolded = new Map(paths.map((path) => [foldPath(path), path]));
    const sortedFiles = [...byFolded].sort(([one], [other]) => (one < other ? -1 : 1));
    // Built from the last file, whose lock is the innermost, to the first.
    return sortedFiles.reduceRight(
      (run: () => Promise<T>, [, path]) =>
        () =>
          host.lock(path, run, "exclusive"),
      task,
    )();
  }

  /** Enters a task in the queues of all keys at once, so that no two tasks wait for each other. */
  #enqueue<T>(keys: readonly string[], task: () => Promise<T>): Promise<T> {
    const unique = [...new Set(keys)];
    const [first, ...others] = unique.map((key) => this.#tails.get(key) ?? Promise.resolve());
    // Mostly there is one key: without `all` its task starts some microtasks earlier.
    const result = (others.length > 0 ? Promise.all([first, ...others]) : (first ?? Promise.resolve())).then(task);
    // A queue whose last task has ended is removed.
    const end = () => {
      for (const key of unique) if (this.#tails.get(key) === tail) this.#tails.delete(key);
    };
    const tail = result.then(end, end);
    for (const key of unique) this.#tails.set(key, tail);
    return result;
  }
}
