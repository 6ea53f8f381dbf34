/** The subscriptions of a store: filters, and which listener is told of which event. */
import { obtain } from "../core/kinds.js";
import { type Listener, Listeners } from "../core/listeners.js";
import { idKeysAt, idOf, idsIn, isBelowItem, type KnownIds, resolve, type Segments } from "../core/resolve.js";
import type { Change, Json, PathSegment, Rules, StoreEvent } from "../types.js";

/** An event, with what {@link Events.needed} says. */
export interface Notice {
  event: StoreEvent;
  /** The ids on the way of each change. */
  ids?: readonly Ids[] | undefined;
  before?: Json | undefined;
  after?: Json | undefined;
}

type Member = Listener<Notice>;
type Ids = readonly (string | undefined)[];

const isIndex = (step: string | number) => typeof step === "number";
const isInList = (change: Change) => change.path.some(isIndex) || (change.kind === "move" && change.from.some(isIndex));

/** Who listens to a store: by instance and by place, so that a change asks only those who stand where it is. */
export class Events extends Listeners<Notice> {
  /** By instance; under `undefined` those who listen to all. */
  readonly #interests = new Map<string | undefined, Interests>();

  /** `rules` gives an instance's rules, which say what is an item's id. */
  constructor(private readonly rules: (name: string) => Rules) {
    super();
  }

