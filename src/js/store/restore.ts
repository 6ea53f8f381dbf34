/** Stores made from documents: from a saved text, or to try calls apart from the page's store. */
import { readsDifferently, wellFormed } from "../core/surrogates.js";
import type { Json, Rules } from "../types.js";
import { BY_USER } from "./authors.js";
import { internal } from "./options.js";
import { restoreHistories, type SavedHistories } from "./saved-history.js";
import { StoreCore } from "./store-core.js";

/** The instances of a saved text, as far as they are read in JavaScript. */
interface Saved extends SavedHistories {
  active: string | null;
  instances: { name: string; revision: number; document?: Json; pending?: { id: string }[] }[];
}

/** Shows the instances that the module of a new store has read from the same text. */
export function restoreInstances(core: StoreCore, text: string): void {
  const saved = JSON.parse(text) as Saved;
  const isAsWritten = !readsDifferently(text);
  for (const { name: written, revision, document, pending } of saved.instances) {
    const name = wellFormed(written);
    if (pending !== undefined) {
      const state = core.ensureState(name);
      state.pendingCount = pending.length;
      for (const { id } of pending) core.callers.set(id, BY_USER);
      state.pending.isCurrent = false;
      core.allPending.isCurrent = false;
    }
    // With pending calls the document of the text is the confirmed one.
    if (pending === undefined && document !== undefined && isAsWritten) core.put(name, document, revision);
    else if (core.isInModule(name)) core.put(name, core.document(name), revision);
  }
  restoreHistories(core, saved);
  core.active = saved.active === null ? null : wellFormed(saved.active);
  for (const name of core.names()) core.first.addDocument(name, core.snapshot(name));
  core.first.setPending(core.pending());
}

/** A separate store with the same options, at most one document and no history. Calls of it do not change `core`. */
export function storeApart(core: StoreCore, name: string, document: Json | undefined, rules: Rules): StoreCore {
  const instances = document === undefined ? [] : [{ name, rules, revision: 1, document }];
  const saved = JSON.stringify({ "genui-patch": 1, active: null, instances });
  const limits = { ...core.options.limits, maxHistory: 0 };
  const apart = new StoreCore({ ...core.options, limits, [internal]: { saved } });
  restoreInstances(apart, saved);
  return apart;
}
