/** Partial approval: finds the entries at or below paths, and applies the user's own values. */
import { type RefusedError, refusal } from "../core/errors.js";
import { getOrInsert, isObject } from "../core/kinds.js";
import { appliedTo } from "../core/mirror.js";
import { formatPath, readPath } from "../core/path.js";
import { keyOf } from "../core/resolve.js";
import type { Step } from "../core/tree.js";
import { valueAt } from "../core/tree.js";
import { type Entry, LookUp, Places, type ResolvedStep } from "../diff/entries.js";
import type { Change, Json, PathSegment, Rules } from "../types.js";

/** A path as text, or as the steps of a change. */
export type PathLike = string | readonly Step[];

/**
 * The entries at or below paths: paths of the diff, paths that `get` reads, or paths of values that do not exist yet. `base` is
 * the document that the proposal would change, `after` the result. A list of steps that is the path of a change means that
 * change; any other path is looked up in both documents. Throws a refusal for a path at which nothing changes.
 */
export function selectEntries(
  entries: readonly Entry[],
  paths: readonly PathLike[],
  base: Json,
  after: Json,
  rules: Rules,
): Entry[] {
  const selectedEntries = new Set<Entry>();
  const byPath = new Map<string, Entry[]>();
  for (const entry of entries) getOrInsert(byPath, JSON.stringify(entry.change.path), () => []).push(entry);
  const places = new Places(entries);
  const lookUp = new LookUp(rules);
  for (const path of paths) {
    const segments = toSegments(path);
    let matches = (Array.isArray(path) ? byPath.get(JSON.stringify(path)) : undefined) ?? [];
    if (matches.length === 0) {
      // The entries at the path in each document; undefined if the path does not exist there.
      const inBase = places.below(lookUp.place(base, segments));
      const inAfter = places.below(lookUp.place(after, segments));
      const baseEntries = new Set(inBase);
      const onlyInAfter = inAfter?.filter((entry) => !baseEntries.has(entry)) ?? [];
      // With an index, the path may lead to different items in the two documents.
      if (inBase !== undefined && inBase.length > 0 && onlyInAfter.length > 0) throw ambiguous(path);
      const isNewItem = ({ change, place }: Entry) => change.kind !== "set" && place.length === segments.length;
      if (inBase === undefined) matches = onlyInAfter;
      // If nothing changes in the value that is there now, the path means an item that the proposal inserts or moves to there.
      else matches = inBase.length > 0 ? inBase : onlyInAfter.filter(isNewItem);
    }
    if (matches.length === 0) {
      const text = pathText(path);
      const paths = entries.slice(0, 20).map(({ change }) => pathText(change.path));
      const solution = paths.length === 0 ? "It changes nothing." : `It changes ${paths.join(", ")}.`;
      throw refusal("PATH_NOT_FOUND", `The proposal changes nothing at ${text}.`, solution, text);
    }
    for (const entry of matches) selectedEntries.add(entry);
  }
  return entries.filter((entry) => selectedEntries.has(entry));
}

/**
 * Sets the user's values in `document`, a proposed result: in place of existing values, as new keys, or at the end of lists. The
 * paths are looked up as they are before the edits. `base` is the document that the proposal would change: a path that leads to
 * another item there is refused as ambiguous. Throws a refusal for a path at which no value can be set.
 */
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
    const resolved = lookUp.find(document, segments);
    // At most one segment of the path, the last, may not exist yet.
    const [newSegment, ...deeper] = resolved?.rest ?? [];
    // The key or index to insert at; undefined if the path exists.
    const step = resolved && newSegment && (Array.isArray(resolved.value) ? resolved.value.length : keyOf(newSegment));
    // The value at the existing part of the path. An edit before this one may have replaced it.
    const existing = resolved && valueAt(edited, resolved.steps);
    const canInsert =
      typeof step === "number" ? Array.isArray(existing) && step <= existing.length : isObject(existing);
    const canSet = step === undefined ? existing !== undefined : canInsert;
    if (resolved === undefined || deeper.length > 0 || !canSet) {
      const text = pathText(path);
      const message = `There is no place ${text} for the user's value.`;
      throw refusal(
        "PATH_NOT_FOUND",
        message,
        "Send a value for an existing place, or for a new key of an object.",
        text,
      );
    }
    const placeInBase = base === document ? undefined : lookUp.place(base, segments);
    if (placeInBase !== undefined && !isSamePlace(placeInBase, lookUp.place(document, segments, resolved)))
      throw ambiguous(path);
    const { steps } = resolved;
    const change: Change =
      step === undefined ? { kind: "set", path: steps, value } : { kind: "insert", path: [...steps, step], value };
    edited = appliedTo(edited, [change]);
  }
  return edited;
}

function ambiguous(path: PathLike): RefusedError {
  const text = pathText(path);
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

/** Whether two places lead to the same value: items that both have ids are compared by id, other steps by key or index. */
function isSamePlace(a: readonly ResolvedStep[], b: readonly ResolvedStep[] | undefined): boolean {
  const isSameStep = (one: ResolvedStep, other: ResolvedStep | undefined) =>
    one.id !== undefined && other?.id !== undefined ? one.id === other.id : one.step === other?.step;
  return a.length === b?.length && a.every((step, depth) => isSameStep(step, b[depth]));
}

/** A path as messages show it. Steps that no path text can have, such as "", are written as JSON. */
function pathText(path: PathLike): string {
  if (typeof path === "string") return path;
  try {
    return path.length === 0 ? "the document" : formatPath(path);
  } catch {
    return JSON.stringify(path);
  }
}
