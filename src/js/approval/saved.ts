/** Proposals in saved texts. */
import { misuse } from "../core/errors.js";
import { separateStore } from "../store/restore.js";
import type { StoreCore } from "../store/store-core.js";
import type { Author, Change, Json, Rules } from "../types.js";

/** A proposal in a saved text. All other properties are computed on restore. */
export interface Saved {
  id: string;
  call: string;
  target: string;
  callId?: string;
  /** Absent in texts of versions that had no authors. */
  author?: Author;
  group?: string;
  /** Turns the saved document into the one on which the call was proposed, where they differ. */
  base?: Change[];
}

/** Applies `script` to the current document, in a separate store, and previews the call there. The module checks both. */
export function previewApart(
  core: StoreCore,
  target: string,
  call: string,
  current: Json | undefined,
  script: Change[],
) {
  const now = core.rules(target, "confirmed");
  try {
    return previewUnder(core, now, target, call, current, script);
  } catch {
    // The instance may have been put under other rules since.
    return previewUnder(core, now === "open" ? "ui" : "open", target, call, current, script);
  }
}

function previewUnder(
  core: StoreCore,
  rules: Rules,
  target: string,
  call: string,
  current: Json | undefined,
  script: Change[],
) {
  const whole = script.length === 1 && script[0]?.path.length === 0 ? script[0] : undefined;
  const start = whole === undefined ? current : whole.kind === "set" ? whole.value : undefined;
  const apart = separateStore(core, target, start, rules);
  try {
    if (whole === undefined && apart.edit(target, script, "apply").status === "error")
      throw misuse("restore: there is no such document.");
    return { base: apart.snapshot(target), preview: apart.preview(call) };
  } finally {
    apart.dispose();
  }
}
