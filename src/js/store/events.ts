/** `EventSubscriptions`: the subscriptions of a store, found by instance and path. */
import { getOrInsert } from "../core/kinds.js";
import { type Listener, Listeners } from "../core/listeners.js";
import { idKeysAt, idOf, idsIn, type KnownIds, keepsItemIds, resolve, type Segments } from "../core/resolve.js";
import type { Change, Json, PathSegment, Rules, StoreEvent } from "../types.js";

/** An event, with the data that {@link EventSubscriptions.dataNeededFor} asks for. */
export interface EventInContext {
  event: StoreEvent;
  /** For each change: the ids of the items on its path. */
  ids?: readonly Ids[] | undefined;
  /** The snapshots before and after the event. */
  before?: Json | undefined;
  after?: Json | undefined;
}

type Subscriber = Listener<EventInContext>;
/** For each step of a path: the id of the item, if it is the first item of its list with this id. */
type Ids = readonly (string | undefined)[];

const isIndex = (step: string | number) => typeof step === "number";
const isInList = (change: Change) => change.path.some(isIndex) || (change.kind === "move" && change.from.some(isIndex));

/** Subscribers are kept in trees of their paths, so that a change visits only subscribers whose path it may concern. */
export class EventSubscriptions extends Listeners<EventInContext> {
  /** By instance. Subscribers to all instances are under `undefined`. */
  readonly #trees = new Map<string | undefined, SubscriberTree>();

  /** The rules of an instance decide which property is the id of an item. */
  constructor(private readonly rules: (name: string) => Rules) {
    super();
  }

  /**
   * The data that the search for the subscribers of changes needs: nothing, the ids on their paths, or, if an id may move to
   * another item, the snapshots before and after.
   */
  dataNeededFor(name: string, changes: readonly Change[]): "nothing" | "ids" | "snapshots" {
    if (!this.#trees.get(undefined)?.hasIds && !this.#trees.get(name)?.hasIds) return "nothing";
    const listChanges = changes.filter(isInList);
    if (listChanges.length === 0) return "nothing";
    return listChanges.every(keepsItemIds) ? "ids" : "snapshots";
  }

  /**
   * Subscribes to the value at the path `segments`, by default the whole document, of one instance or of all. Returns a function
   * that ends the subscription.
   */
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
    const subscribers = new Set<Subscriber>();
    const { instance_name: name } = notice.event;
    for (const tree of [this.#trees.get(undefined), this.#trees.get(name)]) {
      // The rules matter only for paths with ids: without them, any will do.
      tree?.find(notice, subscribers, tree.hasIds ? this.rules(name) : "ui");
    }
    return [...subscribers].sort((a, b) => a.number - b.number);
  }

  override clear(): void {
    super.clear();
    this.#trees.clear();
  }
}

/**
 * A node in a tree of paths: the subscribers whose path ends here, and the nodes one segment below. There is a map of nodes for
 * each kind of segment, because the same text may be a key, an id or an index.
 */
class PathNode {
  readonly subscribers = new Set<Subscriber>();
  readonly keys = new Map<string, PathNode>();
  readonly ids = new Map<string, PathNode>();
  readonly indexes = new Map<string, PathNode>();
  /** The node for the segment `-`, after the last item, under the key "". */
  readonly end = new Map<string, PathNode>();

  get isEmpty(): boolean {
    return this.subscribers.size === 0 && this.children().next().done === true;
  }

  *children(): Generator<PathNode> {
    for (const nodes of [this.keys, this.ids, this.indexes, this.end]) yield* nodes.values();
  }

  /** The map that has the node one segment below, and its key there. */
  edge(segment: PathSegment): { nodes: Map<string, PathNode>; key: string } {
    if ("key" in segment) return { nodes: this.keys, key: segment.key };
    if ("id" in segment) return { nodes: this.ids, key: segment.id };
    return "index" in segment ? { nodes: this.indexes, key: String(segment.index) } : { nodes: this.end, key: "" };
  }
}

/** Removes a subscriber whose path below `node` has these segments, and the nodes that are empty without it. */
function removeFrom(node: PathNode, subscriber: Subscriber, [segment, ...rest]: Segments): void {
  if (segment === undefined) return void node.subscribers.delete(subscriber);
  const { nodes, key } = node.edge(segment);
  const child = nodes.get(key);
  if (child === undefined) return;
  removeFrom(child, subscriber, rest);
  if (child.isEmpty) nodes.delete(key);
}

/** The subscribers to one instance, or to all: the node of the empty path. */
class SubscriberTree extends PathNode {
  /** Subscribers whose path has an id, with their paths: a change may give the id to another item. */
  readonly #byId = new Map<Subscriber, Segments>();

  /** Whether a subscriber's path has an id. */
  get hasIds(): boolean {
    return this.#byId.size > 0;
  }

  add(subscriber: Subscriber, segments: Segments): void {
    let node: PathNode = this;
    for (const segment of segments) {
      const { nodes, key } = node.edge(segment);
      node = getOrInsert(nodes, key, () => new PathNode());
    }
    node.subscribers.add(subscriber);
    if (segments.some((segment) => "id" in segment)) this.#byId.set(subscriber, segments);
  }

