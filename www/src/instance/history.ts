/** The snapshots that the instances had, to look back at. What did not change between them is the same object: they cost little. */
import { cell } from "../lib/cell";
import type { View } from "../lib/view";
import { store } from "./store";

export interface Past {
  /** Counts the snapshots of this instance, from 1. */
  step: number;
  time: number;
  origin: string;
  snapshot: View;
}

/** Kept of each instance; the oldest go. */
const most = 200;

export const history = cell<ReadonlyMap<string, readonly Past[]>>(new Map());

store.subscribe(({ instance_name, origin }) => {
  const snapshot = store.snapshot(instance_name);
  const before = history.get().get(instance_name) ?? [];
  const last = before.at(-1);
  // A draft is kept once it has become a call.
  if (snapshot === undefined || snapshot === last?.snapshot || store.drafts().includes(instance_name)) return;
  const step = (last?.step ?? 0) + 1;
  const next = [...before.slice(1 - most), { step, time: Date.now(), origin, snapshot }];
  history.set(new Map(history.get()).set(instance_name, next));
});
