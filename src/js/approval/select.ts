/** Partial approval: finds the entries at or below paths, and applies the user's own values. */
import { type RefusedError, refusal } from "../core/errors.js";
import { getOrInsert, isObject } from "../core/kinds.js";
import { appliedTo } from "../core/mirror.js";
import { formatPath, readPath } from "../core/path.js";
import { keyOf } from "../core/resolve.js";
import type { Step } from "../core/tree.js";
import { valueAt } from "../core/tree.js";
import type { Change, Json, PathSegment, Rules } from "../types.js";
import { type Entry, LookUp, Places, type ResolvedStep } from "./entries.js";

/** A path as text, or as the steps of a change. */
export type PathLike = string | readonly Step[];

/** The entries at or below paths: paths of the diff, paths that `get` reads, or paths of values that do not exist yet. */
export function selectEntries(
  entries: readonly Entry[],
  paths: readonly PathLike[],
  base: Json,
  after: Json,
  rules: Rules,
): Entry[] {
  const chosen = new Set<Entry>();
  const changes = new Map<string, Entry[]>();
  for (const entry of entries) getOrInsert(changes, JSON.stringify(entry.change.path), () => []).push(entry);
  const places = new Places(entries);
  const lookUp = new LookUp(rules);
  for (const path of paths) {
    const segments = toSegments(path);
    let found = (Array.isArray(path) ? changes.get(JSON.stringify(path)) : undefined) ?? [];
    if (found.length === 0) {
      const inBase = places.below(lookUp.place(base, segments));
      const inAfter = places.below(lookUp.place(after, segments));
      const known = new Set(inBase);
      const others = inAfter?.filter((entry) => !known.has(entry)) ?? [];
      if (inBase !== undefined && inBase.length > 0 && others.length > 0) throw ambiguous(path);
      const isNewItem = ({ change, place }: Entry) => change.kind !== "set" && place.length === segments.length;
      // An existing place with changes: those. A place that only the proposal has: its changes. An existing place without changes:
      // only an item that the proposal inserts or moves to exactly there.
      found = inBase === undefined || inBase.length > 0 ? (inBase ?? others) : others.filter(isNewItem);
    }
    if (found.length === 0) {
      const text = show(path);
      const known = entries.slice(0, 20).map(({ change }) => show(change.path));
      const solution = known.length === 0 ? "It changes nothing." : `It changes ${known.join(", ")}.`;
      throw refusal("PATH_NOT_FOUND", `The proposal changes nothing at ${text}.`, solution, text);
    }
    for (const entry of found) chosen.add(entry);
  }
  return entries.filter((entry) => chosen.has(entry));
}

/** Sets the user's values in a document: in place of existing values, as new keys, or at the end of lists. */
export function putEdits(
  base: Json,
  document: Json,
  edits: readonly (readonly [PathLike, Json])[],
  rules: Rules,
): Json {
  let edited = document;
  const lookUp = new LookUp(rules);
  for (const [path, value] of edits) {
    const segments = toSegments(path);
    const found = lookUp.find(document, segments);
    const [last, ...deeper] = found?.rest ?? [];
    // The key or index to insert at; undefined if the place exists.
    const step = found && last && (Array.isArray(found.value) ? found.value.length : keyOf(last));
    // An edit before this one may have replaced the object or list that the place is in.
    const holder = found && valueAt(edited, found.steps);
    const hasRoom = typeof step === "number" ? Array.isArray(holder) && step <= holder.length : isObject(holder);
    if (found === undefined || deeper.length > 0 || (step === undefined ? holder === undefined : !hasRoom)) {
      const text = show(path);
      const message = `There is no place ${text} for the user's value.`;
      throw refusal(
        "PATH_NOT_FOUND",
        message,
        "Send a value for an existing place, or for a new key of an object.",
        text,
      );
    }
    const before = base === document ? undefined : lookUp.place(base, segments);
    if (before !== undefined && !isSamePlace(before, lookUp.place(document, segments, found))) throw ambiguous(path);
    const { steps } = found;
    const change: Change =
      step === undefined ? { kind: "set", path: steps, value } : { kind: "insert", path: [...steps, step], value };
    edited = appliedTo(edited, [change], false);
  }
  return edited;
}

function ambiguous(path: PathLike): RefusedError {
  const text = show(path);
  const message = `${text} is one item in the document and another item in the proposal.`;
  return refusal(
    "INVALID_PATH",
    message,
    "Address the item by its id, or give the path of a change of the diff.",
    text,
  );
}

function toSegments(path: PathLike): readonly PathSegment[] {
  if (typeof path === "string") return readPath("approve", path);
  return path.map((step) => (typeof step === "string" ? { key: step } : { index: step }));
}

function isSamePlace(a: readonly ResolvedStep[], b: readonly ResolvedStep[] | undefined): boolean {
  const isSame = (one: ResolvedStep, other: ResolvedStep | undefined) =>
    one.id !== undefined && other?.id !== undefined ? one.id === other.id : one.step === other?.step;
  return a.length === b?.length && a.every((at, depth) => isSame(at, b[depth]));
}

function show(path: PathLike): string {
  if (typeof path === "string") return path;
  try {
    return path.length === 0 ? "the document" : formatPath(path);
  } catch {
    return JSON.stringify(path);
  }
}
