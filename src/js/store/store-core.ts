/** `StoreCore`: the store in the module, the instances that mirror it, and the events about their changes. */

import { type ReadCatalog, readCatalog } from "../catalog/read.js";
import { GenuiPatchError, type Refused, RefusedError, refusal } from "../core/errors.js";
import { withChecks } from "../core/host-checks.js";
import { toText } from "../core/json.js";
import { applied, type Recorder } from "../core/mirror.js";
import type { Handle } from "../core/module.js";
import { readPath, toStep } from "../core/path.js";
import { storeModule } from "../core/store-module.js";
import { wellFormed } from "../core/surrogates.js";
import { deepFreeze } from "../core/tree.js";
import type { UrlPolicy } from "../core/url.js";
import { limits as defaults } from "../generated/facts.js";
import type { RawStore } from "../generated/store.js";
import type {
  Change,
  CriteriaFunctions,
  HistoryEntry,
  Json,
  Limits,
  OptimisticResult,
  PatchError,
  PatchResult,
  Rules,
  StoreEvent,
} from "../types.js";
import { BY_SERVER, BY_USER } from "./authors.js";
import { Batch } from "./batch.js";
import { Drafts } from "./drafts.js";
import { type EventInContext, EventSubscriptions } from "./events.js";
import { FirstContents } from "./first-contents.js";
import { History } from "./history.js";
import type { Source } from "./history-types.js";
import { internal, type StoreOptions, writeOptions } from "./options.js";
import { PendingCalls } from "./pending-calls.js";
import { type Reply, type Rest, readReply, toReply } from "./reply.js";
import { ShownDocument } from "./shown-document.js";

type Origin = StoreEvent["origin"];
/**
 * The properties of an event that its caller knows, and `by`, the source of the changes (default: {@link defaultSource}).
 * `pendingId` and `drops` are for the history: see `PendingRelation`.
 */
type EventDetails = {
  [key in keyof Omit<StoreEvent, "type" | "instance_name" | "origin" | "author">]?: StoreEvent[key] | undefined;
} & { by?: Source | undefined; pendingId?: string | undefined; drops?: readonly string[] | undefined };
type ChangeDetails = EventDetails & Pick<StoreEvent, "changes" | "revision">;
/** The details of a call's events that are known before the call is made. */
type CallDetails = Pick<EventDetails, "reason" | "by">;

/** Calls an export of the module on the text in its input buffer, which is `bytes` long. Returns the length of its answer. */
export type Sender = (raw: RawStore, bytes: number) => number;

/** How {@link StoreCore.send} sends a text to the module. */
interface Sending {
  /** The name of the text in error messages, e.g. "call". */
  argument: string;
  origin: Origin;
  sender: Sender;
  /** The instance that the text is about, if the text does not name it. */
  name?: string | undefined;
  /** The most bytes that the text may have. Default: the limit of calls. */
  maxBytes?: number;
  by?: Source | undefined;
}

/** The origins of changes whose author is the server, unless the message names another one. */
const SERVER_ORIGINS: readonly Origin[] = ["receive", "confirm", "reject"];

const defaultSource = (origin: Origin) => (SERVER_ORIGINS.includes(origin) ? BY_SERVER : BY_USER);
/** With fewer histories than this, those of deleted instances are all kept. */
const MIN_HISTORIES = 100;

/**
 * The internals of a `PatchStore`: the handle of the module's store, the mirrored instances, their histories and pending calls,
 * and the subscriptions. Code that serves a single public method is in a file of its own, e.g. `load.ts`.
 */
export class StoreCore {
  readonly handle: Handle<RawStore>;
  /** By name, in the order in which they were created. */
  readonly instances = new Map<string, ShownDocument>();
  readonly events = new EventSubscriptions((name) => this.rules(name));
  /** The documents and pending calls that the page has loaded first: React hydrates with them. */
  readonly firstContents = new FirstContents();
  readonly drafts = new Drafts(this);
  readonly pendingCalls = new PendingCalls(this);
  /** How many connections to a server the store has: see `connect`. */
  connections = 0;
  /** By name of the instance, also those of some deleted instances. */
  readonly histories = new Map<string, History>();
  readonly #batch = new Batch((name) => this.instances.get(name));
  readonly freeze: boolean;
  readonly limits: Limits;
  /** The option `criteria`. */
  readonly functions: CriteriaFunctions;
  /** The option `catalog`, as the prompt and as the module need it. */
  readonly catalog: ReadCatalog | undefined;
  /** The option `urls`: where actions may lead. */
  readonly urls: UrlPolicy;
  /** The name of the active instance; null if none is. */
  active: string | null = null;

