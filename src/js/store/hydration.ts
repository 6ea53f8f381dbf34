/** The state of a store that React hydrates with. */
import type { FirstState } from "../core/first.js";
import { readPath } from "../core/path.js";
import { resolve } from "../core/resolve.js";
import { wellFormed } from "../core/surrogates.js";
import type { StoreCore } from "./store-core.js";

/** The contents that a page has first loaded; for instances without such contents, and outside of pages, the current ones. */
export function firstState(core: StoreCore): FirstState {
  return {
    snapshot: (name, path) => {
      const document = core.firstContents.document(wellFormed(name));
      if (document === undefined) return path === undefined ? core.snapshot(name) : core.get(name, path);
      if (path === undefined) return document;
      return resolve(document, readPath("get", path), core.rules(wellFormed(name)), new Map())?.value;
    },
    pending: (name) => core.firstContents.pending(name) ?? core.pendingCalls.list(name),
  };
}
