/** `FileQueue`: calls on one file run one after another. */
import type { Access } from "./access.js";
import { foldPath } from "./identity.js";
import { OpfsHost } from "./opfs.js";
import type { Text } from "./proposals.js";
import type { WorkspaceHost } from "./types.js";

export class FileQueue {
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
    const folded = paths.map(foldPath);
    const keys = folded.map((path) => `path ${path}`);
    return this.#enqueue(keys, async () => {
      if (!this.access.hasLinks) return task(folded);
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
    const byName = new Map(paths.map((path) => [foldPath(path), path]));
    const sorted = [...byName].sort(([one], [other]) => (one < other ? -1 : 1));
    // The first file has the outermost lock.
    return sorted.reduceRight(
      (run: () => Promise<T>, [, path]) =>
        () =>
          host.lock(path, run, "exclusive"),
      task,
    )();
  }

  /** Takes a place in all queues at once, so that no two tasks wait for each other. */
  #enqueue<T>(keys: readonly string[], task: () => Promise<T>): Promise<T> {
    const unique = [...new Set(keys)];
    const [first, ...others] = unique.map((key) => this.#tails.get(key) ?? Promise.resolve());
    const result = (others.length > 0 ? Promise.all([first, ...others]) : (first ?? Promise.resolve())).then(task);
    const end = () => {
      for (const key of unique) if (this.#tails.get(key) === tail) this.#tails.delete(key);
    };
    const tail = result.then(end, end);
    for (const key of unique) this.#tails.set(key, tail);
    return result;
  }
}