  constructor(readonly options: StoreOptions) {
    // `writeOptions` refuses options that are no object.
    this.catalog = options?.catalog && readCatalog(options.catalog);
    const optionsText = writeOptions(options, this.catalog);
    const saved = options[internal]?.saved;
    this.freeze = options.freeze ?? true;
    this.urls = options.urls ?? {};
    this.limits = { ...defaults, ...options.limits };
    this.functions = { ...options.criteria };
    // The module limits each document, but not the whole text, which is copied into its memory.
    if (saved !== undefined && saved.length > 2 * this.limits.maxDocumentBytes)
      throw new GenuiPatchError("LIMIT_EXCEEDED", "The saved text is longer than two documents may be.");
    // The module's input has room for one text, so `restore` gets the options as an argument.
    const made = withChecks(() =>
      storeModule.make((glue) =>
        saved === undefined
          ? new glue.RawStore(storeModule.send(optionsText))
          : glue.RawStore.restore(optionsText, storeModule.send(saved)),
      ),
    );
    this.handle = made.answer;
  }

  // Instances.

  /** The shown document of an instance. In the module's names, and so in `instances`, unpaired surrogates are U+FFFD. */
  find(name: string): ShownDocument | undefined {
    this.handle.check();
    return this.instances.get(name) ?? this.instances.get(wellFormed(name));
  }

  /** The names of the instances that have a document. */
  names(): string[] {
    this.handle.check();
    return [...this.instances.keys()];
  }

  snapshot(name: string): Json | undefined {
    return this.find(name)?.snapshot;
  }

  revision(name: string): number {
    return this.find(name)?.revision ?? 0;
  }

  /** The value at a path; `undefined` if none exists, and for a path to the end of a list, where no value is. */
  get(name: string, path: string): Json | undefined {
    const shown = this.find(name);
    const segments = readPath("get", path);
    if (shown === undefined || segments.some((segment) => "end" in segment)) return undefined;
    if (segments.some((segment) => "id" in segment)) return shown.find(segments, this.rules(shown.name));
    return shown.at(segments.map(toStep));
  }

  /** The snapshot of an instance. Refuses an unknown name, with the names that it may be a misspelling of. */
  requireSnapshot(name: string): Json {
    const snapshot = this.snapshot(name);
    if (snapshot !== undefined) return snapshot;
    if (name === "__CREATE__" || name === "__DELETE__" || name === "") {
      const details = { instance_name: name, available_instances: this.names().slice(0, 100) };
      const message = `"${name}" is not an instance.`;
      const { answer } = refusal("INVALID_INSTANCE", message, "Send the name of an instance.");
      throw new RefusedError({ ...answer, ...details });
    }
    // The refusal of a call has the names that are similar.
    throw new RefusedError(this.preview(JSON.stringify({ instance_name: name, patches: [] })) as Refused);
  }

  /** Shows a new document of an instance that the module has already changed. */
  show(name: string, snapshot: Json, revision: number): void {
    this.#batch.noteSnapshot(name, this.instances.get(name));
    if (this.freeze) deepFreeze(snapshot);
    this.instances.set(name, new ShownDocument(name, revision, snapshot, this.freeze));
  }

  // Questions to the module.

  /** Calls an export that changes nothing and answers with JSON. Returns the parsed answer. */
  ask<Answer>(call: (raw: RawStore) => number): Answer {
    return this.handle.call((raw) => storeModule.receiveJson<Answer>(call(raw)));
  }

  /** Whether a condition, e.g. `state.params.count >= 3`, holds for the document that is shown; or why it cannot be evaluated. */
  holds(name: string, condition: string): boolean | PatchError {
    return this.ask((raw) => raw.holds(storeModule.sendNamed(name, condition)));
  }

