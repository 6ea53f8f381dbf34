/** The data of a surface. */
import { equal } from "../diff/equal.js";
import type { SurfaceErrorCode } from "../generated/facts.js";
import { measure } from "../measure.js";
import { applyChange, copyOf, deepFreeze, put, type Tree } from "../mirror.js";
import type { Change, DeepReadonly, Json, Limits } from "../types.js";
import type { SurfaceProtocol } from "./types.js";

export type Segments = readonly string[];
type Path = (string | number)[];

/** What an update comes to. */
export interface Plan {
  /** Nothing if the data is as it should be. */
  change?: Change;
  /** The size of the data afterwards. */
  bytes: number;
  /** The kind of a scalar that gives way. */
  overwritten?: string;
}

/** Why a message is not taken. */
export class Refusal {
  constructor(
    readonly code: SurfaceErrorCode,
    readonly message: string,
  ) {}
}

/**
 * A data model that is changed in place, but for what has been handed out: that is frozen, and copied before it is
 * written to. So a change costs what it is deep, unless every state is looked at as a whole.
 */
export class DataModel {
  #root: Json = {};
  /** About the bytes of its text. */
  #bytes = 2;

  /** What it takes to replace what stands at a place, to make what is missing on the way, or to delete. */
  plan(segments: Segments, value: Json | undefined, protocol: SurfaceProtocol, limits: Limits): Plan | Refusal {
    const step = stepOf(this.#root, segments, value, protocol, limits);
    if (step instanceof Refusal) return step;
    const { change, replaced, overwritten } = step;
    if (change === undefined) return { bytes: this.#bytes };
    let added = 0;
    if (change.kind === "set" || change.kind === "insert") {
      const { bytes, depth, infinite } = measure(change.value as Json);
      if (infinite) return new Refusal("INVALID_MESSAGE", "A number is too large for JSON.");
      if (depth + change.path.length > limits.maxDepth) return over("levels in the data model", limits.maxDepth);
      added = bytes;
    }
    const bytes = Math.max(this.#bytes + added - replaced, 0);
    if (bytes > limits.maxDocumentBytes && added > replaced) return over("bytes of data", limits.maxDocumentBytes);
    return overwritten === undefined ? { change, bytes } : { change, bytes, overwritten };
  }

  apply(change: Change, bytes: number): void {
    this.#bytes = bytes;
    if (change.kind === "set" && change.path.length === 0) this.#root = change.value ?? null;
    else this.#root = applyChange(this.#root, change, own) as Json;
  }

  read(path: Segments): Json | undefined {
    let node: Json | undefined = this.#root;
    for (const key of path) {
      if (typeof node !== "object" || node === null) return undefined;
      if (Array.isArray(node) ? !INDEX.test(key) : !Object.hasOwn(node, key)) return undefined;
      node = (node as Record<string, Json | undefined>)[key];
    }
    return node;
  }

  snapshot(): DeepReadonly<Json> {
    deepFreeze(this.#root);
    return this.#root as DeepReadonly<Json>;
  }
}

const INDEX = /^(?:0|[1-9]\d*)$/;

const own = (node: Json | undefined): Tree => (Object.isFrozen(node) ? copyOf(node as Tree) : (node as Tree));

/** A change, and the size of what it replaces. */
type Step = { change?: Change; replaced: number; overwritten?: string };

/** The change, without a look at limits of size. */
function stepOf(
  root: Json,
  segments: Segments,
  value: Json | undefined,
  protocol: SurfaceProtocol,
  limits: Limits,
): Step | Refusal {
  let node = root;
  const path: Path = [];
  for (let depth = 0; depth < segments.length; depth++) {
    const segment = segments[depth] as string;
    let next: Json | undefined;
    if (Array.isArray(node)) {
      const index = segment === "-" ? node.length : indexOf(segment);
      if (index === undefined) {
        return new Refusal("INVALID_PATH", `"${segment}" is no index of the list /${path.join("/")}.`);
      }
      if (index > node.length && value !== undefined) {
        const item = wrap(segments, depth + 1, value, limits);
        const longer = item instanceof Refusal ? item : grow(node, index, item, limits);
        return longer instanceof Refusal ? longer : set(path, longer, node);
      }
      path.push(index);
      next = node[index];
    } else if (typeof node === "object" && node !== null) {
      path.push(segment);
      next = Object.hasOwn(node, segment) ? node[segment] : undefined;
    } else {
      // Nothing that could be lost stands in the way, or GULF takes it.
      if (node !== null && protocol !== "gulf") return noPlace(segments);
      if (value === undefined) return NOTHING;
      const wrapped = wrap(segments, depth, value, limits);
      if (wrapped instanceof Refusal) return wrapped;
      return node === null ? set(path, wrapped, node) : { ...set(path, wrapped, node), overwritten: typeof node };
    }
    if (next === undefined) {
      if (value === undefined) return NOTHING;
      const wrapped = wrap(segments, depth + 1, value, limits);
      if (wrapped instanceof Refusal) return wrapped;
      return { change: { kind: "insert", path, value: wrapped }, replaced: 0 };
    }
    node = next;
  }
  if (value !== undefined) return equal(value, node) ? NOTHING : set(path, value, node);
  if (path.length === 0) return set(path, {}, node);
  return { change: { kind: "remove", path }, replaced: measure(node).bytes };
}

const NOTHING: Step = { replaced: 0 };

const set = (path: Path, value: Json, before: Json): Step => ({
  change: { kind: "set", path, value },
  replaced: measure(before).bytes,
});

/** A value with the lists and objects around it that the segments from a place on lead through. */
function wrap(segments: Segments, from: number, value: Json, limits: Limits): Json | Refusal {
  let wrapped = value;
  for (let depth = segments.length - 1; depth >= from; depth--) {
    const segment = segments[depth] as string;
    const index = segment === "-" ? 0 : indexOf(segment);
    if (index === undefined) {
      const holder: Tree = {};
      put(holder, segment, wrapped);
      wrapped = holder;
    } else {
      const list = grow([], index, wrapped, limits);
      if (list instanceof Refusal) return list;
      wrapped = list;
    }
  }
  return wrapped;
}

/** A list with a value at an index behind its end, and nulls between. */
function grow(items: readonly Json[], index: number, value: Json, { maxListGrowth }: Limits): Json[] | Refusal {
  if (index > items.length && index >= maxListGrowth) {
    return over("items by which an index makes a list grow", maxListGrowth);
  }
  const longer = [...items];
  while (longer.length < index) longer.push(null);
  longer.push(value);
  return longer;
}

/** A segment as an index: digits without a zero before them. */
const indexOf = (segment: string): number | undefined => (INDEX.test(segment) ? Number(segment) : undefined);

const over = (what: string, limit: number): Refusal => new Refusal("LIMIT_EXCEEDED", `More than ${limit} ${what}.`);

const noPlace = (segments: Segments): Refusal =>
  new Refusal("INVALID_PATH", `Something that is no object or list stands in the way of /${segments.join("/")}.`);
