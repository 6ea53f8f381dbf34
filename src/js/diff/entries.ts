/**
 * Entries: the changes of a proposal, each with its place: a path that names items by their ids, not by indexes. So an entry can
 * be applied to another document, in which the items have other indexes. Ids are used only in lists whose items all have
 * different ids.
 */
import { getOrInsert, isText } from "../core/kinds.js";
import { appliedTo } from "../core/mirror.js";
import { find, type IdKeys, idKeysAt, idOf, idsIn, type KnownIds, type Resolved, resolve } from "../core/resolve.js";
import { childOf, isTree, type Step } from "../core/tree.js";
import type { Change, Json, PathSegment, Rules, ShownChange } from "../types.js";
import { equal } from "./equal.js";
import { anchors, listEdits, matchTokens } from "./list.js";
import { Walk } from "./walk.js";

/** A step of a place: a key, the id of an item, or an index if the items of the list have no ids. */
type Token = Step | { id: string };

/** A change and its place: see above. */
export interface Entry {
  /** The change as a part of an edit script, with a path of keys and indexes. */
  change: ShownChange;
  place: Token[];
  /** For an item that is inserted or moved in a list with ids: the items of that list after all changes. */
  siblings?: readonly Json[];
}

/** The entries that turn one document into the other. Their changes, in order, are an edit script. */
export function entriesBetween(before: Json, after: Json, rules: Rules): Entry[] {
  const walk = new EntryWalk(rules);
  walk.values(before, after);
  return walk.changes;
}

/** Walks two documents together: `values` of the base class compares, and calls these methods. */
class EntryWalk extends Walk<Entry> {
  /** The place of the values that are being compared. */
  readonly #place: Token[] = [];

  /**
   * `last`: the last token of the change's place. By default the key after the current path; none if the change sets the value
   * there.
   */
  protected override record(
    change: Change,
    before?: Json,
    last: Token | undefined = change.path[this.path.length],
  ): Entry {
    const place = last === undefined ? [...this.#place] : [...this.#place, last];
    return { change: before === undefined ? change : { ...change, before }, place };
  }

  /** Compares the values at a step. `token`: the step of their place. `listDepth`: the number of lists around them. */
  protected override at(step: Step, before: Json, after: Json, listDepth: number, token: Token = step): void {
    this.#place.push(token);
    super.at(step, before, after, listDepth);
    this.#place.pop();
  }

  /** Compares two lists: item by item if both have ids, else by index. */
  protected lists(before: Json[], after: Json[], listDepth: number): void {
    const keys = idKeysAt(this.path, this.rules);
    const oldIds = idsOf(before, keys);
    const newIds = idsOf(after, keys);
    if (oldIds !== undefined && newIds !== undefined) this.#byId(before, after, oldIds, newIds, listDepth);
    // Only one of the lists has ids, so their items cannot be matched. A longer list may only have new items at its end.
    else if (oldIds !== newIds && before.length === after.length) this.set(before, after);
    else this.#byIndex(before, after, listDepth);
  }

  /**
   * Compares lists whose items all have different ids. First come the edits that remove, move and insert items, then the changes
   * inside of items that are in both lists, whose paths count in the new list.
   */
  #byId(before: Json[], after: Json[], oldIds: readonly string[], newIds: readonly string[], listDepth: number): void {
    // Equal items at the start and at the end are skipped by identity: snapshots share most items.
    let start = 0;
    while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
    let endCount = 0;
    const maxEndCount = Math.min(before.length, after.length) - start;
    while (endCount < maxEndCount && before.at(-1 - endCount) === after.at(-1 - endCount)) endCount += 1;
    const oldLength = before.length - endCount - start;
    // The indexes in edits and matches count from `start`. For each new item, `matches` has its index in the old list, or -1.
    const matches = matchTokens(oldIds.slice(start, start + oldLength), newIds.slice(start, after.length - endCount));
    for (const edit of listEdits(matches, anchors(matches), oldLength)) {
      const path = [...this.path, start + edit.at];
      if (edit.kind === "remove") {
        // The removals come first, from the end of the list on, so `at` counts in the old list.
        const index = start + edit.at;
        this.changes.push(this.record({ kind: "remove", path }, before[index], { id: oldIds[index] ?? "" }));
        continue;
      }
      const index = start + edit.item;
      const change: Change =
        edit.kind === "move"
          ? { kind: "move", from: [...this.path, start + edit.from], path }
          : { kind: "insert", path, value: after[index] ?? null };
      // An insertion or a move replaces no value.
      const noValueBefore = undefined;
      this.changes.push({ ...this.record(change, noValueBefore, { id: newIds[index] ?? "" }), siblings: after });
    }
    for (const [offset, from] of matches.entries()) {
      const isNew = from < 0;
      if (isNew) continue;
      const index = start + offset;
      this.at(index, before[start + from] ?? null, after[index] ?? null, listDepth, { id: newIds[index] ?? "" });
    }
  }

