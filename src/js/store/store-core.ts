/** `StoreCore`, the inside of a `PatchStore`: the module's store, the snapshots that follow it, and its events. */
import { GenuiPatchError, type Refused, RefusedError, refusal } from "../core/errors.js";
import { toText } from "../core/json.js";
import { obtain } from "../core/kinds.js";
import { applied } from "../core/mirror.js";
import type { Handle } from "../core/module.js";
import { readPath, toStep } from "../core/path.js";
import { FLAG, FUNCTION, OBJECT, requireKind, requireOptions, requireText, TEXT } from "../core/require.js";
import { resolve } from "../core/resolve.js";
import { storeModule } from "../core/store-module.js";
import { readsDifferently, wellFormed } from "../core/surrogates.js";
import { deepFreeze } from "../core/tree.js";
import { equal } from "../diff/equal.js";
import { limits as defaults } from "../generated/facts.js";
import type { RawStore } from "../generated/store.js";
import type {
  Change,
  CriteriaFunctions,
  Json,
  Limits,
  OptimisticResult,
  PatchError,
  PatchResult,
  PatchStoreOptions,
  PendingCall,
  Rules,
  StoreEvent,
} from "../types.js";
import { Batch, Instance } from "./batch.js";
import { Drafts } from "./drafts.js";
import { Events, type Notice } from "./events.js";
import { NONE, type Reply, type Rest, readReply, toReply } from "./reply.js";

type EventDetails = {
  [key in keyof Omit<StoreEvent, "type" | "instance_name" | "origin">]?: StoreEvent[key] | undefined;
};

type Origin = StoreEvent["origin"];
/** A call of the module with a text of so many bytes, the instance that it is about, and how long the text may be. */
export type Sender = (raw: RawStore, bytes: number) => number;
type About = { name?: string | undefined; most?: number };

type ChangeDetails = EventDetails & Pick<StoreEvent, "changes" | "revision">;

/** Parts of a store's public methods stand in files of their own and work on this. */
export class StoreCore {
  readonly handle: Handle<RawStore>;
  readonly instances = new Map<string, Instance>();
  readonly events = new Events((name) => this.rules(name));
  readonly drafts = new Drafts();
  readonly #batch = new Batch();
  readonly freeze: boolean;
  /** Whether limits other than the defaults hold, by which even a small call may be refused. */
  readonly limited: boolean;
  readonly limits: Limits;
  readonly functions: CriteriaFunctions;
  active: string | null = null;
  /** How many calls are pending, by instance. */
  readonly #counts = new Map<string, number>();
  /** What was answered last, and when: the next answer takes what is still so. `undefined` stands for all instances. */
  readonly #lists = new Map<string | undefined, { list: PendingCall[]; turn: number }>();
  /** How often the queues have changed. */
  #turn = 0;
  /** What is confirmed of instances with pending calls, as far as it is known here. */
  readonly #confirmed = new Map<string, Json | undefined>();
  /** In a page, documents as they were first loaded or restored, and the calls that were pending then. */
  readonly #first = new Map<string, Json>();
  readonly #firstPending = new Map<string | undefined, PendingCall[]>();
  /** Hears of an instance of which nothing visible has changed, but perhaps what is confirmed. */
  onBeneath: (name: string) => void = () => {};

  constructor(
    private readonly options: PatchStoreOptions,
    saved: string | undefined,
  ) {
    const text = readOptions(options);
    this.freeze = options.freeze ?? true;
    this.limited = options.limits !== undefined;
    this.limits = { ...defaults, ...options.limits };
    this.functions = { ...options.criteria };
    if (saved !== undefined && saved.length > 2 * this.limits.maxDocumentBytes)
      throw new GenuiPatchError("LIMIT_EXCEEDED", "The saved text is longer than two documents may be.");
    this.handle = storeModule.make((glue) =>
      saved === undefined
        ? new glue.RawStore(storeModule.send(text))
        : glue.RawStore.restore(text, storeModule.send(saved)),
    );
    if (saved !== undefined) this.#take(saved);
  }

