/** `EventSubscriptions`: the subscriptions of a store, found by instance and path. */
import { getOrInsert } from "../core/kinds.js";
import { type Listener, Listeners } from "../core/listeners.js";
import { idKeysAt, idOf, idsIn, isBelowItem, type KnownIds, resolve, type Segments } from "../core/resolve.js";
import type { Change, Json, PathSegment, Rules, StoreEvent } from "../types.js";

/** An event, with the data that {@link EventSubscriptions.dataNeededFor} asks for. */
export interface EventInContext {
  event: StoreEvent;
  /** For each change: the ids of the items on its path. */
  ids?: readonly Ids[] | undefined;
  before?: Json | undefined;
  after?: Json | undefined;
}

type Subscriber = Listener<EventInContext>;
type Ids = readonly (string | undefined)[];

const isIndex = (step: string | number) => typeof step === "number";
const isInList = (change: Change) => change.path.some(isIndex) || (change.kind === "move" && change.from.some(isIndex));

/** Subscribers are kept in trees of paths, so that a change visits only subscribers whose path it may concern. */
export class EventSubscriptions extends Listeners<EventInContext> {
  /** By instance. Subscribers to all instances are under `undefined`. */
  readonly #trees = new Map<string | undefined, SubscriberTree>();

  /** The rules of an instance decide which property is the id of an item. */
  constructor(private readonly rules: (name: string) => Rules) {
    super();
  }