  remove(subscriber: Subscriber, segments: Segments): void {
    removeFrom(this, subscriber, segments);
    this.#byId.delete(subscriber);
  }

  /**
   * Adds the subscribers of an event to `found`. An event that is not about changes concerns all subscribers of the tree; a
   * change concerns those at, above and below its path, and those whose id or index it gives to another item.
   */
  find({ event, ids, before, after }: EventInContext, found: Set<Subscriber>, rules: Rules): void {
    const { type, changes } = event;
    const hasSeveralChanges = changes.length > 1;
    const search = new Search(found, rules, hasSeveralChanges);
    if (type !== "change") return void search.addFrom(this);
    search.addAt(this);
    for (const [index, change] of changes.entries()) {
      for (const path of change.kind === "move" ? [change.from, change.path] : [change.path]) {
        // One search, if both are the same snapshot or none is needed.
        for (const snapshot of new Set([before, after])) search.along(this, path, change.kind, snapshot, ids?.[index]);
      }
    }
    search.addShifted();
    // An id moves to another item when its property changes, or when one call inserts and removes several items: an index then
    // counts in the list between two changes, and fits neither snapshot. Subscribers by id are therefore compared by the values
    // at their paths, before and after. `id`, `key` and `value` are the id properties under any rules.
    const mayMoveIds = ({ kind, path }: Change) =>
      (kind !== "set" && hasSeveralChanges) || /^(id|key|value)$/.test(`${path.at(-1)}`);
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
  /** Nodes whose subscribers are all found, at the node and below it. */
  readonly #finished = new Set<PathNode>();
  /** By the node of a list: the first index at which items were inserted or removed. */
  readonly #firstShifts = new Map<PathNode, number>();
  /** A cache of the ids in lists. */
  readonly known: KnownIds = new Map();

  constructor(
    private readonly found: Set<Subscriber>,
    private readonly rules: Rules,
    private readonly hasSeveralChanges: boolean,
  ) {}

  /** Adds the subscribers at a node. */
  addAt(node: PathNode): void {
    for (const subscriber of node.subscribers) this.found.add(subscriber);
  }

  /** Adds the subscribers at a node and below it. */
  addFrom(node: PathNode): void {
    if (this.#finished.has(node)) return;
    this.#finished.add(node);
    this.addAt(node);
    for (const child of node.children()) this.addFrom(child);
  }

  /**
   * Follows the path of a change from `depth` on, through the tree of subscribers at `node` and a snapshot at `value`: adds the
   * subscribers above the end of the path, at it and below it. The ids of items on the path are `ids`, or else read from `value`.
   */
  along(
    node: PathNode,
    path: Change["path"],
    kind: Change["kind"],
    value: Json | undefined,
    ids: Ids | undefined,
    depth = 0,
  ): void {
    if (this.#finished.has(node)) return;
    const step = path[depth];
    if (step === undefined) return void this.addFrom(node);
    this.addAt(node);
    const isList = typeof step === "number";
    // An item that is inserted or removed moves the items after it.
    if (isList && kind !== "set" && depth === path.length - 1 && node.indexes.size > 0) {
      this.#firstShifts.set(node, Math.min(this.#firstShifts.get(node) ?? step, step));
    }
    const childValue =
      typeof value === "object" && value !== null
        ? (value as Record<string | number, Json | undefined>)[step]
        : undefined;
    const key = String(step);
    // The path of a subscriber may have the key of an object as an index or an id. Any change in a list may concern its end.
    const nextNodes = [node.keys.get(key), node.indexes.get(key), node.end.get("")];
    if (node.ids.size > 0) {
      const id = ids?.[depth];
      if (!isList) nextNodes.push(node.ids.get(key));
      else if (ids === undefined) nextNodes.push(this.#nodeOfItem(node, value, step, path.slice(0, depth)));
      else if (id !== undefined) nextNodes.push(node.ids.get(id));
    }
    for (const child of nextNodes) if (child !== undefined) this.along(child, path, kind, childValue, ids, depth + 1);
  }

  /** The node for the id of an item of `list`, which is at `path`; `undefined` if an earlier item has the same id. */
  #nodeOfItem(node: PathNode, list: Json | undefined, index: number, path: Change["path"]): PathNode | undefined {
    if (!Array.isArray(list)) return undefined;
    const keys = idKeysAt(path, this.rules);
    const id = idOf(list[index], keys);
    const child = id === undefined ? undefined : node.ids.get(id);
    if (id === undefined || child === undefined) return undefined;
    // For a single change, a search costs less than a map of all ids.
    const firstIndex = this.hasSeveralChanges
      ? idsIn(list, path, this.rules, this.known).get(id)
      : list.findIndex((item) => idOf(item, keys) === id);
    return firstIndex === index ? child : undefined;
  }

  /** Adds the subscribers to indexes at or after the first item that was inserted or removed. */
  addShifted(): void {
    for (const [node, firstIndex] of this.#firstShifts) {
      for (const [index, child] of node.indexes) if (Number(index) >= firstIndex) this.addFrom(child);
    }
  }
}
