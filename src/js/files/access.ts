/** Access to the files of a host, which may throw anything and may have links. */
import { checkPath, type PathPolicy } from "../blocks/policy.js";
import { fileError, hostError } from "./errors.js";
import type { FileChange, FileError, WorkspaceHost } from "./types.js";

/** A host of the package's own, which can do more than a `WorkspaceHost` must. */
export interface OwnHost extends WorkspaceHost {
  /** Runs one after another what concerns a path, in other tabs too. */
  lock?<T>(path: string, run: () => Promise<T>): Promise<T>;
  readonly history?: readonly FileChange[];
}

/** What file systems that ignore case or the form of accents hold for one file. */
export const keyOf = (path: string): string => path.normalize("NFC").toLowerCase();

export class Access {
  constructor(
    readonly host: OwnHost,
    private readonly policy: PathPolicy | undefined,
  ) {}

  /** The text of a file that is where its path says. */
  async find(path: string): Promise<{ before: string | null } | { error: FileError }> {
    try {
      const refusal = await this.#leadsOut(path);
      return refusal === undefined ? { before: await this.text(path) } : { error: refusal };
    } catch (cause) {
      return { error: hostError(cause, path) };
    }
  }

  /** The text of a file; null if there is none. */
  async text(path: string): Promise<string | null> {
    const text: unknown = await orNull(path, () => this.host.read(path));
    if (text !== null && typeof text !== "string") throw new TypeError(`read gave a value of type ${typeof text}`);
    return text;
  }

  /** Why a path may not be used although it looks good: a link on its way leads elsewhere. */
  async #leadsOut(path: string): Promise<FileError | undefined> {
    const { realpath } = this.host;
    if (realpath === undefined) return undefined;
    const real = (path: string) => orNull(path, () => realpath(path));
    // Of what is not there yet, the directories in which it would be made count.
    let place: string | null = null;
    let rest = path;
    for (; rest !== "" && place === null; rest = rest.slice(0, Math.max(rest.lastIndexOf("/"), 0))) {
      place = await real(rest);
      if (place !== null && rest !== path) place += path.slice(rest.length);
    }
    if (place === null) return undefined;
    const inside = below(place, (await real(".")) ?? "");
    const checked = inside === undefined ? undefined : checkPath(inside, this.policy);
    return checked?.ok ? undefined : fileError("UNSAFE_PATH", path);
  }

  /** Makes, replaces or takes away a file. Why it failed, if it did. */
  async put(path: string, after: string | null): Promise<FileError | undefined> {
    try {
      await (after === null ? this.host.remove(path) : this.host.write(path, after));
      return undefined;
    } catch (cause) {
      return hostError(cause, path);
    }
  }
}

/** What a host answers; null if it says that there is no such file. */
async function orNull<T>(path: string, ask: () => Promise<T> | T): Promise<T | null> {
  try {
    return (await ask()) ?? null;
  } catch (cause) {
    if (hostError(cause, path).code !== "NOT_FOUND") throw cause;
    return null;
  }
}

/** A real path, from the real root on. */
function below(place: string, root: string): string | undefined {
  const slashes = (path: string): string => path.replaceAll("\\", "/");
  const absolute = /^([a-z]:)?\//i;
  const [path, base] = [slashes(place), slashes(root).replace(/\/$/, "")];
  if (!absolute.test(path)) return path;
  return path.startsWith(`${base}/`) ? path.slice(base.length + 1) : undefined;
}