  /** Compares lists by index, as items without ids have no other name. A change that shifts items replaces the whole list. */
  #byIndex(before: Json[], after: Json[], listDepth: number): void {
    const isLonger = after.length > before.length;
    const isShifted = isLonger && before.some((item, index) => !equal(item, after[index] ?? null));
    if (after.length < before.length || isShifted) {
      this.set(before, after);
      return;
    }
    for (const [index, value] of after.entries()) {
      if (index < before.length) this.at(index, before[index] ?? null, value, listDepth);
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
  /** The entries whose place ends here. */
  entries: Entry[];
  /** The nodes one token below: by key or index, and by id of the item. */
  keys: Map<Step, PlaceNode>;
  ids: Map<string, PlaceNode>;
}

/** The places of entries as a tree, to find entries that are about the same part of a document. */
export class Places {
  readonly #root = emptyNode();

  constructor(entries: readonly Entry[]) {
    for (const entry of entries) {
      let node = this.#root;
      for (const token of entry.place) {
        const isId = typeof token === "object";
        node = isId ? getOrInsert(node.ids, token.id, emptyNode) : getOrInsert(node.keys, token, emptyNode);
      }
      node.entries.push(entry);
    }
  }

  /** The entries at or below a place, which may name its items by id or by index; `undefined` for a place that does not exist. */
  below(place: readonly ResolvedStep[] | undefined): Entry[] | undefined {
    if (place === undefined) return undefined;
    let nodes = [this.#root];
    for (const { step, id } of place) {
      const next = nodes.flatMap((node) => [id === undefined ? undefined : node.ids.get(id), node.keys.get(step)]);
      nodes = next.filter((node) => node !== undefined);
    }
    const entries: Entry[] = [];
    // The loop also visits the nodes that it appends.
    for (const node of nodes) {
      for (const entry of node.entries) entries.push(entry);
      for (const below of node.keys.values()) nodes.push(below);
      for (const below of node.ids.values()) nodes.push(below);
    }
    return entries;
  }

  /** Whether one of the entries is at, above or below the place of another entry. */
  overlap({ change, place }: Entry): boolean {
    // A move leaves the content of its item as it is, so it does not overlap with changes below.
    const isNoMove = (entry: Entry) => entry.change.kind !== "move";
    const includesBelow = change.kind !== "move";
    return this.#areAround(place, isNoMove, includesBelow);
  }

  /** Whether another change may have changed the value at the place of one of the entries, or its index. */
  mayBeAffectedBy(other: Entry): boolean {
    if (other.change.kind === "set" || typeof other.place.at(-1) === "string") return this.overlap(other);
    // An item that is inserted, removed or moved shifts the other items of its list.
    const [allEntries, includesBelow] = [() => true, true];
    return this.#areAround(other.place.slice(0, -1), allEntries, includesBelow);
  }

  /** Whether an entry is at a place, above it and accepted by `isRelevant`, or (with `includesBelow`) below it. */
  #areAround(place: readonly Token[], isRelevant: (entry: Entry) => boolean, includesBelow: boolean): boolean {
    let nodes = [this.#root];
    for (const token of place) {
      if (nodes.some(({ entries }) => entries.some(isRelevant))) return true;
      nodes = nodes.flatMap((node) => nodesAt(node, token));
    }
    return nodes.some(({ entries, keys, ids }) => entries.length > 0 || (includesBelow && keys.size + ids.size > 0));
  }
}

const emptyNode = (): PlaceNode => ({ entries: [], keys: new Map(), ids: new Map() });

/**
 * The nodes that a token may lead to: the node of the token itself, and all nodes of the other kind, since an item with an id and
 * an item with an index may be the same.
 */
function nodesAt({ keys, ids }: PlaceNode, token: Token): PlaceNode[] {
  const isId = typeof token === "object";
  const node = isId ? ids.get(token.id) : keys.get(token);
  const otherKind = (isId ? keys : ids).values();
  return node === undefined ? [...otherKind] : [node, ...otherKind];
}

/** The entries that insert, remove or move items of one list with ids. */
interface ListEntries {
  /** The place of the list. */
  place: Token[];
  entries: Entry[];
}

/**
 * Applies entries to a document, at their places in it. Returns `undefined` if a place does not exist any more. Entries about
 * single values are applied first; then each list with ids gets a new order of items, the innermost lists first, because a new
 * order changes no place inside of other lists.
 */
export function applyEntries(document: Json, entries: readonly Entry[], rules: Rules): Json | undefined {
  const lookUp = new LookUp(rules);
  const valueChanges: Change[] = [];
  /** By the place of the list, as JSON text. */
  const lists = new Map<string, ListEntries>();
  /** The next index in lists without ids to which entries append, by the place of the list. */
  const nextIndexes = new Map<string, number>();
  for (const entry of entries) {
    const { change, place } = entry;
    const holderPlace = place.slice(0, -1);
    const last = place.at(-1);
    if (typeof last === "object" && change.kind !== "set") {
      getOrInsert(lists, JSON.stringify(holderPlace), () => ({ place: holderPlace, entries: [] })).entries.push(entry);
      continue;
    }
    const holder = lookUp.at(document, holderPlace);
    if (holder === undefined) return undefined;
    if (change.kind === "insert" && typeof last === "number") {
      const key = JSON.stringify(holderPlace);
      const index = nextIndexes.get(key) ?? (Array.isArray(holder.value) ? holder.value.length : 0);
      nextIndexes.set(key, index + 1);
      valueChanges.push({ kind: "insert", path: [...holder.path, index], value: change.value ?? null });
      continue;
    }
    const target = lookUp.at(document, place);
    if (change.kind === "insert" && target === undefined && typeof last === "string") {
      valueChanges.push({ kind: "insert", path: [...holder.path, last], value: change.value ?? null });
    } else if (target === undefined) {
      return undefined;
    } else if (change.kind === "remove") {
      valueChanges.push({ kind: "remove", path: target.path });
    } else if (change.kind !== "move") {
      // Also the insertion of a key that another change has added since.
      valueChanges.push({ kind: "set", path: target.path, value: change.value ?? null });
    }
  }
  let next = appliedTo(document, valueChanges);
  const byDepth = new Map<number, ListEntries[]>();
  for (const list of lists.values()) getOrInsert(byDepth, list.place.length, () => []).push(list);
  for (const [, level] of [...byDepth].sort(([a], [b]) => b - a)) {
    const changes: Change[] = [];
    for (const { place, entries } of level) {
      const target = lookUp.at(next, place);
      if (target === undefined || !Array.isArray(target.value)) return undefined;
      const list = mergeOrder(target.value, entries, idKeysAt(place, rules));
      if (list === undefined) return undefined;
      changes.push({ kind: "set", path: target.path, value: list });
    }
    next = appliedTo(next, changes);
  }
  return next;
}

/** The id of the item that an entry is about. */
function idAt({ place }: Entry): string {
  const last = place.at(-1);
  return typeof last === "object" ? last.id : "";
}

/**
 * Inserts, removes and moves items of a list with ids; `undefined` if an item to insert exists already, or another one does not
 * exist. An inserted or moved item comes after the nearest item before it in `siblings` that stays where it is, or to the end if
 * no such item follows it there.
 */
function mergeOrder(list: readonly Json[], entries: readonly Entry[], keys: IdKeys): Json[] | undefined {
  const ids = idsOf(list, keys);
  if (ids === undefined) return undefined;
  /** By id: the items that stay where they are. */
  const staying = new Map(ids.map((id, index) => [id, list[index] ?? null]));
  /** By id: the items that are inserted or moved. */
  const newlyPlaced = new Map<string, Json>();
  let siblings: readonly Json[] = [];
  for (const entry of entries) {
    const id = idAt(entry);
    const item = staying.get(id);
    if (entry.change.kind === "insert") {
      if (item !== undefined) return undefined;
      newlyPlaced.set(id, entry.change.value ?? null);
    } else {
      if (item === undefined) return undefined;
      staying.delete(id);
      if (entry.change.kind === "move") newlyPlaced.set(id, item);
    }
    siblings = entry.siblings ?? siblings;
  }
  /** The ids in the order after all changes. */
  const order = siblings.map((item) => idOf(item, keys) ?? "");
  let lastStaying = order.length - 1;
  while (lastStaying >= 0 && !staying.has(order[lastStaying] ?? "")) lastStaying -= 1;
  /** By the id of the staying item that they follow; `undefined` for the start of the list. */
  const followers = new Map<string | undefined, Json[]>();
  const end: Json[] = [];
  let anchor: string | undefined;
  for (const [index, id] of order.entries()) {
    if (staying.has(id)) anchor = id;
    const item = newlyPlaced.get(id);
    if (item === undefined) continue;
    if (index > lastStaying) end.push(item);
    else getOrInsert(followers, anchor, () => []).push(item);
  }
  return [
    ...(followers.get(undefined) ?? []),
    ...[...staying].flatMap(([id, item]) => [item, ...(followers.get(id) ?? [])]),
    ...end,
  ];
}

/** Resolves places in documents, with a cache of the ids of lists. */
export class LookUp {
  readonly #idCache: KnownIds = new Map();

