/**
 * The identity of files: equal for all spellings of a path that a file system may treat as one file. Twins are files whose paths
 * differ, but have one identity.
 */
import type { FileWarning } from "../approval/types.js";

/**
 * A path in lower case and NFC: equal for all paths that a file system may treat as one file because it ignores case or the
 * form of accents. The step to upper case also folds pairs such as `ß` and `ss`.
 */
export function foldPath(path: string): string {
  return path.normalize("NFC").toLowerCase().toUpperCase().toLowerCase().normalize("NFC");
}

/** The maximum number of twins in a message. */
const MAX_NAMED = 3;

/** The warning that these files are twins of the one at `path`. */
export function twinWarning(path: string, paths: readonly string[]): FileWarning {
  const namedTwins = paths.slice(0, MAX_NAMED).map((twin) => JSON.stringify(twin));
  const more = paths.length > MAX_NAMED ? `, and ${paths.length - MAX_NAMED} more` : "";
  const message =
    `${JSON.stringify(path)} differs from ${namedTwins.join(", ")}${more} only in case or in the form of accents: ` +
    "on some systems they are one file. Send the path of the file that is meant.";
  return { code: "TWIN_PATH", message, paths };
}
