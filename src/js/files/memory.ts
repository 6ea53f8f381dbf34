/** Files in memory: a tree, and what was done to it. */
import { HostError } from "./errors.js";
import type { FileChange, WorkspaceHost } from "./types.js";

type Tree = Map<string, string | Tree>;

const REMEMBERED = 1000;

export class MemoryHost implements WorkspaceHost {
  readonly #root: Tree = new Map();
  readonly history: FileChange[] = [];

  read(path: string): string | null {
    const found = this.#find(path);
    if (found instanceof Map) throw new HostError("IS_DIRECTORY");
    return found ?? null;
  }

  write(path: string, content: string): void {
    const before = this.read(path);
    this.#put(this.#root, path.split("/"), content);
    this.#remember({ path, action: before === null ? "created" : "updated", before, after: content });
  }

  remove(path: string): void {
    const before = this.read(path);
    if (before === null) throw new HostError("NOT_FOUND");
    take(this.#root, path.split("/"));
    this.#remember({ path, action: "deleted", before, after: null });
  }

  list(dir = ""): string[] {
    const found = dir === "" ? this.#root : this.#find(dir);
    const paths: string[] = [];
    const walk = (tree: Tree, prefix: string): void => {
      for (const [name, inner] of tree) {
        if (inner instanceof Map) walk(inner, `${prefix}${name}/`);
        else paths.push(prefix + name);
      }
    };
    if (found instanceof Map) walk(found, dir === "" ? "" : `${dir}/`);
    return paths;
  }

  #find(path: string): string | Tree | undefined {
    let found: string | Tree | undefined = this.#root;
    for (const name of path.split("/")) {
      if (typeof found === "string") throw new HostError("NOT_DIRECTORY");
      found = found?.get(name);
    }
    return found;
  }

  /** Nothing is changed before it is clear that all of the path can be made. */
  #put(tree: Tree, [name = "", ...below]: string[], content: string): void {
    if (below.length === 0) {
      tree.set(name, content);
      return;
    }
    const inner = tree.get(name) ?? new Map();
    this.#put(inner as Tree, below, content);
    tree.set(name, inner);
  }

  #remember(change: FileChange): void {
    this.history.push(Object.freeze(change));
    if (this.history.length > REMEMBERED) this.history.shift();
  }
}

/** Takes a file away, and the directories that are empty without it. */
function take(tree: Tree, [name = "", ...below]: string[]): void {
  const inner = tree.get(name);
  if (inner instanceof Map) take(inner, below);
  if (!(inner instanceof Map) || inner.size === 0) tree.delete(name);
}
