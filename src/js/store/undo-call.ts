/** Writes changes as a patch call that a server can apply too: the call names items by their ids where they have one. */

import { applied } from "../core/mirror.js";
import { formatPath } from "../core/path.js";
import { type Step, valueAt } from "../core/tree.js";
import { LookUp } from "../diff/entries.js";
import { equal } from "../diff/equal.js";
import type { Change, Json, PatchCall, PatchOperation, PathSegment, Rules } from "../types.js";
import type { StoreCore } from "./store-core.js";

/** The call that makes these changes on the current document of an instance. They do not create or delete the document. */
export function toCall(core: StoreCore, name: string, changes: readonly Change[]): PatchCall {
  const rules = core.rules(name);
  // The document after the changes so far: each patch applies to the result of those before it.
  let document = core.snapshot(name);
  const patches: PatchOperation[] = [];
  const addPatches = (change: Change) => {
    patches.push(...toPatches(document ?? null, change, rules));
    document = applied(document, [change]);
  };
  for (const change of changes) {
    if (change.kind !== "move" || isReordering(change)) addPatches(change);
    else {
      // The operation `move` stays in its list; JSON Patch can move a value anywhere.
      const value = (document && valueAt(document, change.from)) ?? null;
      addPatches({ kind: "remove", path: change.from });
      addPatches({ kind: "insert", path: change.path, value });
    }
  }
  return { instance_name: name, patches };
}

/** Whether a move stays in its list. */
const isReordering = ({ from, path }: { from: readonly Step[]; path: readonly Step[] }) =>
  typeof path.at(-1) === "number" && equal(from.slice(0, -1), path.slice(0, -1));

/** The patches that make one change of a document. A move must stay in its list. */
function toPatches(document: Json, change: Change, rules: Rules): PatchOperation[] {
  const { kind, path } = change;
  const last = path.at(-1);
  const textOf = (steps: readonly Step[]) => formatPath(namedPath(document, steps, rules));
  if (kind === "move") return [{ op: "move", path: textOf(change.from), to: Number(last) }];
  if (kind === "remove") return [{ op: "remove", path: textOf(path) }];
  const { value } = change;
  const listPath = path.slice(0, -1);
  const list = kind === "insert" ? valueAt(document, listPath) : undefined;
  if (!Array.isArray(list) || typeof last !== "number") return [{ op: "set", path: textOf(path), value }];
  const isAtEnd = last === list.length;
  const itemPath = (index: number) => formatPath([...namedPath(document, listPath, rules), { index }]);
  // `add` inserts before an item that is no list.
  if (!isAtEnd && !Array.isArray(list[last])) return [{ op: "add", path: itemPath(last), value }];
  // Without an index, the value comes to the end of the list even if the server's list has other items by then.
  const append: PatchOperation = { op: "add", path: textOf(listPath), items: [value] };
  // If the item at the index is itself a list, `add` at its path would append to that list: so the value is appended to the outer
  // list, and then moved.
  return isAtEnd ? [append] : [append, { op: "move", path: itemPath(list.length), to: last }];
}

/** A path with ids in place of indexes, for items of lists in which every item has an id of its own. */
export function namedPath(document: Json, path: readonly Step[], rules: Rules): PathSegment[] {
  const segments = path.map((step): PathSegment => (typeof step === "string" ? { key: step } : { index: step }));
  const lookUp = new LookUp(rules);
  const place = lookUp.place(document, segments, lookUp.find(document, segments));
  return segments.map((segment, depth) => {
    const id = place?.[depth]?.id;
    return id === undefined ? segment : { id };
  });
}
