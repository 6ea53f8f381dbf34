/** Proposals in saved texts, and how a restored proposal is computed again. */
import { misuse } from "../core/errors.js";
import { separateStore } from "../store/restore.js";
import type { StoreCore } from "../store/store-core.js";
import type { Author, Change, Json, Rules } from "../types.js";

/** A proposal in a saved text. All other properties are computed on restore. */
export interface Saved {
  id: string;
  /** The call as JSON text. */
  call: string;
  /** The name of the instance. */
  target: string;
  /** The id by which the page knows the call. */
  callId?: string;
  /** Absent in texts of versions that had no authors: then it is an agent. */
  author?: Author;
  group?: string;
  /** Turns the saved document into the one on which the call was proposed, where they differ. */
  base?: Change[];
}

/**
 * In a separate store, applies `script` to the current document, and previews the call on the result: `base`, the document on
 * which the call was proposed. The module checks both. Throws for a script that does not fit the document.
 */
export function previewOnBase(
  core: StoreCore,
  target: string,
  call: string,
  current: Json | undefined,
  script: Change[],
) {
  const currentRules = core.rules(target, "confirmed");
  try {
    return previewUnder(core, currentRules, target, call, current, script);
  } catch {
    // When the call was proposed, the instance may have been under the other rules.
    return previewUnder(core, currentRules === "open" ? "ui" : "open", target, call, current, script);
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
  // A script of one change of the whole document has the base itself, or says that there was none.
  const wholeChange = script.length === 1 && script[0]?.path.length === 0 ? script[0] : undefined;
  const wholeBase = wholeChange?.kind === "set" ? wholeChange.value : undefined;
  const store = separateStore(core, target, wholeChange === undefined ? current : wholeBase, rules);
  try {
    if (wholeChange === undefined && store.edit(target, script, "apply").status === "error")
      throw misuse("restore: there is no such document.");
    return { base: store.snapshot(target), preview: store.preview(call) };
  } finally {
    store.dispose();
  }
}
