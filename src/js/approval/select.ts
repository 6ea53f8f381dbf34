/** The part of a proposal that a person agreed to, and the person's own values. */
import { type RefusedError, refusal } from "../core/errors.js";
import { getOrInsert, isObject } from "../core/kinds.js";
import { applied } from "../core/mirror.js";
import { formatPath, readPath } from "../core/path.js";
import { keyOf } from "../core/resolve.js";
import type { Step } from "../core/tree.js";
import { valueAt } from "../core/tree.js";
import type { Change, Json, PathSegment, Rules } from "../types.js";
import { type At, type Entry, LookUp, Places } from "./entries.js";

/** A path as it is written, or as it stands in a change. */
export type PathLike = string | readonly Step[];

/** The entries at or below paths: of a change in the diff, or of what `get` reads, or of what is not there yet. */
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
      const here = places.below(lookUp.place(base, segments));
      const there = places.below(lookUp.place(after, segments));
      const known = new Set(here);
      const others = there?.filter((entry) => !known.has(entry)) ?? [];
      if (here !== undefined && here.length > 0 && others.length > 0) throw ambiguous(path);
      const comes = ({ change, place }: Entry) => change.kind !== "set" && place.length === segments.length;
      found = here === undefined || here.length > 0 ? (here ?? others) : others.filter(comes);
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

/** Puts own values where something stands in a document that was `base`, as new keys, or at the end of lists. */
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
    const step = found && last && (Array.isArray(found.value) ? found.value.length : keyOf(last));
    // Another edit may have put something else where the place was.
    const holder = found && valueAt(edited, found.steps);
    const hasRoom = typeof step === "number" ? Array.isArray(holder) && step <= holder.length : isObject(holder);
    if (found === undefined || deeper.length > 0 || (step === undefined ? holder === undefined : !hasRoom)) {
      const text = show(path);
      const message = `There is no place ${text} for the person's value.`;
      throw refusal("PATH_NOT_FOUND", message, "Give a value for a place that is there, or a key of an object.", text);
    }
    const before = base === document ? undefined : lookUp.place(base, segments);
    if (before !== undefined && !isSamePlace(before, lookUp.place(document, segments, found))) throw ambiguous(path);
    const { steps } = found;
    const change: Change =
      step === undefined ? { kind: "set", path: steps, value } : { kind: "insert", path: [...steps, step], value };
    edited = applied(edited, [change], false) as Json;
  }
  return edited;
}

function ambiguous(path: PathLike): RefusedError {
  const text = show(path);
  const message = `${text} is one item now, and another one in what is proposed.`;
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

function isSamePlace(a: readonly At[], b: readonly At[] | undefined): boolean {
  const isSame = (one: At, other: At | undefined) =>
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