  /** Brings a new store up to what its module has read from a saved text. */
  #take(saved: string): void {
    type Saved = { name: string; revision: number; document?: Json; pending?: unknown[] };
    const known = JSON.parse(saved) as { active: string | null; instances: Saved[] };
    const differs = readsDifferently(saved);
    for (const { name, revision, document, pending } of known.instances) {
      if (pending !== undefined) this.#counts.set(wellFormed(name), pending.length);
      if (pending === undefined && document !== undefined && !differs) this.put(wellFormed(name), document, revision);
      else if (this.#slot(name) !== NONE) this.put(wellFormed(name), this.document(name), revision);
    }
    this.active = known.active === null ? null : wellFormed(known.active);
    for (const name of this.instances.keys()) this.keepFirst(name);
    if (isInPage() && this.#counts.size > 0) this.#firstPending.set(undefined, this.pending(undefined));
  }

  /** Keeps an instance that was loaded as it is now, until it is deleted: snapshots share what does not change. */
  keepFirst(name: string): void {
    const snapshot = this.instances.get(name)?.snapshot;
    if (isInPage() && snapshot !== undefined) this.#first.set(name, snapshot);
  }

  /** What a server has rendered of an instance, or of a place in it; outside of pages what is there now. */
  first(name: string, path: string | undefined): Json | undefined {
    const document = this.#first.get(wellFormed(name));
    if (document === undefined) return path === undefined ? this.snapshot(name) : this.get(name, path);
    return path === undefined ? document : resolve(document, readPath("get", path), this.rules(name), new Map())?.value;
  }

  /** The calls that were pending when the store was made; outside of pages those that are now. */
  firstPending(name: string | undefined): PendingCall[] {
    if (!isInPage()) return this.pending(name);
    return obtain(this.#firstPending, name, () => {
      const all = this.#firstPending.get(undefined) ?? NO_CALLS;
      return all.length === 0 ? NO_CALLS : all.filter(({ instance_name }) => instance_name === name);
    });
  }

  /** An instance. A half of a surrogate pair in a name is U+FFFD in the module, so it is here. */
  find(name: string): Instance | undefined {
    this.handle.check();
    const instance = this.instances.get(name) ?? this.instances.get(wellFormed(name));
    if (instance !== undefined && this.#batch.depth > 0) this.#batch.settle(instance);
    return instance;
  }

  names(): string[] {
    this.handle.check();
    return [...this.instances.keys()];
  }

  snapshot(name: string): Json | undefined {
    return this.find(name)?.snapshot;
  }

  get(name: string, path: string): Json | undefined {
    const instance = this.find(name);
    const segments = readPath("get", path);
    if (instance === undefined || "end" in (segments.at(-1) as object)) return undefined;
    if (!segments.some((segment) => "id" in segment)) return instance.at(segments.map(toStep));
    const place = this.ask<(string | number)[] | null>((raw) => raw.resolve(storeModule.sendNamed(name, path)));
    return place === null ? undefined : instance.at(place);
  }

  holds(name: string, condition: string): boolean | PatchError {
    return this.ask((raw) => raw.holds(storeModule.sendNamed(name, condition)));
  }

  /** What is shown of an instance. Refuses a name that is none, with the names that were perhaps meant. */
  shown(name: string): Json {
    const snapshot = this.snapshot(name);
    if (snapshot !== undefined) return snapshot;
    if (name === "__CREATE__" || name === "__DELETE__" || name === "") {
      const about = { instance_name: name, available_instances: this.names().slice(0, 100) };
      throw refusal("INVALID_INSTANCE", `"${name}" is no instance.`, "Send the name of an instance.", undefined, about);
    }
    // A call without patches changes nothing, and is refused with those names.
    throw new RefusedError(this.apply({ instance_name: name, patches: [] }) as Refused);
  }

  /** The rules that an instance is under: as it is shown, or as it is confirmed. */
  rules(name: string, view: "shown" | "confirmed" = "shown"): Rules {
    return this.handle.call((raw) => raw.is_open(storeModule.send(name), view === "confirmed")) ? "open" : "ui";
  }

  document(name: string): Json {
    return this.ask((raw) => raw.document(storeModule.send(name)));
  }

  #slot(name: string): number {
    return this.handle.call((raw) => raw.slot(storeModule.send(name)));
  }

