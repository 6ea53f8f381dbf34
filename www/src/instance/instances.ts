/** The page's store as components see it, and the calls of users and agents. */
import { type Change, type PatchCall, type PatchResult, PatchStore } from "genui-patch";
import { useInstance } from "genui-patch/react";
import { blank } from "../data/documents";
import type { Example } from "../data/examples";
import { large } from "../data/large";
import { cell, useCell } from "../lib/cell";
import { typesIn } from "../lib/field";
import { show } from "../lib/room";
import { listOf, objectOf, type View } from "../lib/view";
import { log } from "../log/log";
import * as link from "../server/link";
import { isLive, madeByAgent } from "../server/live";
import type { Words } from "../words/words";
// Before the first documents come.
import "./history";
import { store } from "./store";

/** A list of its own, which stays the same until an instance comes or goes. */
const names = cell<readonly string[]>([]);
const active = cell("");
/** How often anything has changed. */
const revision = cell(0);

/** The last change by somebody else, or the last one that was undone, to be lit up. */
export interface Touched {
  instance: string;
  /** The places. */
  changes: readonly Pick<Change, "path">[];
  tone: "new" | "back";
  /** Whether the page scrolls to them: after an undo, and where an agent highlights a block. */
  shows?: true;
  /** Whether an agent has made the changes. */
  byAgent?: boolean;
}
export const touched = cell<Touched | undefined>(undefined);

store.subscribe((event) => {
  const { type, instance_name, changes, origin, author, highlight } = event;
  revision.set(revision.get() + 1);
  const pages = store.names();
  if (type === "create" || type === "delete") names.set(pages);
  active.set(store.active ?? pages[0] ?? "");
  const count = type === "change" ? ` · Δ ${changes.length}` : "";
  log("instance", type, `${instance_name} · ${origin}${count}`, { detail: event });
  if (highlight !== undefined) point(instance_name, highlight);
  const byAgent = author.kind === "agent";
  if (changes.length > 0 && (origin !== "optimistic" || byAgent) && origin !== "load") {
    touched.set({ instance: instance_name, changes, tone: origin === "reject" ? "back" : "new", byAgent });
  }
});
madeByAgent.subscribe(() => {
  const made = madeByAgent.get();
  if (made !== undefined) follow(made);
});
link.start();
if (!isLive) store.active ??= "demo";

/** Lights up blocks that an agent points at, where they can be seen. */
function point(instance: string, ids: readonly string[]): void {
  const blocks = listOf(objectOf(store.snapshot(instance)).blocks);
  const places = ids.map((id) => blocks.findIndex((block) => objectOf(block).id === id)).filter((at) => at >= 0);
  if (store.active !== instance) store.active = instance;
  touched.set({ instance, changes: places.map((at) => ({ path: ["blocks", at] })), tone: "new", shows: true });
}

/** Shows what an agent has made, unless the person is about to enter something. */
function follow(name: string): void {
  if (typesIn() !== undefined || document.activeElement?.closest("input, textarea, select")) return;
  setTimeout(() => {
    if (!store.names().includes(name)) return;
    store.active = name;
    show("instance");
  });
}

export const useNames = () => useCell(names);
export const useActive = () => useCell(active);
export const useRevision = () => useCell(revision);
export const useSnapshot = (name: string): View | undefined => useInstance(store, name);

/** The result of the last call, of the user's last edit, or of an action that only the host can run. */
export type Outcome = { by: "call" | "user"; result: PatchResult } | { by: "host"; message: Words };

export const outcome = cell<Outcome | undefined>(undefined);

/** Applies a call as an agent sends it, in one of its turns or alone, or as the person's own, and looks at its instance. */
export function applyCall(call: PatchCall | string, by: "call" | "user" = "call", turn?: string): PatchResult {
  const result =
    by === "call" ? link.applyCall(call, { author: { kind: "agent" }, group: turn }) : store.applyOptimistic(call);
  log(
    "instance",
    by === "call" ? "call" : "own-call",
    result.status === "error" ? result.error.code : result.instance_name,
    { tone: result.status === "error" ? "bad" : "good", detail: { call, result } },
  );
  if (result.status === "success" && store.names().includes(result.instance_name)) store.active = result.instance_name;
  outcome.set({ result, by });
  return result;
}

/** Types a text for the user: it shows at once and waits for the server. */
export function write(name: string, path: string, text: string): void {
  outcome.set({ result: store.setString(name, path, text, { optimistic: true }), by: "user" });
}

/**
 * The result that a call would have. Tried on a copy, which is thrown away: of the documents that it names, and of the names alone of
 * all others, however large they are.
 */
export function tryCall(call: string): PatchResult {
  const copy = new PatchStore();
  try {
    for (const name of store.names()) {
      const isNamed = call.includes(name) || call.includes("\\u");
      copy.load(name, (isNamed ? store.snapshot(name) : undefined) ?? blank(name));
    }
    return copy.apply(call);
  } finally {
    copy.dispose();
  }
}

/** The error of a text that is not JSON, as a refused call has it; undefined if it is JSON. */
export function jsonFault(text: string): { at: number; message: string } | undefined {
  const empty = new PatchStore();
  try {
    const result = empty.apply(text);
    if (result.status !== "error" || result.error.code !== "INVALID_JSON") return undefined;
    const { message, position } = result.error;
    return { at: position?.offset ?? 0, message };
  } finally {
    empty.dispose();
  }
}

/** A very large page, to look at. */
export function loadLarge(blocks: number): void {
  link.load("large", large(blocks));
  store.active = "large";
}

export function reset(): void {
  link.reset();
  store.active ??= "demo";
}

/** All as at the start, but for the instance that the example makes or deletes. */
export function setUpFor({ creates, deletes }: Example): void {
  reset();
  if (creates !== undefined && store.names().includes(creates)) link.removeInstance(creates);
  if (deletes !== undefined && !store.names().includes(deletes)) link.load(deletes, blank(deletes));
}
