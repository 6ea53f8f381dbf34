/** The path policy of file tools, and which URLs a page may use. */

import { ask, askUrl, type SafeUrl } from "./core/ask.js";
import { blocksModule } from "./core/blocks.js";
import { GenuiPatchError } from "./errors.js";

/** A rule of the path policy: the `reason` of a refusal, and the name by which `off` turns it off. */
export type PathRule =
  | "path-length"
  | "control-character"
  | "lone-surrogate"
  | "url-scheme"
  | "absolute"
  | "home"
  | "empty"
  | "outside-root"
  | "percent-encoding"
  | "git-directory"
  | "device-name"
  | "invisible-character"
  | "look-alike"
  | "variable"
  | "reserved-character"
  | "directory"
  | "trailing-dot-or-blank"
  | "leading-blank"
  | "segment-length"
  | "outside-roots"
  | "denied";

/** What a host allows. Without it, or with `{}`, every rule holds, in the whole workspace. */
export interface PathPolicy {
  /** The directories of which a path must be in one. An empty list allows nothing. */
  roots?: readonly string[] | undefined;
  /**
   * Globs of what may not be touched: `*` and `?` within a segment, `**` for any segments. One without a slash matches a
   * file's name at any depth; one whose last segment has no wildcard also matches what is below it. Case and the form of
   * accents are ignored.
   */
  denies?: readonly string[] | undefined;
  /** Single rules that do not hold. */
  off?: readonly PathRule[] | undefined;
}

export type { SafeUrl } from "./core/ask.js";

/** A path that may be used, normalised, with one sentence for each thing that normalising changed; or why not. */
export type CheckedPath =
  | { ok: true; path: string; warnings: string[]; reason?: undefined; message?: undefined }
  | { ok: false; reason: PathRule; message: string; path?: undefined; warnings?: undefined };

/**
 * Takes a path that a model wrote only if it stays inside the workspace and means the same file on every system.
 * Links are not followed: where one leads is for whoever opens the file to check.
 *
 * ```ts
 * checkPath("src\\app.ts"); // { ok: true, path: "src/app.ts", warnings: ["Backslashes were read …"] }
 * checkPath("../secrets"); // { ok: false, reason: "outside-root", message: "…" }
 * ```
 * @throws GenuiPatchError `INVALID_ARGUMENT` if the path is no string or the policy is not understood.
 */
export function checkPath(path: string, policy?: PathPolicy | null): CheckedPath {
  requireString("checkPath", "path", path);
  return ask(blocksModule, (glue, bytes) => glue.check_path(bytes), { path, policy });
}

/**
 * Takes a URL that a model wrote only if a page may use it: `http`, `https` and relative ones; for links also `mailto`
 * and `tel`; for images also `data` with an image. Use the `url` that comes back, not the one that went in.
 *
 * ```ts
 * safeUrl("https://example.com/"); // { ok: true, url: "https://example.com/" }
 * safeUrl("java\nscript:alert(1)"); // { ok: false, reason: "scheme", message: "…" }
 * ```
 * @throws GenuiPatchError `INVALID_ARGUMENT` if the URL is no string or the kind is unknown.
 */
export function safeUrl(url: string, kind: "link" | "image" = "link"): SafeUrl {
  requireString("safeUrl", "url", url);
  return askUrl(blocksModule, url, kind);
}

function requireString(name: string, argument: string, value: unknown): void {
  if (typeof value === "string") return;
  throw new GenuiPatchError("INVALID_ARGUMENT", `${name}: the ${argument} must be a string, not ${typeof value}.`);
}
