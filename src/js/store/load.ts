/** `PatchStore.load`: a whole document from the server takes the place of an instance's document. */
import { toText } from "../core/json.js";
import { isTexts } from "../core/kinds.js";
import { type ArgumentKind, RULES, requireOptions, requireText } from "../core/require.js";
import { storeModule } from "../core/store-module.js";
import { readsDifferently, wellFormed } from "../core/surrogates.js";
import type { ChangeOptions, Json, PatchResult, Rules } from "../types.js";
import { CHANGE, sourceOf } from "./authors.js";
import { readReply } from "./reply.js";
import { isSavedHistory, restoreHistory, type SavedHistory } from "./saved-history.js";
import type { StoreCore } from "./store-core.js";

const HISTORY: ArgumentKind = ["a history from saveHistory", isSavedHistory];
const PENDING_IDS: ArgumentKind = ["a list of ids of pending calls", isTexts];

/** The options of `PatchStore.load`. */
export interface LoadOptions extends Pick<ChangeOptions, "author"> {
  /** Without rules the instance keeps its own. */
  rules?: Rules | undefined;
  /** Ids of pending calls that the document contains. */
  settles?: readonly string[] | undefined;
  /**
   * The history of a new instance, from `saveHistory` of the store that has the document. An instance that exists keeps its own.
   */
  history?: SavedHistory | undefined;
}

/**
 * Loads `document`, a value or its JSON text. The module loads it first. If no calls are pending, the module's reply does not
 * repeat the document, so it is read from the text here; with pending calls, the reply has the changes to what is shown.
 */
export function load(core: StoreCore, givenName: string, document: unknown, options: LoadOptions): PatchResult {
  requireText("load", "name", givenName);
  requireOptions("load", options, { rules: RULES, settles: PENDING_IDS, author: CHANGE.author, history: HISTORY });
  const { rules, settles = [], history } = options;
  const by = sourceOf(options);
  const name = wellFormed(givenName);
  const text = typeof document === "string" ? document : toText(document, "document");
  const refused = core.refuseLong(text, core.limits.maxDocumentBytes);
  if (refused !== undefined) return { ...refused, instance_name: name };
  // The export `load` reads this object in place of a name.
  const head = JSON.stringify({ name, rules, settles });
  const reply = core.callWithChecks((raw) => readReply(raw.load(storeModule.sendNamed(head, text))));
  const { result, rest } = reply;
  if (result.status === "error") return result;
  const shownBefore = core.instances.get(name);
  // A load may set other rules.
  if (shownBefore !== undefined) shownBefore.rules = undefined;
  // Calls are pending, or were pending before: the reply has the changes.
  if (rest !== undefined) {
    core.follow(reply, "load", { by });
    return result;
  }
  const isNew = shownBefore === undefined;
  // The document is equal to the one before.
  if (shownBefore?.revision === result.revision) return result;
  const value = readsDifferently(text) ? core.document(name) : (JSON.parse(text) as Json);
  // The history of an existing instance continues. A new instance starts without one, or with the history that was passed.
  if (isNew) core.histories.delete(name);
  core.histories.get(name)?.load(by.author, core.snapshot(name), value, text.length);
  if (isNew && history !== undefined) restoreHistory(core, name, structuredClone(history));
  core.show(name, value, result.revision);
  if (isNew) core.firstContents.addDocument(name, value);
  result.changes = [{ kind: "set", path: [], value }];
  core.emit(isNew ? "create" : "change", name, { ...result, by }, "load");
  return result;
}
