/** Entries: the changes of a proposal, each at a place of keys and ids, so that each can be applied to another document. */
import { getOrInsert, isText } from "../core/kinds.js";
import { appliedTo } from "../core/mirror.js";
import { find, type IdKeys, idKeysAt, idOf, idsIn, type KnownIds, type Resolved, resolve } from "../core/resolve.js";
import { childOf, isTree, type Step } from "../core/tree.js";
import { equal } from "../diff/equal.js";
import { anchors, listEdits, matchTokens } from "../diff/list.js";
import { Walk } from "../diff/walk.js";
import type { Change, Json, PathSegment, Rules } from "../types.js";
import type { ShownChange } from "./types.js";

/** A step of a place: a key, the id of an item, or an index if the items of the list have no ids. */
type Token = Step | { id: string };

export interface Entry {
  change: ShownChange;
  place: Token[];
  /** For an item that is inserted or moved in a list with ids: the proposed list. */
  siblings?: readonly Json[];
}

/** The entries that turn one document into the other. Their changes, in order, are an edit script. */
export function entriesBetween(before: Json, after: Json, rules: Rules): Entry[] {
  const finder = new Finder(rules);
  finder.values(before, after);
  return finder.changes;
}

class Finder extends Walk<Entry> {
  readonly #place: Token[] = [];

  /** `last` is the token of the changed item or key; by default the step after the current path. */
  protected override record(
    change: Change,
    before?: Json,
    last: Token | undefined = change.path[this.path.length],
  ): Entry {
    const place = last === undefined ? [...this.#place] : [...this.#place, last];
    return { change: before === undefined ? change : { ...change, before }, place };
  }

  protected override at(step: Step, before: Json, after: Json, lists: number, token: Token = step): void {
    this.#place.push(token);
    super.at(step, before, after, lists);
    this.#place.pop();
  }

  protected lists(before: Json[], after: Json[], lists: number): void {
    const keys = idKeysAt(this.path, this.rules);
    const old = idsOf(before, keys);
    const ids = idsOf(after, keys);
    if (old !== undefined && ids !== undefined) this.#byId(before, after, old, ids, lists);
    // Items that have ids on one side only cannot be matched.
    else if (old !== ids && before.length === after.length) this.set(before, after);
    else this.#byIndex(before, after, lists);
  }

  #byId(before: Json[], after: Json[], old: readonly string[], ids: readonly string[], lists: number): void {
    // Two snapshots share the items that are equal.
    let start = 0;
    while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
    let end = 0;
    const least = Math.min(before.length, after.length) - start;
    while (end < least && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
    const length = before.length - end - start;
    const matches = matchTokens(old.slice(start, start + length), ids.slice(start, after.length - end));
    for (const edit of listEdits(matches, anchors(matches), length)) {
      const path = [...this.path, start + edit.at];
      if (edit.kind === "remove") {
        const at = start + edit.at;
        this.changes.push(this.record({ kind: "remove", path }, before[at], { id: old[at] ?? "" }));
        continue;
      }
      const at = start + edit.item;
      const change: Change =
        edit.kind === "move"
          ? { kind: "move", from: [...this.path, start + edit.from], path }
          : { kind: "insert", path, value: after[at] ?? null };
      this.changes.push({ ...this.record(change, undefined, { id: ids[at] ?? "" }), siblings: after });
    }
    for (const [place, from] of matches.entries()) {
      const at = start + place;
      if (from < 0) continue;
      this.at(at, before[start + from] ?? null, after[at] ?? null, lists, { id: ids[at] ?? "" });
    }
  }

  /** Items without ids have only their index. A change that shifts items replaces the whole list. */
  #byIndex(before: Json[], after: Json[], lists: number): void {
    const grows = after.length > before.length;
    if (after.length < before.length || (grows && before.some((item, index) => !equal(item, after[index] ?? null)))) {
      this.set(before, after);
      return;
    }
    for (const [index, value] of after.entries()) {
      if (index < before.length) this.at(index, before[index] ?? null, value, lists);
      else this.changes.push(this.record({ kind: "insert", path: [...this.path, index], value }));
    }
  }
}

/** A step, and the id of the item there if all items of its list have different ids. */
export interface ResolvedStep {
  step: string | number;
  id: string | undefined;
}

interface PlaceNode {
  own: Entry[];
  keys: Map<Token, PlaceNode>;
  ids: Map<string, PlaceNode>;
}

/** The places of entries as a tree. */
export class Places {
  readonly #root = emptyNode();

  constructor(entries: readonly Entry[]) {
    for (const entry of entries) {
      let node = this.#root;
      for (const token of entry.place) {
        const isId = typeof token === "object";
        node = isId ? getOrInsert(node.ids, token.id, emptyNode) : getOrInsert(node.keys, token, emptyNode);
      }
      node.own.push(entry);
    }
  }