  ask<Answer>(call: (raw: RawStore) => number): Answer {
    return this.handle.call((raw) => storeModule.receiveJson<Answer>(call(raw)));
  }

  /** Holds a new document. */
  put(name: string, snapshot: Json, revision: number): void {
    this.#batch.note(name, this.instances.get(name));
    if (this.freeze) deepFreeze(snapshot);
    this.instances.set(name, new Instance(name, this.#slot(name), revision, snapshot, this.freeze));
  }

  /** Refuses a text before it is copied: it has at least as many bytes of UTF-8 as units. The module counts those. */
  refuseLong(text: string, max = this.limits.maxCallBytes): Refused | undefined {
    if (text.length <= max) return undefined;
    return refusal("LIMIT_EXCEEDED", `The text has more than ${max} bytes, which is the limit.`, "Send less at once.")
      .answer;
  }

  /** What applying a call would answer if nothing were pending. Nothing changes. */
  preview(call: string): PatchResult {
    const refused = this.refuseLong(call);
    if (refused !== undefined) return refused;
    return this.handle.call((raw) => readReply(raw.preview(storeModule.send(call)))).result;
  }

  /** A store of one document, with these options: for what calls would do to it. */
  apart(name: string, document: Json | undefined, rules: Rules): StoreCore {
    const instances = document === undefined ? [] : [{ name, rules, revision: 1, document }];
    return new StoreCore(this.options, JSON.stringify({ "genui-patch": 1, active: null, instances }));
  }

  hasPending(name: string): boolean {
    return this.#counts.has(name);
  }

  /** Makes edits that are no call's, all or none. */
  edit(name: string, changes: readonly Change[], origin: Origin): PatchResult {
    return this.run(origin, (raw) => raw.edit(storeModule.sendNamed(name, JSON.stringify(changes))));
  }

  apply(call: unknown, origin: Origin = "apply"): PatchResult {
    return this.send("call", call, origin, (raw, bytes) => raw.apply(bytes));
  }

  applyOptimistic(call: unknown): OptimisticResult {
    return this.send("call", call, "optimistic", (raw, bytes) => raw.apply_optimistic(bytes));
  }

  /** Sends a value, or its JSON text. */
  send(what: string, sent: unknown, origin: Origin, call: Sender, { name, most }: About = {}): PatchResult {
    const text = typeof sent === "string" ? sent : toText(sent, what);
    this.handle.check();
    const refused = this.refuseLong(text, most);
    if (refused !== undefined) return name === undefined ? refused : { ...refused, instance_name: name };
    const put = () => (name === undefined ? storeModule.send(text) : storeModule.sendNamed(name, text));
    return this.run(origin, (raw) => call(raw, put()));
  }

  run(origin: Origin, call: (raw: RawStore) => number, reason?: string): PatchResult {
    const reply = this.handle.call((raw) => readReply(call(raw)));
    this.follow(reply, origin, reason);
    return reply.result;
  }

  follow(reply: Reply, origin: Origin, reason?: string): void {
    const { instance_name: name, changes, revision } = reply.result;
    if (name === undefined || changes === undefined || revision === undefined) return;
    if (changes.length === 0 && reply.rest === undefined) return;
    this.events.hold();
    try {
      this.#takeIn(name, { changes, revision, reason }, reply.rest, origin);
    } finally {
      this.events.release();
    }
  }

  #takeIn(name: string, told: ChangeDetails, rest: Reply["rest"], origin: Origin): void {
    const { changes, revision } = told;
    const instance = this.instances.get(name);
    if (rest?.hasPending) {
      this.#batch.noteQueue(name, this.#counts.get(name) ?? 0, rest.more);
      this.#note(name, rest, origin, this.find(name));
    }
    if (changes.length > 0) this.change(name, instance, told, origin);
    else if (rest?.pendingChanged) this.tell("pending", name, told, origin);
    else if (rest?.hasPending) this.onBeneath(name);
    if (rest === undefined) return;
    if (rest.activated && this.instances.has(name)) this.activate(name, origin);
    if (rest.highlight) this.tell("highlight", name, { revision, highlight: rest.highlight }, origin);
    if (rest.other) this.follow(toReply(rest.other), origin);
  }

  sent(pendingId: string): void {
    requireText("sent", "pendingId", pendingId);
    const isIt = (pending: PendingCall) => pending.pendingId === pendingId;
    // Whichever list it stands in: its instance stays the same.
    const call = this.#lists.get(undefined)?.list.find(isIt) ?? this.pending(undefined).find(isIt);
    if (call === undefined || !this.handle.call((raw) => raw.sent(storeModule.send(pendingId)))) return;
    this.#turn += 1;
    const { instance_name: name } = call;
    this.tell("pending", name, { revision: this.find(name)?.revision ?? 0 }, "optimistic");
  }

  pending(name: string | undefined): PendingCall[] {
    this.handle.check();
    const known = this.#lists.get(name);
    if (known?.turn === this.#turn) return known.list;
    const now = this.ask<PendingCall[]>((raw) =>
      name === undefined ? raw.all_pending() : raw.pending(storeModule.send(name)),
    );
    const list = keptCalls(known?.list ?? NO_CALLS, now);
    deepFreeze(list as unknown as Json);
    this.#lists.set(name, { list, turn: this.#turn });
    return list;
  }

  confirmed(name: string): Json | undefined {
    const snapshot = this.find(name)?.snapshot;
    if (!this.#counts.has(name)) return snapshot;
    if (!this.#confirmed.has(name)) {
      const back = this.handle.call((raw) => readReply(raw.back(storeModule.send(name)))).result as PatchResult | null;
      this.#confirmed.set(name, back === null ? undefined : applied(snapshot, back.changes ?? [], this.freeze));
    }
    return this.#confirmed.get(name);
  }

  /** Takes in what a call comes to, before it changes the instance. */
  #note(name: string, rest: Rest, origin: Origin, instance: Instance | undefined): void {
    const count = this.#counts.get(name) ?? 0;
    this.#turn += 1;
    if (count === 0 && origin === "optimistic" && instance?.isMade) this.#confirmed.set(name, instance.snapshot);
    const gone = count - rest.pending;
    // More calls gone than the one refused, or one confirmed: some may have joined what is confirmed.
    const beneath =
      origin !== "optimistic" && !(origin === "reject" && gone === 1) && !(origin === "confirm" && gone === 0);
    if (rest.pending === 0) {
      this.#counts.delete(name);
      this.#confirmed.delete(name);
      this.#lists.delete(name);
      if (this.#counts.size === 0) this.#lists.clear();
    } else {
      this.#counts.set(name, rest.pending);
      if (beneath) this.#confirmed.delete(name);
    }
  }

  change(name: string, instance: Instance | undefined, told: ChangeDetails, origin: Origin): void {
    const { changes, revision } = told;
    if (instance === undefined) {
      this.put(name, applied(undefined, changes, this.freeze) as Json, revision);
      this.tell("create", name, told, origin);
      return;
    }
    const needed = this.events.needed(name, changes);
    const whole = changes.some(({ path }) => path.length === 0);
    // A batch tells of many changes at once, between which ids may go to other items.
    const looks = whole || needed === "snapshots" || (needed === "ids" && this.#batch.depth > 0);
    const before = looks ? this.find(name)?.snapshot : undefined;
    this.#batch.apply(instance, changes);
    instance.revision = revision;
    const after = looks ? this.find(name)?.snapshot : undefined;
    if (!looks || after !== undefined) {
      const rules = needed === "ids" && !looks ? this.rules(name) : undefined;
      const ids = rules && changes.map(({ path }) => instance.idsAlong(path, rules));
      this.tell("change", name, told, origin, { before, after, ids });
      return;
    }
    this.instances.delete(name);
    this.#first.delete(name);
    this.tell("delete", name, told, origin);
    if (this.active === name) this.activate(null, origin);
  }

  batch(run: () => void): void {
    this.#batch.depth += 1;
    try {
      run();
    } finally {
      this.#batch.depth -= 1;
      if (this.#batch.depth === 0) {
        this.events.hold();
        const pending = (name: string) => (this.events.wanted ? this.pending(name) : []);
        for (const notice of this.#batch.flush(this.instances, pending)) this.events.tell(notice);
        this.events.release();
      }
    }
  }

  tell(
    type: StoreEvent["type"],
    name: string,
    told: EventDetails,
    origin: Origin,
    around?: Omit<Notice, "event">,
  ): void {
    if (!this.events.wanted) return;
    const { changes = [], revision = 0, proposalId, highlight, reason } = told;
    const event: StoreEvent = { type, instance_name: name, changes, revision, origin };
    if (proposalId !== undefined) event.proposalId = proposalId;
    if (highlight !== undefined) event.highlight = highlight;
    if (reason !== undefined) event.reason = reason;
    const notice = { event, ...around };
    if (this.#batch.depth > 0) this.#batch.take(notice);
    else this.events.tell(notice);
  }

  dispose(): void {
    this.handle.dispose();
    const own = [
      this.instances,
      this.events,
      this.#counts,
      this.#lists,
      this.#confirmed,
      this.#first,
      this.#firstPending,
    ];
    for (const known of own) known.clear();
  }

  show(name: string | null): void {
    this.handle.call((raw) => (name === null ? raw.clear_active() : raw.set_active(storeModule.send(name))));
    this.activate(name === null ? null : wellFormed(name), "apply");
  }

  activate(name: string | null, origin: Origin): void {
    if (this.active === name) return;
    this.active = name;
    const revision = name === null ? 0 : (this.find(name)?.revision ?? 0);
    this.tell("active", name ?? "", { revision }, origin);
  }
}

const NO_CALLS: PendingCall[] = [];

/** A server renders what a store holds at that moment, and keeps no second copy of it. */
const isInPage = (): boolean => "document" in globalThis;

/** A list in which calls that are as they were are the same objects; the list before it, if all of them are. */
function keptCalls(before: PendingCall[], now: PendingCall[]): PendingCall[] {
  const known = new Map(before.map((call) => [call.pendingId, call]));
  const list = now.map((call) => {
    const own = known.get(call.pendingId);
    return own !== undefined && equal(own as unknown as Json, call as unknown as Json) ? own : call;
  });
  return list.length === before.length && list.every((call, place) => call === before[place]) ? before : list;
}

function readOptions(options: PatchStoreOptions): string {
  requireKind("PatchStore", "options", options, OBJECT);
  // Functions stay on this side.
  const { freeze = true, criteria = {}, displayLanguage = "", clientId = drawId(), ...rest } = options;
  const kinds = { freeze: FLAG, clientId: TEXT, displayLanguage: TEXT, criteria: OBJECT };
  requireOptions("PatchStore", { freeze, clientId, displayLanguage, criteria }, kinds);
  for (const [name, check] of Object.entries(criteria))
    requireKind("PatchStore", `criterion "${name}"`, check, FUNCTION);
  return toText({ ...rest, clientId }, "options");
}

/** Random enough that no two stores of one server's clients ever draw the same. */
function drawId(): string {
  return Array.from({ length: 12 }, () => Math.floor(Math.random() * 36).toString(36)).join("");
}
