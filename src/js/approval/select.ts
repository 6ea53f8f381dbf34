/** The part of a proposal that a person agreed to, and the person's own values. */
import type { ApprovalRefusal } from "../approval-types.js";
import { idKeysOf } from "../diff/walk.js";
import { follow, valueAt } from "../mirror.js";
import { formatPath, parsePath } from "../path.js";
import type { Change, Json, PathSegment } from "../types.js";
import { refusal } from "./book.js";
import { type Entry, idsOf, type Token } from "./entries.js";

type Step = string | number;

/** A path as it is written, or as it stands in a change. */
export type PathLike = string | readonly Step[];

/**
 * The entries at or below the paths. A path that stands in the diff means that change; any other is looked up in the
 * document before and in the one proposed.
 */
export function selectEntries(
  entries: readonly Entry[],
  paths: readonly PathLike[],
  documents: readonly Json[],
): Entry[] | ApprovalRefusal {
  const chosen = new Set<Entry>();
  for (const path of paths) {
    const segments = toSegments(path);
    if ("status" in segments) return segments;
    const steps = Array.isArray(path) ? path : segments.map(toStep);
    let found = entries.filter(({ change }) => isSamePath(change.path, steps));
    if (found.length === 0) {
      const places = documents.map((document) => toPlace(document, segments));
      found = entries.filter(({ place }) => places.some((tokens) => isBelow(place, tokens)));
    }
    if (found.length === 0) {
      const text = typeof path === "string" ? path : show(path);
      const known = entries.slice(0, 20).map(({ change }) => show(change.path));
      const solution = known.length === 0 ? "It changes nothing." : `It changes ${known.join(", ")}.`;
      return refusal("PATH_NOT_FOUND", `The proposal changes nothing at ${text}.`, solution, text);
    }
    for (const entry of found) chosen.add(entry);
  }
  return entries.filter((entry) => chosen.has(entry));
}

/** Puts the person's own values where they belong: at places that are there, or as new keys of objects. */
export function putEdits(document: Json, edits: { [path: string]: Json }): { document: Json } | ApprovalRefusal {
  // One level more, so that the changes can be at the document itself.
  const wrap = { document };
  const changes: Change[] = [];
  for (const [text, value] of Object.entries(edits)) {
    const segments = toSegments(text);
    if ("status" in segments) return segments;
    const steps = locate(document, segments);
    const holder = steps && valueAt(document, steps.slice(0, -1));
    const last = steps?.at(-1);
    if (steps === undefined || last === undefined || typeof holder !== "object" || holder === null) {
      const message = `There is no place ${text} for the person's value.`;
      return refusal("PATH_NOT_FOUND", message, "Give a value for a place that is there, or a key of an object.", text);
    }
    const kind = Object.hasOwn(holder, last) ? "set" : "insert";
    changes.push({ kind, path: ["document", ...steps], value });
  }
  return follow(wrap, changes, false) as typeof wrap;
}

function toSegments(path: PathLike): PathSegment[] | ApprovalRefusal {
  if (typeof path !== "string") return path.map((step) => (typeof step === "string" ? { key: step } : { index: step }));
  const parsed = parsePath(path, { rules: "open" });
  if (parsed.ok) return parsed.segments;
  return { status: "error", error: { ...parsed.error, path } };
}

function toStep(segment: PathSegment): Step {
  if ("key" in segment) return segment.key;
  if ("id" in segment) return segment.id;
  return "index" in segment ? segment.index : "+";
}

/** Where segments lead; the last one may be a key that is not there, or the place behind the last item. */
function locate(document: Json, segments: readonly PathSegment[]): Step[] | undefined {
  const steps: Step[] = [];
  let node: Json | undefined = document;
  for (const segment of segments) {
    if (typeof node !== "object" || node === null) return undefined;
    const step: Step | undefined = Array.isArray(node) ? indexOf(node, segment, steps.at(-1)) : String(toStep(segment));
    if (step === undefined) return undefined;
    steps.push(step);
    node = Object.hasOwn(node, step) ? (node as Record<Step, Json>)[step] : undefined;
  }
  return steps;
}

function indexOf(list: Json[], segment: PathSegment, name: Step | undefined): number | undefined {
  if ("end" in segment) return list.length;
  if ("index" in segment) return segment.index <= list.length ? segment.index : undefined;
  const text = String(toStep(segment));
  const ids = idsOf(list, idKeysOf(name));
  const index = ids === undefined ? -1 : ids.indexOf(text);
  if (index >= 0) return index;
  return "key" in segment && /^(0|[1-9]\d*)$/.test(text) ? Number(text) : undefined;
}

/** The place that segments mean in a document, as entries name it. */
function toPlace(document: Json, segments: readonly PathSegment[]): Token[] {
  const place: Token[] = [];
  let node: Json | undefined = document;
  let name: Token | undefined;
  for (const segment of segments) {
    let step: Step = toStep(segment);
    let token: Token = step;
    if (Array.isArray(node)) {
      const ids = idsOf(node, idKeysOf(typeof name === "string" ? name : undefined));
      step = indexOf(node, segment, typeof name === "string" ? name : undefined) ?? step;
      const id = typeof step === "number" ? ids?.[step] : String(step);
      token = ids !== undefined && id !== undefined ? { id } : step;
    } else {
      token = step = String(step);
    }
    place.push(token);
    name = token;
    node =
      typeof node === "object" && node !== null && Object.hasOwn(node, step)
        ? (node as Record<Step, Json>)[step]
        : undefined;
  }
  return place;
}

function isBelow(place: readonly Token[], above: readonly Token[]): boolean {
  return above.every((token, depth) => {
    const own = place[depth];
    return typeof token === "object" && typeof own === "object" ? token.id === own.id : token === own;
  });
}

function isSamePath(a: readonly Step[], b: readonly Step[]): boolean {
  return a.length === b.length && a.every((step, depth) => step === b[depth]);
}

function show(path: readonly Step[]): string {
  try {
    return path.length === 0 ? "the document" : formatPath(path);
  } catch {
    return JSON.stringify(path);
  }
}