  /** The entries at or below a place; `undefined` for a place that does not exist. */
  below(place: readonly ResolvedStep[] | undefined): Entry[] | undefined {
    if (place === undefined) return undefined;
    let nodes = [this.#root];
    for (const { step, id } of place) {
      const next = nodes.flatMap((node) => [id === undefined ? undefined : node.ids.get(id), node.keys.get(step)]);
      nodes = next.filter((node) => node !== undefined);
    }
    const found: Entry[] = [];
    // The loop also visits the nodes that it appends.
    for (const node of nodes) {
      for (const entry of node.own) found.push(entry);
      for (const below of node.keys.values()) nodes.push(below);
      for (const below of node.ids.values()) nodes.push(below);
    }
    return found;
  }

  /** Whether another change is at, above or below the place of one of the entries. */
  meet({ change, place }: Entry): boolean {
    // Moving an item leaves its content as it is.
    return this.#areAround(place, (entry) => entry.change.kind !== "move", change.kind !== "move");
  }

  /** Whether another change may have changed or moved the value at the place of one of the entries. */
  areDisturbed(by: Entry): boolean {
    if (by.change.kind === "set" || typeof by.place.at(-1) === "string") return this.meet(by);
    return this.#areAround(by.place.slice(0, -1), () => true, true);
  }

  /** Whether an entry is at a place, above it and accepted by `above`, or (with `below`) below it. */
  #areAround(place: readonly Token[], above: (entry: Entry) => boolean, below: boolean): boolean {
    let nodes = [this.#root];
    for (const token of place) {
      if (nodes.some(({ own }) => own.some(above))) return true;
      nodes = nodes.flatMap((node) => nodesAt(node, token));
    }
    return nodes.some(({ own, keys, ids }) => own.length > 0 || (below && keys.size + ids.size > 0));
  }
}

const emptyNode = (): PlaceNode => ({ own: [], keys: new Map(), ids: new Map() });

/** The nodes for a token. An item with an id and an item with an index may be the same. */
function nodesAt({ keys, ids }: PlaceNode, token: Token): PlaceNode[] {
  const isId = typeof token === "object";
  const own = isId ? ids.get(token.id) : keys.get(token);
  const others = (isId ? keys : ids).values();
  return own === undefined ? [...others] : [own, ...others];
}

/** The entries about the items of one list with ids. */
interface MovedItems {
  place: Token[];
  entries: Entry[];
}

/** Applies entries to a document, at their places in it. Returns `undefined` if a place does not exist any more. */
export function applyEntries(document: Json, entries: readonly Entry[], rules: Rules): Json | undefined {
  const lookUp = new LookUp(rules);
  const plain: Change[] = [];
  const lists = new Map<string, MovedItems>();
  // The next index in lists without ids to which entries append, by the place of the list.
  const longer = new Map<string, number>();
  for (const entry of entries) {
    const { change, place } = entry;
    const holder = place.slice(0, -1);
    const last = place.at(-1);
    if (typeof last === "object" && change.kind !== "set") {
      getOrInsert(lists, JSON.stringify(holder), () => ({ place: holder, entries: [] })).entries.push(entry);
      continue;
    }
    const above = lookUp.at(document, holder);
    if (above === undefined) return undefined;
    if (change.kind === "insert" && typeof last === "number") {
      const key = JSON.stringify(holder);
      const index = longer.get(key) ?? (Array.isArray(above.value) ? above.value.length : 0);
      longer.set(key, index + 1);
      plain.push({ kind: "insert", path: [...above.path, index], value: change.value ?? null });
      continue;
    }
    const found = lookUp.at(document, place);
    if (change.kind === "insert" && found === undefined && typeof last === "string") {
      plain.push({ kind: "insert", path: [...above.path, last], value: change.value ?? null });
    } else if (found === undefined) {
      return undefined;
    } else if (change.kind === "remove") {
      plain.push({ kind: "remove", path: found.path });
    } else if (change.kind !== "move") {
      plain.push({ kind: "set", path: found.path, value: change.value ?? null });
    }
  }
  let next = appliedTo(document, plain, false);
  // Inner lists first: changing them does not move the outer ones.
  const byDepth = new Map<number, MovedItems[]>();
  for (const moved of lists.values()) getOrInsert(byDepth, moved.place.length, () => []).push(moved);
  for (const [, level] of [...byDepth].sort(([a], [b]) => b - a)) {
    const changes: Change[] = [];
    for (const { place, entries } of level) {
      const found = lookUp.at(next, place);
      if (found === undefined || !Array.isArray(found.value)) return undefined;
      const list = mergeOrder(found.value, entries, idKeysAt(place, rules));
      if (list === undefined) return undefined;
      changes.push({ kind: "set", path: found.path, value: list });
    }
    next = appliedTo(next, changes, false);
  }
  return next;
}

/** The id of the item that an entry is about. */
function idAt({ place }: Entry): string {
  const last = place.at(-1);
  return typeof last === "object" ? last.id : "";
}

/** Inserts, removes and moves items of a list with ids. Each item keeps its proposed neighbours. */
function mergeOrder(list: readonly Json[], entries: readonly Entry[], keys: IdKeys): Json[] | undefined {
  const ids = idsOf(list, keys);
  if (ids === undefined) return undefined;
  const present = new Map(ids.map((id, index) => [id, list[index] ?? null]));
  const placed = new Map<string, Json>();
  let siblings: readonly Json[] = [];
  for (const entry of entries) {
    const id = idAt(entry);
    const item = present.get(id);
    if (entry.change.kind === "insert") {
      if (item !== undefined) return undefined;
      placed.set(id, entry.change.value ?? null);
    } else {
      if (item === undefined) return undefined;
      present.delete(id);
      if (entry.change.kind === "move") placed.set(id, item);
    }
    siblings = entry.siblings ?? siblings;
  }
  // An item follows the nearest present item before it; it goes to the end if no present item follows it.
  const order = siblings.map((item) => idOf(item, keys) ?? "");
  let lastPresent = order.length - 1;
  while (lastPresent >= 0 && !present.has(order[lastPresent] ?? "")) lastPresent -= 1;
  const following = new Map<string | undefined, Json[]>();
  const end: Json[] = [];
  let anchor: string | undefined;
  for (const [index, id] of order.entries()) {
    if (present.has(id)) anchor = id;
    const item = placed.get(id);
    if (item === undefined) continue;
    if (index > lastPresent) end.push(item);
    else getOrInsert(following, anchor, () => []).push(item);
  }
  const stay = ids.filter((id) => present.has(id));
  return [
    ...(following.get(undefined) ?? []),
    ...stay.flatMap((id) => [present.get(id) ?? null, ...(following.get(id) ?? [])]),
    ...end,
  ];
}

/** Resolves places in documents, with a cache of the ids of lists. */
export class LookUp {
  readonly #known: KnownIds = new Map();

