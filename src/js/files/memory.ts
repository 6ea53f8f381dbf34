/** `MemoryHost`: files in memory, for tests and for pages without storage. */
import { getOrInsert } from "../core/kinds.js";
import { HostError } from "./errors.js";
import { foldPath } from "./identity.js";
import type { WorkspaceHost } from "./types.js";

export class MemoryHost implements WorkspaceHost {
  /** The texts, by path. */
  readonly #files = new Map<string, string>();
  /** For each directory, the number of files in it and below. */
  readonly #directories = new Map<string, number>();
  /** The paths of the files, by folded path, which is equal for paths that differ only in case or accents. */
  readonly #folded = new Map<string, Set<string>>();

  read(path: string): string | null {
    if (this.#directories.has(path)) throw new HostError("IS_DIRECTORY");
    for (const above of directoriesOf(path)) if (this.#files.has(above)) throw new HostError("NOT_DIRECTORY");
    return this.#files.get(path) ?? null;
  }

  write(path: string, content: string): void {
    const before = this.read(path);
    this.#files.set(path, content);
    if (before === null) {
      this.#count(path, 1);
      getOrInsert(this.#folded, foldPath(path), () => new Set<string>()).add(path);
    }
  }

  remove(path: string): void {
    const before = this.read(path);
    if (before === null) throw new HostError("NOT_FOUND");
    this.#files.delete(path);
    this.#count(path, -1);
    const key = foldPath(path);
    const paths = this.#folded.get(key);
    paths?.delete(path);
    if (paths?.size === 0) this.#folded.delete(key);
  }

  list(dir?: string): string[] {
    return [...this.#files.keys()].filter((path) => dir === undefined || path.startsWith(`${dir}/`));
  }

  /** The paths of other files that differ only in case and the form of accents. */
  twins(path: string): string[] {
    return [...(this.#folded.get(foldPath(path)) ?? [])].filter((other) => other !== path);
  }

  /** All texts by path. */
  texts(): Record<string, string> {
    return Object.fromEntries(this.#files);
  }

  /** Counts a file in the directories above it: `by` is 1 for a new file, -1 for a removed one. */
  #count(path: string, by: number): void {
    for (const above of directoriesOf(path)) {
      const count = (this.#directories.get(above) ?? 0) + by;
      if (count > 0) this.#directories.set(above, count);
      else this.#directories.delete(above);
    }
  }
}

/** The directories above a file. */
function* directoriesOf(path: string): Generator<string> {
  for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) yield path.slice(0, end);
}