  /** The rules of an instance, as it is shown or as it is confirmed: those of pages (`ui`), or none (`open`). */
  rules(name: string, view: "shown" | "confirmed" = "shown"): Rules {
    const shown = view === "shown" ? this.instances.get(name) : undefined;
    if (shown?.rules !== undefined) return shown.rules;
    const areOpen = this.handle.call((raw) => raw.is_open(storeModule.send(name), view === "confirmed"));
    const rules = areOpen ? "open" : "ui";
    if (shown !== undefined) shown.rules = rules;
    return rules;
  }

  /** The document that the module has, with pending calls applied: for an instance that is not mirrored yet. */
  document(name: string): Json {
    return this.ask((raw) => raw.document(storeModule.send(name)));
  }

  /** Whether the module has a document of this name, with pending calls applied. */
  isInModule(name: string): boolean {
    return this.handle.call((raw) => raw.is_present(storeModule.send(name)));
  }

  /** The result that a call would have if nothing were pending. Nothing changes. */
  preview(call: string): PatchResult {
    const refused = this.refuseLong(call);
    if (refused !== undefined) return refused;
    return this.callWithChecks((raw) => readReply(raw.preview(storeModule.send(call)))).result;
  }

  // Calls.

  /** Refuses a text that has more characters than a limit has bytes, before it is copied. The module counts the bytes. */
  refuseLong(text: string, maxBytes = this.limits.maxCallBytes): Refused | undefined {
    if (text.length <= maxBytes) return undefined;
    const message = `The text has more than ${maxBytes} bytes, which is the limit.`;
    return refusal("LIMIT_EXCEEDED", message, "Send less at once.").answer;
  }

  /**
   * Applies a call, which is an object or its JSON text. A user's edit that fails may change what exists only in a draft so far:
   * then it is applied over the draft, as a held edit. So are edits in an instance that has held edits: see {@link Drafts}.
   */
  apply(callOrText: unknown, by: Source = BY_USER, origin: Origin = "apply"): PatchResult {
    const { drafts } = this;
    const call = typeof callOrText === "string" ? callOrText : toText(callOrText, "call");
    const isByUser = by.author.kind === "user";
    if (!isByUser || !drafts.hasHeldEdits(call)) {
      const result = this.send(call, { argument: "call", origin, sender: (raw, bytes) => raw.apply(bytes), by });
      const { status, instance_name: name } = result;
      // A page with a connection sends its pending calls, so the server decides on them.
      const canBeHeld = isByUser && this.connections === 0 && drafts.names().includes(name ?? "");
      if (status === "success" || !canBeHeld) return result;
    }
    return this.applyOptimistic(call, { ...by, isHeld: true });
  }

  /** Applies a call, which is an object or its JSON text, as a pending one. */
  applyOptimistic(call: unknown, by?: Source): OptimisticResult {
    return this.send(call, {
      argument: "call",
      origin: "optimistic",
      sender: (raw, bytes) => raw.apply_optimistic(bytes),
      by,
    });
  }

  /** Applies an edit script, all of it or nothing. */
  edit(name: string, changes: readonly Change[], origin: Origin, by?: Source): PatchResult {
    return this.run(origin, (raw) => raw.edit(storeModule.sendNamed(name, JSON.stringify(changes))), { by });
  }

  /** Sends a value, or its JSON text, to an export that may change instances. A text that is too long is refused. */
  send(value: unknown, { argument, origin, sender, name, maxBytes, by }: Sending): PatchResult {
    const text = typeof value === "string" ? value : toText(value, argument);
    this.handle.check();
    const refused = this.refuseLong(text, maxBytes);
    if (refused !== undefined) return name === undefined ? refused : { ...refused, instance_name: name };
    const writeInput = () => (name === undefined ? storeModule.send(text) : storeModule.sendNamed(name, text));
    return this.run(origin, (raw) => sender(raw, writeInput()), { by });
  }

  /** Calls an export that may change instances. When it returns, the instances are up to date and the listeners were called. */
  run(origin: Origin, call: (raw: RawStore) => number, details: CallDetails = {}): PatchResult {
    const follow = (reply: Reply) => this.follow(reply, origin, details);
    return this.callWithChecks((raw) => readReply(call(raw)), follow).result;
  }

