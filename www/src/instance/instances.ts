/** The store of this page, and what components watch of it. */
import { type Json, type PatchCall, type PatchResult, PatchStore } from "genui-patch";
import { useCallback, useSyncExternalStore } from "react";
import { blank, documents } from "../data/documents";
import type { Example } from "../data/examples";
import { cell, useCell } from "../lib/cell";
import type { View } from "../lib/view";
import { log } from "../log/log";
import { store } from "./store";

/** A list of its own, which stays the same until an instance comes or goes. */
const names = cell<readonly string[]>([]);
const active = cell("");
/** How often anything has changed. */
const revision = cell(0);

store.subscribe((event) => {
  const { type, instance_name, changes, origin } = event;
  const count = type === "change" ? ` · ${changes.length} ${changes.length === 1 ? "change" : "changes"}` : "";
  log("instance", type, `${instance_name} · ${origin}${count}`, { detail: event });
  revision.set(revision.get() + 1);
  if (type === "create" || type === "delete") names.set(store.names());
  active.set(store.active ?? store.names()[0] ?? "");
});
reset();

export const useNames = () => useCell(names);
export const useActive = () => useCell(active);
export const useRevision = () => useCell(revision);

export function useSnapshot(name: string): View | undefined {
  const subscribe = useCallback((listener: () => void) => store.subscribe(listener, { instance: name }), [name]);
  return useSyncExternalStore(subscribe, () => store.snapshot(name));
}

/** What came of the last thing done: by a call, by a person in a field, or by an action that only the host can run. */
export type Outcome = { by: "call" | "person"; result: PatchResult } | { by: "host"; message: string };

export const outcome = cell<Outcome | undefined>(undefined);

/** Applies a call as an agent sends it, and looks at its instance. */
export function applyCall(call: PatchCall | string): PatchResult {
  const result = store.apply(call);
  if (result.status === "success" && store.names().includes(result.instance_name)) store.active = result.instance_name;
  outcome.set({ result, by: "call" });
  return result;
}

/** Writes what a person entered. */
export function write(name: string, path: string, value: Json): PatchResult {
  const result = writeTyped(name, path, value);
  outcome.set({ result, by: "person" });
  return result;
}

function writeTyped(name: string, path: string, value: Json): PatchResult {
  switch (typeof value) {
    case "string":
      return store.setString(name, path, value);
    case "number":
      return store.setNumber(name, path, value);
    case "boolean":
      return store.setBoolean(name, path, value);
    default:
      return store.apply({ instance_name: name, patches: [{ op: "set", path, value }] });
  }
}

/** What a call would come to. Tried on a copy, which is thrown away. */
export function tryCall(call: string): PatchResult {
  const copy = PatchStore.restore(store.save());
  const result = copy.apply(call);
  copy.dispose();
  return result;
}

/** All instances as they were at the start. */
export function reset(): void {
  for (const name of store.names()) if (!Object.hasOwn(documents, name)) remove(name);
  for (const [name, document] of Object.entries(documents)) store.load(name, document);
  store.active ??= "demo";
}

/** All as at the start, but for the instance that the example makes or deletes. */
export function setUpFor({ creates, deletes }: Example): void {
  reset();
  if (creates !== undefined && store.names().includes(creates)) remove(creates);
  if (deletes !== undefined && !store.names().includes(deletes)) store.load(deletes, blank(deletes));
}

function remove(name: string): void {
  store.apply({ instance_name: "__DELETE__", target_instance_name: name });
}
