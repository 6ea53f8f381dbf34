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

  /** Runs tasks on one file one after another, by whichever path the file is named. `file` is the file's identity. */
  run<T>(path: string, task: (file: string) => Promise<T>): Promise<T> {
    const folded = foldPath(path);
    return this.#enqueue(`path ${folded}`, async () => {
      if (!this.access.hasLinks) return task(folded);
      // A path that leads nowhere is refused when the file is read.
      const file = await this.access.identity(path).catch(() => folded);
      // Calls lock the path first and then the file. The fixed order prevents deadlocks.
      return this.#enqueue(`file ${file}`, () => task(file));
    });
  }

  /** Reads a file while no tab writes it: in WebKit a file that is being replaced is empty or truncated for a moment. */
  read(path: string): Promise<Text> {
    const find = () => this.access.find(path);
    return this.host instanceof OpfsHost ? this.host.lock(path, find, "shared") : find();
  }

  /** Runs a task while no other tab reads or writes the file. */
  exclusively<T>(path: string, task: () => Promise<T>): Promise<T> {
    return this.host instanceof OpfsHost ? this.host.lock(path, task, "exclusive") : task();
  }

  #enqueue<T>(key: string, task: () => Promise<T>): Promise<T> {
    const result = (this.#tails.get(key) ?? Promise.resolve()).then(task);
    const end = () => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    };
    const tail = result.then(end, end);
    this.#tails.set(key, tail);
    return result;
  }
}
