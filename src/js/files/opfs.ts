/** `OpfsHost`: files in the browser's private file system (OPFS), or in a directory that the user picked. */
import { GenuiPatchError } from "../core/errors.js";
import { HostError } from "./errors.js";
import { foldPath } from "./identity.js";
import type { WorkspaceHost } from "./types.js";

/** The platform's handle of a directory; `never` where the types lack it, as in Node. */
export type Directory = typeof globalThis extends { FileSystemDirectoryHandle: { prototype: infer T } } ? T : never;
/** `move` does not exist in every browser, nor in every version of the platform's types. */
type Movable = FileSystemFileHandle & { move?: Move };
/** Renames a file. WebKit's form has the directory before the name. */
type Move = ((name: string) => Promise<void>) & ((directory: Directory, name: string) => Promise<void>);

/** The names of files that are still being written, by this class or by the browser. */
const UNFINISHED = /^\.genui-patch-[0-9a-z]+\.tmp$|\.crswap$/;

/** The number of attempts where another tab or the browser may interfere. */
const ATTEMPTS = 10;

/** The size of written pieces, in bytes: for larger ones Chromium does not always report why writing failed. */
const PIECE = 1 << 16;

/** Opens a directory of the private file system, and creates it if it is missing. */
export async function openOpfs(segments: readonly string[]): Promise<Directory> {
  requireAtomicWrites();
  const storage = globalThis.navigator?.storage;
  if (typeof storage?.getDirectory !== "function") throw unsupported();
  let directory: Directory;
  try {
    directory = await storage.getDirectory();
  } catch (cause) {
    // Private windows of some browsers.
    throw unsupported(cause);
  }
  for (const name of segments) directory = await directory.getDirectoryHandle(name, { create: true });
  return directory;
}

/**
 * A name of a directory that is the same in all tabs: its path in the private file system, empty for all of it, or the name of a
 * directory that the user picked.
 */
export async function directoryName(directory: Directory): Promise<string> {
  try {
    const segments = await (await navigator.storage.getDirectory()).resolve(directory);
    return segments?.join("/") ?? directory.name;
  } catch {
    return directory.name;
  }
}

/** @throws GenuiPatchError `UNSUPPORTED` where files cannot be replaced as a whole. */
export function requireAtomicWrites(): void {
  const isSupported = "FileSystemFileHandle" in globalThis && "createWritable" in FileSystemFileHandle.prototype;
  if (!isSupported) throw unsupported();
}

function unsupported(cause?: unknown): GenuiPatchError {
  const message =
    "There is no private file system here that replaces files as a whole: it needs https, no private window, " +
    "and in Safari version 26. Workspace.memory works everywhere.";
  return new GenuiPatchError("UNSUPPORTED", message, { cause });
}

/** Replaces each file as a whole: the new text becomes visible when it is complete, or never. */
export class OpfsHost implements WorkspaceHost {
  readonly #root: Directory;
  /** The prefix of paths in the names of locks, so that tabs with different roots lock the same file by the same name. */
  readonly #prefix: string;

  /** `name`: the name of the root, as `directoryName` returns it. */
  constructor(root: Directory, name: string) {
    this.#root = root;
    this.#prefix = name === "" ? "" : `${name}/`;
  }

  async read(path: string): Promise<string | null> {
    const bytes = await this.#bytes(path);
    if (bytes === null) return null;
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch (cause) {
      throw new HostError("NOT_TEXT", cause);
    }
  }

