/** Files in memory, and what was done to them. */
import { HostError } from "./errors.js";
import type { FileChange, WorkspaceHost } from "./types.js";

const REMEMBERED = 1000;

export class MemoryHost implements WorkspaceHost {
  readonly #files = new Map<string, string>();
  /** By directory, how many files are in it and below. */
  readonly #directories = new Map<string, number>();
  readonly history: FileChange[] = [];

  read(path: string): string | null {
    if (this.#directories.has(path)) throw new HostError("IS_DIRECTORY");
    for (const above of directoriesOf(path)) if (this.#files.has(above)) throw new HostError("NOT_DIRECTORY");
    return this.#files.get(path) ?? null;
  }

  write(path: string, content: string): void {
    const before = this.read(path);
    this.#files.set(path, content);
    if (before === null) this.#count(path, 1);
    this.#remember({ path, action: before === null ? "created" : "updated", before, after: content });
  }

  remove(path: string): void {
    const before = this.read(path);
    if (before === null) throw new HostError("NOT_FOUND");
    this.#files.delete(path);
    this.#count(path, -1);
    this.#remember({ path, action: "deleted", before, after: null });
  }

  list(dir?: string): string[] {
    return [...this.#files.keys()].filter((path) => dir === undefined || path.startsWith(`${dir}/`));
  }

  #count(path: string, by: number): void {
    for (const above of directoriesOf(path)) {
      const count = (this.#directories.get(above) ?? 0) + by;
      if (count > 0) this.#directories.set(above, count);
      else this.#directories.delete(above);
    }
  }

  #remember(change: FileChange): void {
    this.history.push(Object.freeze(change));
    if (this.history.length > REMEMBERED) this.history.shift();
  }
}

/** The directories above a file. */
function* directoriesOf(path: string): Generator<string> {
  for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) yield path.slice(0, end);
}