  constructor(private readonly rules: Rules) {}

  /** Resolves a path as far as it exists. */
  find(document: Json, segments: readonly PathSegment[]): Resolved | undefined {
    return find(document, segments, this.rules, this.#idCache);
  }

  /**
   * The place of a path, with ids; `undefined` if nothing is there. `resolved` is the resolved path, if the caller has it
   * already: only the part of the path that exists counts.
   */
  place(
    document: Json,
    segments: readonly PathSegment[],
    resolved = resolve(document, segments, this.rules, this.#idCache),
  ): ResolvedStep[] | undefined {
    let node = document;
    return resolved?.steps.map((step, depth) => {
      const above = resolved.steps.slice(0, depth);
      const hasId = Array.isArray(node) && this.#idsOf(node, above) !== undefined;
      node = isTree(node) ? childOf(node, step) : null;
      return { step, id: hasId ? idOf(node, idKeysAt(above, this.rules)) : undefined };
    });
  }

  /** The value at the place of an entry, and its path; `undefined` if nothing is there. */
  at(document: Json, place: readonly Token[]): { path: Step[]; value: Json } | undefined {
    const path: Step[] = [];
    let value = document;
    for (const token of place) {
      const list = Array.isArray(value) ? value : undefined;
      const ids = list && typeof token === "object" ? this.#idsOf(list, path) : undefined;
      const step = typeof token === "object" ? ids?.get(token.id) : token;
      if (step === undefined || !isTree(value)) return undefined;
      // An index leads into a list only, a key into an object only.
      if ((list !== undefined) !== (typeof step === "number") || !Object.hasOwn(value, step)) return undefined;
      value = childOf(value, step);
      path.push(step);
    }
    return { path, value };
  }

  /** The index of each id in a list; `undefined` unless all items have different ids. */
  #idsOf(list: readonly Json[], path: readonly Step[]): Map<string, number> | undefined {
    const ids = idsIn(list, path, this.rules, this.#idCache);
    return ids.size === list.length ? ids : undefined;
  }
}

/** Cache of {@link idsOf} for frozen lists, which do not change. */
const idsOfFrozen = new WeakMap<readonly Json[], { keys: IdKeys; ids: readonly string[] | undefined }>();

/** The ids of all items; `undefined` unless all items have different ids. */
function idsOf(list: readonly Json[], keys: IdKeys): readonly string[] | undefined {
  const cached = idsOfFrozen.get(list);
  if (cached?.keys === keys) return cached.ids;
  const itemIds = list.map((item) => idOf(item, keys));
  const ids = itemIds.every(isText) && new Set(itemIds).size === itemIds.length ? itemIds : undefined;
  if (Object.isFrozen(list)) idsOfFrozen.set(list, { keys, ids });
  return ids;
}