  /** Reads a file, and again if another tab replaces it meanwhile. */
  async #bytes(path: string): Promise<ArrayBuffer | null> {
    for (let attempt = 1; ; attempt++) {
      const handle = await this.#file(path);
      if (handle === null) return null;
      try {
        return await (await handle.getFile()).arrayBuffer();
      } catch (cause) {
        if (attempt === ATTEMPTS || !isNamed(cause, "NotReadableError", "NotFoundError")) throw cause;
      }
    }
  }

  write(path: string, content: string): Promise<void> {
    return this.#inDirectories("shared", () => this.#write(path, content));
  }

  /**
   * A removal also removes empty directories, and Chromium refuses to write into a directory at that moment. So removals
   * run alone in all tabs of the origin; writes run side by side.
   */
  #inDirectories<T>(mode: "exclusive" | "shared", run: () => Promise<T>): Promise<T> {
    return request("genui-patch-directories", mode, run);
  }

  async #write(path: string, content: string): Promise<void> {
    const existing: Movable | null = await this.#file(path);
    if (existing !== null) return replace(existing, content);
    const segments = path.split("/");
    const name = segments.pop() ?? "";
    // A new file gets its name when it is complete. Where files cannot be renamed, it is removed if writing fails.
    const canRename = "move" in FileSystemFileHandle.prototype;
    const unfinishedName = canRename ? `.genui-patch-${hash(path)}.tmp` : name;
    const [directory, file] = await this.#make(segments, unfinishedName);
    try {
      await replace(file, content);
      // WebKit, whose `move` has two parameters, asks for the directory as well; in a directory that the user picked, other
      // browsers may not accept it.
      if (canRename) await (file.move?.length === 2 ? file.move(directory, name) : file.move?.(name));
    } catch (cause) {
      await removeUnfinished(directory, unfinishedName);
      throw cause;
    }
  }

  /**
   * Creates a file, and the directories above it. Another tab may remove the directories while they are empty: Chromium then throws
   * NotFoundError, Firefox and WebKit UnknownError.
   */
  async #make(segments: readonly string[], name: string): Promise<[Directory, Movable]> {
    for (let attempt = 1; ; attempt++) {
      try {
        const directory = await this.#directory(segments, { create: true });
        return [directory, await directory.getFileHandle(name, { create: true })];
      } catch (cause) {
        if (attempt === ATTEMPTS || !isNamed(cause, "NotFoundError", "UnknownError")) throw cause;
      }
    }
  }

  remove(path: string): Promise<void> {
    return this.#inDirectories("exclusive", () => this.#remove(path));
  }

  async #remove(path: string): Promise<void> {
    const segments = path.split("/");
    const name = segments.pop() ?? "";
    await (await this.#directory(segments)).removeEntry(name);
    // Empty directories are removed with their last file, from the innermost to the root.
    for (let inner = segments.pop(); inner !== undefined; inner = segments.pop()) {
      try {
        await (await this.#directory(segments)).removeEntry(inner);
      } catch {
        // The directory is not empty, so neither are those around it.
        return;
      }
    }
  }

  async list(dir = ""): Promise<string[]> {
    const paths: string[] = [];
    const walk = async (directory: Directory, prefix: string): Promise<void> => {
      if (!isIterable(directory)) return;
      for await (const [name, handle] of directory) {
        if (isDirectory(handle)) await walk(handle, `${prefix}${name}/`).catch(ignoreMissing);
        else if (!UNFINISHED.test(name)) paths.push(prefix + name);
      }
    };
    await walk(await this.#directory(dir === "" ? [] : dir.split("/")), dir === "" ? "" : `${dir}/`);
    return paths;
  }

  /** Runs a task on a path when the earlier tasks on it are over, in all tabs. Tasks that only read (`"shared"`) run side by side. */
  lock<T>(path: string, run: () => Promise<T>, mode: "exclusive" | "shared"): Promise<T> {
    return request(`genui-patch:${foldPath(this.#prefix + path)}`, mode, run);
  }

  /** The handle of a file; null if it or a directory above it does not exist. */
  async #file(path: string): Promise<FileSystemFileHandle | null> {
    const segments = path.split("/");
    const name = segments.pop() ?? "";
    try {
      return await (await this.#directory(segments)).getFileHandle(name);
    } catch (cause) {
      if (isNamed(cause, "NotFoundError")) return null;
      throw isNamed(cause, "TypeMismatchError") ? new HostError("IS_DIRECTORY", cause) : cause;
    }
  }

  async #directory(segments: readonly string[], options: { create?: boolean } = {}): Promise<Directory> {
    let directory = this.#root;
    for (const name of segments) {
      try {
        directory = await directory.getDirectoryHandle(name, options);
      } catch (cause) {
        throw isNamed(cause, "TypeMismatchError") ? new HostError("NOT_DIRECTORY", cause) : cause;
      }
    }
    return directory;
  }
}

/** The platform's types lack the iteration of directories. */
const isIterable = (directory: object): directory is AsyncIterable<[string, FileSystemHandle]> =>
  Symbol.asyncIterator in directory;

const isDirectory = (handle: FileSystemHandle): handle is Directory => handle.kind === "directory";

/** Runs under a lock that all tabs of the origin share, where the browser has locks. */
function request<T>(name: string, mode: "exclusive" | "shared", run: () => Promise<T>): Promise<T> {
  const locks = globalThis.navigator?.locks;
  if (!locks) return run();
  // The lock is held until the promise that the callback returns is settled.
  return new Promise((resolve, reject) => {
    locks.request(name, { mode }, () => run().then(resolve, reject)).catch(reject);
  });
}

/** Whether an exception has one of these names. */
const isNamed = (cause: unknown, ...names: string[]) =>
  cause instanceof Object && "name" in cause && names.some((name) => name === cause.name);

/** Ignores a directory that another tab removes while it is listed. */
function ignoreMissing(cause: unknown): void {
  if (!isNamed(cause, "NotFoundError")) throw cause;
}

/** Writes into a temporary file, which replaces the old one on `close`. */
async function replace(file: FileSystemFileHandle, content: string): Promise<void> {
  const bytes = new TextEncoder().encode(content);
  const stream = await file.createWritable();
  try {
    // Each piece is a copy: of a view, WebKit writes the whole buffer.
    for (let at = 0; at < bytes.length; at += PIECE) await stream.write(bytes.slice(at, at + PIECE));
    await stream.close();
  } catch (cause) {
    await stream.abort().catch(() => {});
    throw cause;
  }
}

/** Removes an unfinished file. A browser may lock it a moment longer than its stream. `list` ignores unfinished files. */
async function removeUnfinished(directory: Directory, name: string): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      return await directory.removeEntry(name);
    } catch {
      // 1 ms, then 2 ms, and so on.
      await new Promise((resolve) => setTimeout(resolve, attempt));
    }
  }
}

/** A short name that differs where the paths do (FNV-1a, twice 32 bits). */
function hash(path: string): string {
  const half = (start: number): string => {
    let state = start;
    for (let at = 0; at < path.length; at++) state = Math.imul(state ^ path.charCodeAt(at), 0x01000193);
    return (state >>> 0).toString(36);
  };
  // The first is the start of FNV-1a, the second any other.
  return half(0x811c9dc5) + half(0x050c5d1f);
}