  constructor(private readonly rules: Rules) {}

  /** Resolves a path as far as it exists. */
  find(document: Json, segments: readonly PathSegment[]): Resolved | undefined {
    return find(document, segments, this.rules, this.#known);
  }

  /** The place of a path, with ids. `found` is the resolved path, if the caller has it already. */
  place(
    document: Json,
    segments: readonly PathSegment[],
    found = resolve(document, segments, this.rules, this.#known),
  ): ResolvedStep[] | undefined {
    let node = document;
    return found?.steps.map((step, depth) => {
      const above = found.steps.slice(0, depth);
      const isNamed = Array.isArray(node) && this.#idsOf(node, above) !== undefined;
      node = isTree(node) ? childOf(node, step) : null;
      return { step, id: isNamed ? idOf(node, idKeysAt(above, this.rules)) : undefined };
    });
  }

  /** The value at the place of an entry. An id counts only where all items of the list have different ids. */
  at(document: Json, place: readonly Token[]): { path: Step[]; value: Json } | undefined {
    const path: Step[] = [];
    let value = document;
    for (const token of place) {
      const list = Array.isArray(value) ? value : undefined;
      const ids = list && typeof token === "object" ? this.#idsOf(list, path) : undefined;
      const step = typeof token === "object" ? ids?.get(token.id) : token;
      if (step === undefined || !isTree(value)) return undefined;
      if ((list !== undefined) !== (typeof step === "number") || !Object.hasOwn(value, step)) return undefined;
      value = childOf(value, step);
      path.push(step);
    }
    return { path, value };
  }

  /** The index of each id in a list, if all items have different ids. */
  #idsOf(list: readonly Json[], path: readonly Step[]): Map<string, number> | undefined {
    const ids = idsIn(list, path, this.rules, this.#known);
    return ids.size === list.length ? ids : undefined;
  }
}

/** The ids of frozen lists. */
const known = new WeakMap<readonly Json[], { keys: IdKeys; ids: readonly string[] | undefined }>();

/** The ids of all items, if they all have different ids. */
function idsOf(list: readonly Json[], keys: IdKeys): readonly string[] | undefined {
  const before = known.get(list);
  if (before?.keys === keys) return before.ids;
  const own = list.map((item) => idOf(item, keys));
  const ids = own.every(isText) && new Set(own).size === own.length ? own : undefined;
  if (Object.isFrozen(list)) known.set(list, { keys, ids });
  return ids;
}