  /** What finds the listeners of changes: nothing, the ids on the way, or, where ids may move, the snapshots around. */
  needed(name: string, changes: readonly Change[]): "nothing" | "ids" | "snapshots" {
    if (!this.#interests.get(undefined)?.hasIds && !this.#interests.get(name)?.hasIds) return "nothing";
    const inLists = changes.filter(isInList);
    if (inLists.length === 0) return "nothing";
    return inLists.every(isBelowItem) ? "ids" : "snapshots";
  }

  listen(listener: (event: StoreEvent) => void, instance: string | undefined, segments: Segments = []): () => void {
    const known = obtain(this.#interests, instance, () => new Interests());
    const member = this.join((notice) => listener(notice.event));
    known.add(member, segments);
    return () => {
      if (!this.leave(member)) return;
      known.remove(member, segments);
      if (known.isEmpty) this.#interests.delete(instance);
    };
  }

  protected override wanting(notice: Notice): Iterable<Member> {
    const found = new Set<Member>();
    const { instance_name: name } = notice.event;
    for (const interests of [this.#interests.get(undefined), this.#interests.get(name)]) {
      interests?.find(notice, found, interests.hasIds ? this.rules(name) : "ui");
    }
    // In the order in which they came.
    return [...found].sort((a, b) => a.number - b.number);
  }

  override clear(): void {
    super.clear();
    this.#interests.clear();
  }
}

/** A place that somebody may listen at: what leads on from it, by what a segment says. */
class Place {
  readonly members = new Set<Member>();
  readonly keys = new Map<string, Place>();
  readonly ids = new Map<string, Place>();
  readonly indexes = new Map<string, Place>();
  readonly end = new Map<string, Place>();

  get isEmpty(): boolean {
    return this.members.size === 0 && this.below().next().done === true;
  }

  *below(): Generator<Place> {
    for (const kind of [this.keys, this.ids, this.indexes, this.end]) yield* kind.values();
  }

  edge(segment: PathSegment): [Map<string, Place>, string] {
    if ("key" in segment) return [this.keys, segment.key];
    if ("id" in segment) return [this.ids, segment.id];
    return "index" in segment ? [this.indexes, String(segment.index)] : [this.end, ""];
  }
}

/** Takes a listener away, and the places that are empty without it. */
function remove(place: Place, member: Member, [segment, ...rest]: Segments): void {
  if (segment === undefined) return void place.members.delete(member);
  const [kind, name] = place.edge(segment);
  const next = kind.get(name) as Place;
  remove(next, member, rest);
  if (next.isEmpty) kind.delete(name);
}

/** Those who listen to one instance, or to all. */
class Interests extends Place {
  /** Those whose place an id leads to: it may go to another item. */
  readonly #byId = new Map<Member, Segments>();

  get hasIds(): boolean {
    return this.#byId.size > 0;
  }

  add(member: Member, segments: Segments): void {
    let place: Place = this;
    for (const segment of segments) place = obtain(...place.edge(segment), () => new Place());
    place.members.add(member);
    if (segments.some((segment) => "id" in segment)) this.#byId.set(member, segments);
  }

  remove(member: Member, segments: Segments): void {
    remove(this, member, segments);
    this.#byId.delete(member);
  }

  find({ event, ids, before, after }: Notice, found: Set<Member>, rules: Rules): void {
    const { type, changes } = event;
    const search = new Search(found, rules, changes.length > 1);
    if (type !== "change") return void search.all(this);
    search.here(this);
    for (const [index, change] of changes.entries()) {
      for (const path of change.kind === "move" ? [change.from, change.path] : [change.path]) {
        for (const snapshot of new Set([before, after])) search.along(this, path, change.kind, snapshot, ids?.[index]);
      }
    }
    search.shifted();
    // An id may go to another item; and where items come and go, an index between the first and the last change may be one
    // of neither snapshot.
    const shifts = ({ kind, path }: Change) =>
      (kind !== "set" && changes.length > 1) || /^(id|key|value)$/.test(`${path.at(-1)}`);
    if (before === after || !changes.some(isInList) || !changes.some(shifts)) return;
    const at = (snapshot: Json | undefined, segments: Segments) =>
      snapshot !== undefined && resolve(snapshot, segments, rules, search.known)?.value;
    for (const [member, segments] of this.#byId) {
      if (!found.has(member) && at(before, segments) !== at(after, segments)) found.add(member);
    }
  }
}

/** Who stands at, above or below the places of changes. */
class Search {
  /** Places of which all below are found. */
  readonly #done = new Set<Place>();
  /** Places of lists of which items came or went: the first index of these. */
  readonly #shifted = new Map<Place, number>();
  readonly known: KnownIds = new Map();

  constructor(
    private readonly found: Set<Member>,
    private readonly rules: Rules,
    private readonly several: boolean,
  ) {}

  here(place: Place): void {
    for (const member of place.members) this.found.add(member);
  }

  all(place: Place): void {
    if (this.#done.has(place)) return;
    this.#done.add(place);
    this.here(place);
    for (const below of place.below()) this.all(below);
  }

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
    if (step === undefined) return void this.all(place);
    this.here(place);
    const isList = typeof step === "number";
    // An item that comes or goes moves those behind it.
    if (isList && kind !== "set" && depth === path.length - 1 && place.indexes.size > 0) {
      const known = this.#shifted.get(place);
      this.#shifted.set(place, Math.min(known ?? step, step));
    }
    const item =
      typeof node === "object" && node !== null ? (node as Record<string | number, Json | undefined>)[step] : undefined;
    const name = String(step);
    const next = [place.keys.get(name), place.indexes.get(name), place.end.get("")];
    if (place.ids.size > 0) {
      const id = ids?.[depth];
      if (!isList) next.push(place.ids.get(name));
      else if (ids === undefined) next.push(this.#item(place, node, step, path.slice(0, depth)));
      else if (id !== undefined) next.push(place.ids.get(id));
    }
    for (const below of next) if (below !== undefined) this.along(below, path, kind, item, ids, depth + 1);
  }

  /** Where the id of an item leads on, if it is the first one that has it. */
  #item(place: Place, list: Json | undefined, index: number, path: Change["path"]): Place | undefined {
    if (!Array.isArray(list)) return undefined;
    const keys = idKeysAt(path, this.rules);
    const id = idOf(list[index], keys);
    const below = id === undefined ? undefined : place.ids.get(id);
    if (id === undefined || below === undefined) return undefined;
    // Of one change a walk costs less than a map of all ids.
    const first = this.several
      ? idsIn(list, path, this.rules, this.known).get(id)
      : list.findIndex((item) => idOf(item, keys) === id);
    return first === index ? below : undefined;
  }

  /** Those behind items that came or went. */
  shifted(): void {
    for (const [place, first] of this.#shifted) {
      for (const [index, below] of place.indexes) if (Number(index) >= first) this.all(below);
    }
  }
}
