/** `Access`: reads the files of a host. Turns its errors into refusals, and resolves its links. */
import type { FileWarning } from "../approval/types.js";
import { checkPath, type PathPolicy } from "../blocks/policy.js";
import { fileRefusal, hostRefusal, recoverFrom } from "./errors.js";
import { foldPath, twinWarning } from "./identity.js";
import { MemoryHost } from "./memory.js";
import type { WorkspaceHost } from "./types.js";

/** Which file a path names. */
export interface FileIdentity {
  /** Equal for all paths of the file. */
  file: string;
  /** The paths of other files that differ only in case and the form of accents. */
  twins: readonly string[];
}

export class Access {
  /** The paths of the host's files, by folded path. `undefined` until they are needed, and after a file with twins has changed. */
  #paths: Map<string, string[]> | undefined;

  constructor(
    private readonly host: WorkspaceHost,
    private readonly policy: PathPolicy | undefined,
  ) {}

  /** Calls the host. An error of the host becomes a refusal about this path. */
  async ask<Answer>(path: string, run: (host: WorkspaceHost) => Answer): Promise<Awaited<Answer>> {
    try {
      return await run(this.host);
    } catch (cause) {
      throw hostRefusal(cause, path);
    }
  }

  /** The text of a file, null if it does not exist. Refuses a path whose links lead to a forbidden one. */
  find(path: string): Promise<string | null> {
    return this.ask(path, async () => {
      await this.#realPath(path);
      return this.text(path);
    });
  }

  /** The text of a file; null if it does not exist. Checks no links: for a path that {@link find} has checked. */
  async text(path: string): Promise<string | null> {
    const answer = this.ask(path, (host) => host.read(path));
    const text: unknown = (await answer.catch(recoverFrom(null, "NOT_FOUND"))) ?? null;
    if (text !== null && typeof text !== "string") throw new TypeError(`read gave a value of type ${typeof text}`);
    return text;
  }

  /** The paths of all files in a directory and below it, sorted; of all files without one. */
  list(dir: string | undefined): Promise<string[]> {
    const dirPaths = this.ask(dir ?? "", async (host) => {
      const paths = [...(await host.list(dir))].sort();
      // Some hosts list everything, whatever they are asked for.
      return dir === undefined ? paths : paths.filter((path) => path.startsWith(`${dir}/`));
    });
    return dirPaths.catch(recoverFrom([], "NOT_FOUND", "NOT_DIRECTORY"));
  }

  /** Whether a path may lead to a file of another path. */
  get hasLinks(): boolean {
    return this.host.realpath !== undefined;
  }

  /** The identity of a file, equal for all its paths: its real path, folded. */
  async identity(path: string): Promise<string> {
    return foldPath(await this.ask(path, () => this.#realPath(path)));
  }

  /** The identity of a file in memory, without waiting; `undefined` for other hosts. */
  knownIdentity(path: string): FileIdentity | undefined {
    return this.host instanceof MemoryHost ? { file: foldPath(path), twins: this.host.twins(path) } : undefined;
  }

  /** The text of a file in memory, without waiting; null if there is no such file, or the host is another one. */
  knownText(path: string): string | null {
    try {
      return this.host instanceof MemoryHost ? this.host.read(path) : null;
    } catch {
      return null;
    }
  }

  /** The identity of a file and its twins, on any host. */
  async lookUp(path: string): Promise<FileIdentity> {
    return { file: await this.identity(path), twins: await this.#twins(path) };
  }

  /** The paths of other files that differ only in case and the form of accents. */
  async #twins(path: string): Promise<readonly string[]> {
    if (this.host instanceof MemoryHost) return this.host.twins(path);
    // The list may be out of date: another program may have created the file, or its twin, since.
    if (!this.#isListed(path)) await this.#list();
    return (this.#paths?.get(foldPath(path)) ?? []).filter((other) => other !== path);
  }

  /** The warning that other files have nearly the same path, if they do. */
  async warnings(path: string): Promise<{ warnings?: FileWarning[] }> {
    const twins = await this.#twins(path);
    return twins.length === 0 ? {} : { warnings: [twinWarning(path, twins)] };
  }

  /** Updates the list of paths after a file was created or deleted. */
  updateList(path: string, exists: boolean): void {
    const key = foldPath(path);
    const paths = this.#paths?.get(key) ?? [];
    // With twins, only the host knows which files there are now: it may ignore case.
    if (paths.some((other) => other !== path)) this.#paths = undefined;
    else this.#paths?.set(key, exists ? [path] : []);
  }

  #isListed(path: string): boolean {
    return this.#paths?.get(foldPath(path))?.includes(path) ?? false;
  }

  /** Lists the files of the host. A host that fails to list them gets no warnings. */
  async #list(): Promise<void> {
    const paths = new Map<string, string[]>();
    const hostPaths: unknown = await this.ask("", (host) => host.list()).catch(() => []);
    for (const path of Array.isArray(hostPaths) ? hostPaths : []) {
      if (typeof path !== "string") continue;
      const key = foldPath(path);
      paths.set(key, [...(paths.get(key) ?? []), path]);
    }
    this.#paths = paths;
  }

  /** The path with all links resolved, relative to the workspace. Throws `UNSAFE_PATH` if no call may use that path. */
  async #realPath(path: string): Promise<string> {
    if (!this.hasLinks) return path;
    const resolve = async (linked: string) => {
      const answer = this.ask(path, (host) => host.realpath?.(linked));
      return (await answer.catch(recoverFrom(null, "NOT_FOUND"))) ?? null;
    };
    // A file that does not exist yet is where its nearest existing directory leads: from the path upwards.
    let realPath: string | null = null;
    let candidate = path;
    while (candidate !== "" && realPath === null) {
      realPath = await resolve(candidate);
      if (realPath !== null) realPath += path.slice(candidate.length);
      candidate = candidate.slice(0, Math.max(candidate.lastIndexOf("/"), 0));
    }
    // Nothing on the path exists, so it has no links.
    if (realPath === null) return path;
    const relativePath = below(realPath, (await resolve(".")) ?? "");
    const checked = relativePath === undefined ? undefined : checkPath(relativePath, this.policy);
    if (!checked?.ok) throw fileRefusal("UNSAFE_PATH", path);
    return checked.path;
  }
}

/** A real path relative to the real root; `undefined` for a path outside. A path that is not absolute is relative already. */
function below(realPath: string, root: string): string | undefined {
  const slashes = (path: string): string => path.replaceAll("\\", "/");
  const absolute = /^([a-z]:)?\//i;
  const [path, base] = [slashes(realPath), slashes(root).replace(/\/$/, "")];
  if (!absolute.test(path)) return path;
  return path.startsWith(`${base}/`) ? path.slice(base.length + 1) : undefined;
}
