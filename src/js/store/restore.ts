/** Fills a store from a saved text, and makes separate stores in which calls are tried. */
import { readsDifferently, wellFormed } from "../core/surrogates.js";
import type { Json, Rules } from "../types.js";
import { internal } from "./options.js";
import { restoreHistories, type SavedHistories } from "./saved-history.js";
import { StoreCore } from "./store-core.js";

/** The members of a saved text that are read here. The module writes and reads the instances; `document` is the confirmed one. */
interface Saved extends SavedHistories {
  active: string | null;
  instances: { name: string; revision: number; document?: Json; pending?: { id: string }[] }[];
}

/** Fills the JavaScript side of a new store whose module has read the same text: instances, histories, the active instance. */
export function restoreInstances(core: StoreCore, text: string): void {
  const saved = JSON.parse(text) as Saved;
  // The module and JSON.parse read e.g. -0 and unpaired surrogates differently. The module's document counts.
  const isReadAlike = !readsDifferently(text);
  for (const { name: savedName, revision, document, pending } of saved.instances) {
    const name = wellFormed(savedName);
    // `restoreHistories` sets the callers that the text names.
    if (pending !== undefined) {
      const ids = pending.map(({ id }) => id);
      core.pendingCalls.restore(name, ids);
    }
    // With pending calls the document that is shown is not in the text, so the module is asked. They may have deleted it.
    if (pending === undefined && document !== undefined && isReadAlike) core.show(name, document, revision);
    else if (core.isInModule(name)) core.show(name, core.document(name), revision);
  }
  restoreHistories(core, saved);
  core.active = saved.active === null ? null : wellFormed(saved.active);
  for (const name of core.names()) core.firstContents.addDocument(name, core.snapshot(name));
  core.firstContents.setPending(core.pendingCalls.list());
}

/** A separate store with the same options, at most one document and no history. Calls applied to it do not change `core`. */
export function separateStore(core: StoreCore, name: string, document: Json | undefined, rules: Rules): StoreCore {
  const instances = document === undefined ? [] : [{ name, rules, revision: 1, document }];
  // `1` is the version of the format of saved texts.
  const saved = JSON.stringify({ "genui-patch": 1, active: null, instances });
  const limits = { ...core.options.limits, maxHistory: 0 };
  const separate = new StoreCore({ ...core.options, limits, [internal]: { saved } });
  restoreInstances(separate, saved);
  return separate;
}