  /**
   * Calls an export that may validate documents. An exception of one of the host's checks is thrown after `follow`, which brings
   * the instances up to date with the answer.
   */
  callWithChecks<Answer>(call: (raw: RawStore) => Answer, follow?: (answer: Answer) => void): Answer {
    const { answer, exception } = withChecks(() => this.handle.call(call));
    follow?.(answer);
    if (exception !== undefined) throw exception;
    return answer;
  }

  // Replies of the module.

  /** Brings the instances up to date with a reply, then emits its events. */
  follow(reply: Reply, origin: Origin, details: CallDetails): void {
    const { instance_name: name, changes, revision } = reply.result;
    if (name === undefined) return;
    if (changes === undefined || revision === undefined) return;
    if (changes.length === 0 && reply.rest === undefined) return;
    this.events.pause();
    try {
      this.#follow(name, { changes, revision, ...details }, reply.rest, origin);
    } finally {
      this.events.resume();
    }
  }

  /**
   * First the pending calls are brought up to date, because they read the document before the change; then the history and the
   * document. Events about the active instance and highlights follow, then the reply about another instance, if the call was
   * about two.
   */
  #follow(name: string, details: ChangeDetails, rest: Rest | undefined, origin: Origin): void {
    const { changes, revision, by } = details;
    if (rest?.hasPending) {
      this.#batch.noteQueue(name, this.pendingCalls.count(name), rest.more);
      this.pendingCalls.follow(name, rest, origin, by);
    }
    const { pendingId, conflicts } = rest?.more ?? {};
    const drops = conflicts?.map((conflict) => conflict.pendingId);
    const allDetails = { ...details, pendingId, drops };
    // Without visible changes, the history still has a step if pending calls end, or if a draft is committed as it is shown.
    const endedId = by?.ends ?? by?.commits ?? drops?.[0];
    if (changes.length === 0 && endedId !== undefined) this.#beginStep(name, allDetails, origin);
    if (changes.length > 0) this.#change(name, allDetails, origin);
    else if (rest?.pendingChanged) this.emit("pending", name, details, origin);
    else if (rest?.hasPending) for (const listener of this.pendingCalls.confirmedListeners) listener(name);
    if (rest === undefined) return;
    if (rest.activated && this.instances.has(name)) this.#noteActive(name, origin, by);
    if (rest.highlight) this.emit("highlight", name, { revision, highlight: rest.highlight, by }, origin);
    if (rest.other) this.follow(toReply(rest.other), origin, { by });
  }

  /**
   * Applies the changes of one call to the document that is shown, if any, and emits the event about them: `create`, `change` or
   * `delete`. Snapshots are made only if the changes set the whole document, or if the search for listeners needs them.
   */
  #change(name: string, details: ChangeDetails, origin: Origin): void {
    const { changes, revision } = details;
    const shown = this.instances.get(name);
    const record = this.#beginStep(name, details, origin);
    if (shown === undefined) {
      this.show(name, applied(undefined, changes, { freeze: this.freeze, record }) as Json, revision);
      this.emit("create", name, details, origin);
      return;
    }
    const setsDocument = changes.some(({ path }) => path.length === 0);
    const neededData = this.events.dataNeededFor(name, changes);
    // In a batch, the id of an item may move to another item between two changes: only the snapshots before and after the batch
    // show which subscribers to an id are concerned.
    const needsSnapshots = setsDocument || neededData === "snapshots" || (neededData === "ids" && this.#batch.isOpen);
    const before = needsSnapshots ? this.snapshot(name) : undefined;
    this.#batch.noteSnapshot(name, shown);
    shown.apply(changes, record);
    shown.revision = revision;
    // Only a call that sets the whole document can change the rules.
    if (setsDocument) shown.rules = undefined;
    const after = needsSnapshots ? this.snapshot(name) : undefined;
    // A change that deletes the document sets it, so it needs snapshots.
    const isDeleted = needsSnapshots && after === undefined;
    if (!isDeleted) {
      const rules = neededData === "ids" && !needsSnapshots ? this.rules(name) : undefined;
      const ids = rules && changes.map(({ path }) => shown.idsAlong(path, rules));
      this.emit("change", name, details, origin, { before, after, ids });
      return;
    }
    this.instances.delete(name);
    this.firstContents.removeDocument(name);
    this.emit("delete", name, details, origin);
    if (this.active === name) this.#noteActive(null, origin, details.by);
  }

  // The history.

  /** Returns the history of an instance, and makes it if none exists; `undefined` if the store keeps no histories. */
  ensureHistory(name: string): History | undefined {
    const { maxHistory, maxHistoryBytes } = this.limits;
    if (maxHistory === 0) return undefined;
    const known = this.histories.get(name);
    if (known !== undefined) return known;
    // The histories of deleted instances are kept, so that a deletion can be undone, but not without limit: the oldest go first.
    const maxHistories = Math.max(MIN_HISTORIES, 2 * this.instances.size);
    for (const other of this.histories.keys()) {
      if (this.histories.size < maxHistories) break;
      if (!this.instances.has(other) && this.pendingCalls.count(other) === 0) this.histories.delete(other);
    }
    const history = new History(maxHistory, maxHistoryBytes);
    this.histories.set(name, history);
    return history;
  }

  /** The groups of an instance's history, as users see them. */
  historyOf(name: string): HistoryEntry[] {
    this.handle.check();
    return this.histories.get(name)?.entries() ?? [];
  }

  /** Begins a step of the history. Returns the function that records its changes; `undefined` if the store keeps no histories. */
  #beginStep(name: string, { by, pendingId, drops }: ChangeDetails, origin: Origin): Recorder | undefined {
    const given = by ?? defaultSource(origin);
    const source = origin === "load" ? { ...given, isLoad: true } : given;
    return this.ensureHistory(name)?.begin(source, { pendingId, drops });
  }

  // Events.

  /** Runs a function. The events of its changes are merged, and emitted at the end of the outermost batch. */
  batch<Result>(run: () => Result): Result {
    this.#batch.begin();
    try {
      return run();
    } finally {
      const isOutermost = this.#batch.end();
      if (isOutermost) {
        this.events.pause();
        // Without listeners the result does not matter, and the module is not asked.
        const pendingOf = (name: string) => (this.events.hasListeners ? this.pendingCalls.list(name) : []);
        for (const notice of this.#batch.flush(pendingOf)) this.events.emit(notice);
        this.events.resume();
      }
    }
  }

  /** Emits an event, or adds it to the open batch. `context` is for the search for its listeners. */
  emit(
    type: StoreEvent["type"],
    name: string,
    details: EventDetails,
    origin: Origin,
    context?: Omit<EventInContext, "event">,
  ): void {
    if (!this.events.hasListeners) return;
    const { changes = [], revision = 0, proposalId, highlight, reason, by } = details;
    const { author } = by ?? defaultSource(origin);
    const event: StoreEvent = { type, instance_name: name, changes, revision, origin, author };
    if (proposalId !== undefined) event.proposalId = proposalId;
    if (highlight !== undefined) event.highlight = highlight;
    if (reason !== undefined) event.reason = reason;
    const notice = { event, ...context };
    if (this.#batch.isOpen) this.#batch.add(event);
    else this.events.emit(notice);
  }

  /** Makes an instance the active one, or none, in the module too. */
  setActive(name: string | null, by?: Source): void {
    this.handle.call((raw) => (name === null ? raw.clear_active() : raw.set_active(storeModule.send(name))));
    this.#noteActive(name === null ? null : wellFormed(name), "apply", by);
  }

  /** Records the instance that the module has made the active one, and emits the event. */
  #noteActive(name: string | null, origin: Origin, by?: Source): void {
    if (this.active === name) return;
    this.active = name;
    const revision = name === null ? 0 : this.revision(name);
    this.emit("active", name ?? "", { revision, by }, origin);
  }

  dispose(): void {
    this.handle.dispose();
    this.instances.clear();
    this.pendingCalls.clear();
    this.histories.clear();
    this.events.clear();
    this.firstContents.clear();
  }
}