  /**
   * The data that the search for the subscribers of changes needs: nothing, the ids on their paths, or, if an id may move to another
   * item, the snapshots before and after.
   */
  dataNeededFor(name: string, changes: readonly Change[]): "nothing" | "ids" | "snapshots" {
    if (!this.#trees.get(undefined)?.hasIds && !this.#trees.get(name)?.hasIds) return "nothing";
    const inLists = changes.filter(isInList);
    if (inLists.length === 0) return "nothing";
    return inLists.every(isBelowItem) ? "ids" : "snapshots";
  }

  listen(listener: (event: StoreEvent) => void, instance: string | undefined, segments: Segments = []): () => void {
    const tree = getOrInsert(this.#trees, instance, () => new SubscriberTree());
    const subscriber = this.add((notice) => listener(notice.event));
    tree.add(subscriber, segments);
    return () => {
      if (!this.remove(subscriber)) return;
      tree.remove(subscriber, segments);
      if (tree.isEmpty) this.#trees.delete(instance);
    };
  }

  protected override listenersOf(notice: EventInContext): Iterable<Subscriber> {
    const found = new Set<Subscriber>();
    const { instance_name: name } = notice.event;
    for (const tree of [this.#trees.get(undefined), this.#trees.get(name)]) {
      // The rules matter only for paths with ids: without them, any will do.
      tree?.find(notice, found, tree.hasIds ? this.rules(name) : "ui");
    }
    return [...found].sort((a, b) => a.number - b.number);
  }

  override clear(): void {
    super.clear();
    this.#trees.clear();
  }
}

/** A path of subscribers, and the paths below it by their next segment. */
class Place {
  readonly subscribers = new Set<Subscriber>();
  readonly keys = new Map<string, Place>();
  readonly ids = new Map<string, Place>();
  readonly indexes = new Map<string, Place>();
  readonly end = new Map<string, Place>();

  get isEmpty(): boolean {
    return this.subscribers.size === 0 && this.children().next().done === true;
  }

  /** The places one segment below. */
  *children(): Generator<Place> {
    for (const kind of [this.keys, this.ids, this.indexes, this.end]) yield* kind.values();
  }

  /** The map that has the place below for a segment, and its key there. The segment `-`, after the last item, has the key "". */
  edge(segment: PathSegment): { places: Map<string, Place>; key: string } {
    if ("key" in segment) return { places: this.keys, key: segment.key };
    if ("id" in segment) return { places: this.ids, key: segment.id };
    return "index" in segment ? { places: this.indexes, key: String(segment.index) } : { places: this.end, key: "" };
  }
}

/** Removes a subscriber, and the places that are empty without it. */
function removeFrom(place: Place, subscriber: Subscriber, [segment, ...rest]: Segments): void {
  if (segment === undefined) return void place.subscribers.delete(subscriber);
  const { places, key } = place.edge(segment);
  const child = places.get(key);
  if (child === undefined) return;
  removeFrom(child, subscriber, rest);
  if (child.isEmpty) places.delete(key);
}

/** The subscribers to one instance, or to all. */
class SubscriberTree extends Place {
  /** Subscribers whose path has an id: the id may move to another item. */
  readonly #byId = new Map<Subscriber, Segments>();

  get hasIds(): boolean {
    return this.#byId.size > 0;
  }

  add(subscriber: Subscriber, segments: Segments): void {
    let place: Place = this;
    for (const segment of segments) {
      const { places, key } = place.edge(segment);
      place = getOrInsert(places, key, () => new Place());
    }
    place.subscribers.add(subscriber);
    if (segments.some((segment) => "id" in segment)) this.#byId.set(subscriber, segments);
  }

  remove(subscriber: Subscriber, segments: Segments): void {
    removeFrom(this, subscriber, segments);
    this.#byId.delete(subscriber);
  }

  find({ event, ids, before, after }: EventInContext, found: Set<Subscriber>, rules: Rules): void {
    const { type, changes } = event;
    const search = new Search(found, rules, changes.length > 1);
    if (type !== "change") return void search.addFrom(this);
    search.addAt(this);
    for (const [index, change] of changes.entries()) {
      for (const path of change.kind === "move" ? [change.from, change.path] : [change.path]) {
        // Once, if both are the same snapshot or none is needed.
        for (const snapshot of new Set([before, after])) search.along(this, path, change.kind, snapshot, ids?.[index]);
      }
    }
    search.addShifted();
    // An id moves to another item when its property changes (these are the names of id properties under any rules), or when one call
    // inserts and removes several items: an index then counts in the list between two changes, and fits neither snapshot.
    // Subscribers by id are therefore compared by what they resolve to, before and after.
    const mayMoveIds = ({ kind, path }: Change) =>
      (kind !== "set" && changes.length > 1) || /^(id|key|value)$/.test(`${path.at(-1)}`);
    if (before === after || !changes.some(isInList) || !changes.some(mayMoveIds)) return;
    const valueIn = (snapshot: Json | undefined, segments: Segments) =>
      snapshot !== undefined && resolve(snapshot, segments, rules, search.known)?.value;
    for (const [subscriber, segments] of this.#byId) {
      if (!found.has(subscriber) && valueIn(before, segments) !== valueIn(after, segments)) found.add(subscriber);
    }
  }
}

/** Finds the subscribers at, above and below the paths of changes. */
class Search {
  /** Places all of whose subscribers are found, with those below. */
  readonly #done = new Set<Place>();
  /** Lists in which items were inserted or removed, and the first index at which that happened. */
  readonly #shifted = new Map<Place, number>();
  /** A cache of the ids in lists. */
  readonly known: KnownIds = new Map();

  constructor(
    private readonly found: Set<Subscriber>,
    private readonly rules: Rules,
    private readonly hasSeveralChanges: boolean,
  ) {}

  addAt(place: Place): void {
    for (const subscriber of place.subscribers) this.found.add(subscriber);
  }

  /** Adds the subscribers at a place and below it. */
  addFrom(place: Place): void {
    if (this.#done.has(place)) return;
    this.#done.add(place);
    this.addAt(place);
    for (const child of place.children()) this.addFrom(child);
  }

  /**
   * Follows the path of a change through the tree of places and the snapshot `node`: adds the subscribers above its end, at it
   * and below it. `ids`: the ids on the path, if they are known without a snapshot.
   */
  along(
    place: Place,
    path: Change["path"],
    kind: Change["kind"],
    node: Json | undefined,
    ids: Ids | undefined,
    depth = 0,
  ): void {
    if (this.#done.has(place)) return;
    const step = path[depth];
    if (step === undefined) return void this.addFrom(place);
    this.addAt(place);
    const isList = typeof step === "number";
    // An item that is inserted or removed moves the items after it.
    if (isList && kind !== "set" && depth === path.length - 1 && place.indexes.size > 0) {
      this.#shifted.set(place, Math.min(this.#shifted.get(place) ?? step, step));
    }
    const value =
      typeof node === "object" && node !== null ? (node as Record<string | number, Json | undefined>)[step] : undefined;
    const name = String(step);
    const next = [place.keys.get(name), place.indexes.get(name), place.end.get("")];
    if (place.ids.size > 0) {
      const id = ids?.[depth];
      if (!isList) next.push(place.ids.get(name));
      else if (ids === undefined) next.push(this.#item(place, node, step, path.slice(0, depth)));
      else if (id !== undefined) next.push(place.ids.get(id));
    }
    for (const child of next) if (child !== undefined) this.along(child, path, kind, value, ids, depth + 1);
  }

  /** The place for the id of an item, if the item is the first one with this id. */
  #item(place: Place, list: Json | undefined, index: number, path: Change["path"]): Place | undefined {
    if (!Array.isArray(list)) return undefined;
    const keys = idKeysAt(path, this.rules);
    const id = idOf(list[index], keys);
    const child = id === undefined ? undefined : place.ids.get(id);
    if (id === undefined || child === undefined) return undefined;
    // For a single change, a search costs less than a map of all ids.
    const first = this.hasSeveralChanges
      ? idsIn(list, path, this.rules, this.known).get(id)
      : list.findIndex((item) => idOf(item, keys) === id);
    return first === index ? child : undefined;
  }

  /** Adds the subscribers to indexes at or after the first item that was inserted or removed. */
  addShifted(): void {
    for (const [place, first] of this.#shifted) {
      for (const [index, next] of place.indexes) if (Number(index) >= first) this.addFrom(next);
    }
  }
}
