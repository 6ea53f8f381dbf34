/** `OwnHost`: the package's own hosts, which can do more than a `WorkspaceHost` must. */
import type { FileChange, WorkspaceHost } from "./types.js";

/** A host of the package's own. */
export interface OwnHost extends WorkspaceHost {
  /** Runs one after another what concerns a path, in other tabs too. */
  lock?<T>(path: string, run: () => Promise<T>): Promise<T>;
  readonly history?: readonly FileChange[];
}

/** What file systems that ignore case or the form of accents hold for one file. */
export const keyOf = (path: string): string => path.normalize("NFC").toLowerCase();
