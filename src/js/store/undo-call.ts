/** Edits as a patch call that a server can apply too: items are named by their ids where they have one. */
import { LookUp } from "../approval/entries.js";
import { applied } from "../core/mirror.js";
import { formatPath } from "../core/path.js";
import { type Step, valueAt } from "../core/tree.js";
import { equal } from "../diff/equal.js";
import type { Change, Json, PatchCall, PatchOperation, PathSegment, Rules } from "../types.js";
import type { StoreCore } from "./store-core.js";

/** The call that makes these changes on the current document of an instance. */
export function toCall(core: StoreCore, name: string, changes: readonly Change[]): PatchCall {
  const rules = core.rules(name);
  let document = core.snapshot(name);
  const patches: PatchOperation[] = [];
  const add = (change: Change) => {
    patches.push(...toPatches(document ?? null, change, rules));
    document = applied(document, [change], false);
  };
  for (const change of changes) {
    if (change.kind !== "move" || isReordering(change)) add(change);
    else {
      // The operation `move` stays in its list; JSON Patch can move a value anywhere.
      const value = (document && valueAt(document, change.from)) ?? null;
      add({ kind: "remove", path: change.from });
      add({ kind: "insert", path: change.path, value });
    }
  }
  return { instance_name: name, patches };
}

const isReordering = ({ from, path }: { from: readonly Step[]; path: readonly Step[] }) =>
  typeof path.at(-1) === "number" && equal(from.slice(0, -1), path.slice(0, -1));

function toPatches(document: Json, change: Change, rules: Rules): PatchOperation[] {
  const { kind, path } = change;
  const last = path.at(-1);
  const named = (steps: readonly Step[]) => formatPath(namedPath(document, steps, rules));
  if (kind === "move") return [{ op: "move", path: named(change.from), to: Number(last) }];
  if (kind === "remove") return [{ op: "remove", path: named(path) }];
  const { value } = change;
  const above = path.slice(0, -1);
  const list = kind === "insert" ? valueAt(document, above) : undefined;
  if (!Array.isArray(list) || typeof last !== "number") return [{ op: "set", path: named(path), value }];
  // Without an index the value comes to the end also of a list that has other items by then. If the item at the index is itself
  // a list, `add` at its path would append to that list: the value is added at the end, and then moved.
  const isAtEnd = last === list.length;
  const at = (index: number) => formatPath([...namedPath(document, above, rules), { index }]);
  if (!isAtEnd && !Array.isArray(list[last])) return [{ op: "add", path: at(last), value }];
  const end: PatchOperation = { op: "add", path: named(above), items: [value] };
  return isAtEnd ? [end] : [end, { op: "move", path: at(list.length), to: last }];
}

/** A path with ids in place of indexes, for items of lists in which every item has an id of its own. */
export function namedPath(document: Json, path: readonly Step[], rules: Rules): PathSegment[] {
  const own = path.map((step): PathSegment => (typeof step === "string" ? { key: step } : { index: step }));
  const lookUp = new LookUp(rules);
  const place = lookUp.place(document, own, lookUp.find(document, own));
  return own.map((segment, depth) => {
    const id = place?.[depth]?.id;
    return id === undefined ? segment : { id };
  });
}
