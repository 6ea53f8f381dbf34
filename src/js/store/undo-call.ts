/** Edits as a patch call that a server can apply too: items are named by their ids where they have one. */
import { LookUp } from "../approval/entries.js";
import { applied } from "../core/mirror.js";
import { formatPath } from "../core/path.js";
import { type Step, valueAt } from "../core/tree.js";
import type { Change, Json, PatchCall, PatchOperation, PathSegment, Rules } from "../types.js";
import type { StoreCore } from "./store-core.js";

export function toCall(core: StoreCore, name: string, changes: readonly Change[]): PatchCall {
  const rules = core.rules(name);
  let document = core.snapshot(name);
  const patches = changes.map((change) => {
    const patch = toPatch(document ?? null, change, rules);
    document = applied(document, [change], false);
    return patch;
  });
  return { instance_name: name, patches };
}

function toPatch(document: Json, change: Change, rules: Rules): PatchOperation {
  const { kind, path } = change;
  if (kind === "move") {
    const to = path.at(-1);
    const from = named(document, change.from, rules);
    // Only a list can be reordered; JSON Patch alone moves a key, and its inverse is not made of a call.
    return typeof to === "number" ? { op: "move", path: from, to } : { op: "move", path: from };
  }
  if (kind === "remove") return { op: "remove", path: named(document, path, rules) };
  const list = kind === "insert" ? valueAt(document, path.slice(0, -1)) : undefined;
  // At the end it is the end for whoever applies the call.
  if (Array.isArray(list) && path.at(-1) === list.length)
    return { op: "add", path: named(document, path.slice(0, -1), rules), items: [change.value] };
  return { op: Array.isArray(list) ? "add" : "set", path: named(document, path, rules, list), value: change.value };
}

/** A path with the ids of items. The last step of an insertion is the index or the key of what is not there yet. */
function named(document: Json, path: readonly Step[], rules: Rules, list?: Json): string {
  const segments = namedPath(document, path, rules);
  const last = path.at(-1);
  return formatPath(
    Array.isArray(list) && typeof last === "number" ? [...segments.slice(0, -1), { index: last }] : segments,
  );
}

/** A path with the ids of the items on it, where all items of their list have different ones. */
export function namedPath(document: Json, path: readonly Step[], rules: Rules): PathSegment[] {
  const own = path.map((step): PathSegment => (typeof step === "string" ? { key: step } : { index: step }));
  const lookUp = new LookUp(rules);
  const place = lookUp.place(document, own, lookUp.find(document, own));
  return own.map((segment, depth) => {
    const id = place?.[depth]?.id;
    return id === undefined ? segment : { id };
  });
}
