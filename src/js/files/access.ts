/** Access to the files of a host, which may throw anything and may have links. */
import { checkPath, type PathPolicy } from "../blocks/policy.js";
import { fileRefusal, hostRefusal, instead } from "./errors.js";
import type { WorkspaceHost } from "./types.js";

/** What file systems that ignore case or the form of accents hold for one file. */
export const keyOf = (path: string): string => path.normalize("NFC").toLowerCase();

export class Access {
  constructor(
    private readonly host: WorkspaceHost,
    private readonly policy: PathPolicy | undefined,
  ) {}

  /** What the host answers. Whatever it throws becomes a refusal. */
  async ask<Answer>(path: string, run: (host: WorkspaceHost) => Answer): Promise<Awaited<Answer>> {
    try {
      return await run(this.host);
    } catch (cause) {
      throw hostRefusal(cause, path);
    }
  }

  /** The text of a file that is where its path says; null if there is none. */
  find(path: string): Promise<string | null> {
    return this.ask(path, async () => {
      if (await this.#leadsOut(path)) throw fileRefusal("UNSAFE_PATH", path);
      return this.text(path);
    });
  }

  /** The text of a file; null if there is none. */
  async text(path: string): Promise<string | null> {
    const found = this.ask(path, (host) => host.read(path));
    const text: unknown = (await found.catch(instead(null, "NOT_FOUND"))) ?? null;
    if (text !== null && typeof text !== "string") throw new TypeError(`read gave a value of type ${typeof text}`);
    return text;
  }

  /** Whether a path may not be used although it looks good: a link on its way leads elsewhere. */
  async #leadsOut(path: string): Promise<boolean> {
    if (this.host.realpath === undefined) return false;
    const real = async (place: string) => {
      const found = this.ask(path, (host) => host.realpath?.(place));
      return (await found.catch(instead(null, "NOT_FOUND"))) ?? null;
    };
    // Of what is not there yet, the directories in which it would be made count.
    let place: string | null = null;
    let rest = path;
    for (; rest !== "" && place === null; rest = rest.slice(0, Math.max(rest.lastIndexOf("/"), 0))) {
      place = await real(rest);
      if (place !== null && rest !== path) place += path.slice(rest.length);
    }
    if (place === null) return false;
    const inside = below(place, (await real(".")) ?? "");
    return inside === undefined || !checkPath(inside, this.policy).ok;
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
