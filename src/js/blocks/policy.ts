/** The path policy: which paths the tools for files may name. */
import { blocksModule } from "../core/blocks-module.js";
import { GenuiPatchError } from "../core/errors.js";
import { optionText } from "../core/option-text.js";
import { requireText } from "../core/require.js";
import type { PathRule } from "../generated/facts.js";

export type { PathRule };

/** The rules of an app for paths. By default, as with `{}`, every rule applies and a path may be anywhere in the workspace. */
export interface PathPolicy {
  /** A path must be in one of these directories. An empty list allows nothing. */
  roots?: readonly string[] | undefined;
  /**
   * Globs of paths that are refused: `*` and `?` within a segment, `**` for any segments. A glob without a slash matches a file's
   * name at any depth. A glob whose last segment has no wildcard also matches the paths below it. Case and the form of accents are
   * ignored.
   */
  denies?: readonly string[] | undefined;
  /** Rules to turn off. */
  off?: readonly PathRule[] | undefined;
}

/** A path that may be used, normalised, with a warning for each change by the normalisation; or the reason for a refusal. */
export type CheckedPath =
  | { ok: true; path: string; warnings: string[]; reason?: undefined; message?: undefined }
  | { ok: false; reason: PathRule; message: string; path?: undefined; warnings?: undefined };

/**
 * Accepts a path that a model wrote only if it stays inside the workspace and means the same file on every system.
 * Links are not followed: code that opens the file must check where a link leads.
 *
 * ```ts
 * checkPath("src\\app.ts"); // { ok: true, path: "src/app.ts", warnings: ["Backslashes were read …"] }
 * checkPath("../secrets"); // { ok: false, reason: "outside-root", message: "…" }
 * ```
 */
export function checkPath(path: string, policy?: PathPolicy | null): CheckedPath {
  requireText("checkPath", "path", path);
  // JSON.stringify writes lone surrogates as escapes, which the module reads as U+FFFD.
  const question = optionText("The policy", { path, policy });
  type Answer = CheckedPath | { misuse: string };
  const answer = blocksModule.ask<Answer>((glue) => glue.check_path(blocksModule.send(question)));
  if ("misuse" in answer) throw new GenuiPatchError("INVALID_ARGUMENT", answer.misuse);
  return answer;
}
