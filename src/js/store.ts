/** `PatchStore`: named documents, the calls that change them, and their snapshots. Its parts stand in `store/`. */
import { type ToolSet, toolSet } from "./agent/tool-set.js";
import { type ApproveOptions, PatchProposals, type ProposalOwner, type ProposedCall } from "./approval/patches.js";
import type { ApprovalRefusal, PatchProposal } from "./approval/types.js";
import { answered } from "./core/errors.js";
import { type FirstState, first } from "./core/first.js";
import { toText } from "./core/json.js";
import { isTexts } from "./core/kinds.js";
import { bindMethods } from "./core/methods.js";
import { readPath } from "./core/path.js";
import { FUNCTION, OBJECT, RULES, requireKind, requireOptions, requireText, TEXT, wrong } from "./core/require.js";
import { storeModule } from "./core/store-module.js";
import { hasLoneSurrogate, readsDifferently, wellFormed } from "./core/surrogates.js";
import { runAction } from "./document/action.js";
import { storeTools } from "./document/agent.js";
import { type RowOptions, type RowPlace, runRowAction, setField } from "./document/input.js";
import { type RenderOptions, renderTemplate } from "./document/template.js";
import type { ActionOptions, ActionResult, ToolResult } from "./document/tool-types.js";
import { callTool } from "./document/tools.js";
import type { AnyDocuments, DocumentOf, documentTypes, LoadedDocument, TypedStore, ValueAt } from "./document/types.js";
import { type Draft, openDraft } from "./store/drafts.js";
import { readReply } from "./store/reply.js";
import { Setter } from "./store/set.js";
import { type Sender, StoreCore } from "./store/store-core.js";
import type {
  DeepReadonly,
  Json,
  JsonPatchOperation,
  OptimisticResult,
  PatchCall,
  PatchResult,
  PatchStoreOptions,
  PendingCall,
  Rules,
  ServerMessage,
  SetOptions,
  StoreEvent,
} from "./types.js";

type Shown<Documents, Name extends string> = DeepReadonly<DocumentOf<Documents, Name>>;
type ShownAt<Documents, Name extends string, Path extends string> = DeepReadonly<
  ValueAt<DocumentOf<Documents, Name>, Path>
>;

/** The rules of a loaded document, as `src/wasm/store` numbers them: without rules it keeps its own. */
const RULE_NUMBERS = [undefined, "ui", "open"];

/**
 * Instances of a page, changed by an agent's patch calls and by the page: validated, atomic, each with an immutable
 * snapshot that shares what did not change with the one before.
 *
 * ```ts
 * const store = new PatchStore();
 * store.apply({ instance_name: "__CREATE__", new_instance_name: "counter" });
 * store.apply({ instance_name: "counter", patches: [{ op: "increment", path: "state.params.count" }] });
 * store.get("counter", "state.params.count"); // 1
 * ```
 *
 * A store may know the types of its documents: `new PatchStore<{ counter: Counter; page: PageDocument }>()`. What an
 * instance of another name holds is Json.
 *
 * What an agent sent never throws: it answers `{ status: "error", error: { code, message, solution } }`, and the
 * instance is as it was. Misuse by the page throws {@link GenuiPatchError}.
 */
export class PatchStore<Documents extends object = AnyDocuments> implements TypedStore<Documents> {
  declare [Symbol.dispose]: () => void;
  /** @internal */
  declare readonly [documentTypes]?: Documents;
  readonly #core: StoreCore;
  readonly #setter: Setter;
  readonly #proposals: PatchProposals;

  constructor(options?: PatchStoreOptions);
  constructor(options: PatchStoreOptions = {}, ...[saved, owner]: [saved?: string, owner?: ProposalOwner]) {
    this.#core = new StoreCore(options, saved);
    this.#setter = new Setter(this.#core);
    this.#proposals = new PatchProposals(this.#core, options.limits?.maxProposals, owner);
    if (saved !== undefined) this.#proposals.restore(saved);
    bindMethods(this);
  }

  /**
   * A store from the text of {@link PatchStore.save}.
   * @throws GenuiPatchError with the code of what is wrong with the text.
   */
  static restore<Documents extends object = AnyDocuments>(
    saved: string,
    options: PatchStoreOptions = {},
  ): PatchStore<Documents> {
    requireText("restore", "saved text", saved);
    const Restored = PatchStore as new (options: PatchStoreOptions, saved: string) => PatchStore<Documents>;
    return new Restored(options, saved);
  }

  /** The store as text: instances, rules, revisions, the active one, proposals that wait. Options are not in it. */
  save(): string {
    const text = this.#core.handle.call((raw) => storeModule.receive(raw.save()));
    const proposals = this.#proposals.save();
    return proposals === undefined ? text : `${text.slice(0, -1)},"proposals":${JSON.stringify(proposals)}}`;
  }

  /**
   * Takes an authoritative document, whole, in place of what the instance held, or as a new instance.
   * `document` is a value or its JSON text. Without `rules` an instance keeps those that it is under.
   * `settles` are pending calls that the document holds already, by id: it stands for them.
   */
  load<Name extends string>(
    name: Name,
    document: LoadedDocument<Documents, Name>,
    options: { rules?: Rules | undefined; settles?: readonly string[] | undefined } = {},
  ): PatchResult {
    requireText("load", "name", name);
    requireOptions("load", options, { rules: RULES, settles: ["a list of ids of pending calls", isTexts] });
    const { rules, settles = [] } = options;
    name = wellFormed(name) as Name;
    const text = typeof document === "string" ? document : toText(document, "document");
    const refused = this.#core.refuseLong(text, this.#core.limits.maxDocumentBytes);
    if (refused !== undefined) return { ...refused, instance_name: name };
    const line = settles.length === 0 ? "" : `${JSON.stringify(settles)}\n`;
    const reply = this.#core.handle.call((raw) =>
      readReply(raw.load(storeModule.sendNamed(name, line + text), RULE_NUMBERS.indexOf(rules), line !== "")),
    );
    const { result, rest } = reply;
    if (result.status === "error") return result;
    if (rest !== undefined) {
      this.#core.follow(reply, "load");
      return result;
    }
    const before = this.#core.instances.get(name);
    // A document that is as it was.
    if (before?.revision === result.revision) return result;
    const value = readsDifferently(text) ? this.#core.document(name) : (JSON.parse(text) as Json);
    this.#core.put(name, value, result.revision);
    if (before === undefined) this.#core.keepFirst(name);
    result.changes = [{ kind: "set", path: [], value }];
    this.#core.tell(before === undefined ? "create" : "change", name, result, "load");
    return result;
  }

  /** Applies an authoritative call: an object, or its JSON text. */
  apply(call: PatchCall | string): PatchResult {
    return this.#setter.take(call) ?? this.#core.apply(call);
  }

  /**
   * Applies a JSON Patch (RFC 6902): a list of operations, or its JSON text. All of them or none, whatever `onError`
   * says. Under rules `"ui"` the structure rules hold too.
   *
   * ```ts
   * store.applyJsonPatch("counter", [
   *   { op: "test", path: "/state/params/count", value: 1 },
   *   { op: "replace", path: "/state/params/count", value: 2 },
   * ]).status; // "success"; were it not 1: "error" with code "TEST_FAILED"
   * ```
   */
  applyJsonPatch(name: string, operations: readonly JsonPatchOperation[] | string): PatchResult {
    requireText("applyJsonPatch", "name", name);
    return this.#core.send("patch", operations, "apply", (raw, bytes) => raw.json_patch(bytes), { name });
  }

  /** Applies a JSON Merge Patch (RFC 7396): a value, or its JSON text. */
  applyMergePatch(name: string, patch: unknown): PatchResult {
    requireText("applyMergePatch", "name", name);
    return this.#core.send("patch", patch, "apply", (raw, bytes) => raw.merge_patch(bytes), { name });
  }

  /** Sets one number: as a call with one `set`, but without its text. */
  setNumber(name: string, path: string, value: number, options?: SetOptions): OptimisticResult {
    if (typeof value !== "number" || !Number.isFinite(value))
      throw wrong("setNumber", "value", "a finite number", value);
    return this.#setter.set(name, path, value, options);
  }

  /** Sets one string: as a call with one `set`, but without its text. */
  setString(name: string, path: string, value: string, options?: SetOptions): OptimisticResult {
    if (typeof value !== "string") throw wrong("setString", "value", "a string", value);
    // Lone surrogates come back replaced: only the module's answer tells the snapshot how.
    if (hasLoneSurrogate(value)) return this.#setter.byCall(name, path, value, options);
    return this.#setter.set(name, path, value, options);
  }

  /** Sets one boolean: as a call with one `set`, but without its text. */
  setBoolean(name: string, path: string, value: boolean, options?: SetOptions): OptimisticResult {
    if (typeof value !== "boolean") throw wrong("setBoolean", "value", "a boolean", value);
    return this.#setter.set(name, path, value, options);
  }

  /**
   * Shows a call at once, before the server has taken it: on top of what is confirmed and of the calls that are pending.
   * It takes effect whole, or is refused and not kept. Send what {@link PatchStore.pending} gives, then `confirm` or
   * `reject` by its `pendingId`, or let a push that carries the id settle it.
   *
   * ```ts
   * const { pendingId = "" } = store.applyOptimistic({ instance_name: "page", patches: [{ op: "toggle", path: "state.params.done" }] });
   * store.reject(pendingId); // the server said no: the page shows what it showed before
   * ```
   *
   * Consecutive sets of one place that are not marked as sent are one pending call.
   */
  applyOptimistic(call: PatchCall | string): OptimisticResult {
    return this.#core.applyOptimistic(call);
  }

  /**
   * Shows a call while it still arrives: each patch is shown as it is added, under the edits that the user makes meanwhile.
   * Nothing of a draft is confirmed, sent or saved. It ends with `commit`, which applies the whole call as if it had
   * arrived at once, or with `discard`, which leaves nothing of it.
   *
   * ```ts
   * const draft = store.draft({ instance_name: "page" });
   * draft.add({ op: "set", path: "state.params.name", value: "Ann" }); // shown at once
   * draft.commit().status; // "success": the call is applied
   * ```
   */
  draft(call: PatchCall): Draft {
    requireKind("draft", "call", call, OBJECT);
    return openDraft(this.#core, call);
  }

  /** The names of the instances that a draft is open on: the same list until it changes. */
  drafts(): readonly string[] {
    this.#core.handle.check();
    return this.#core.drafts.names();
  }

  /** The server took a pending call. It joins what is confirmed once all that came before it have. */
  confirm(pendingId: string): PatchResult {
    requireText("confirm", "pendingId", pendingId);
    return this.#core.run("confirm", (raw) => raw.confirm(storeModule.send(pendingId)));
  }

  /** The server refused a pending call: it is undone, and those after it are applied again. */
  reject(pendingId: string, reason?: string): PatchResult {
    requireText("reject", "pendingId", pendingId);
    if (reason !== undefined) requireText("reject", "reason", reason);
    return this.#core.run("reject", (raw) => raw.reject(storeModule.send(pendingId)), reason);
  }

  /** Takes a message from the server, beneath what is pending. `instance` is what it is about if it names none. */
  receive(message: ServerMessage | PatchCall | string, options: { instance?: string | undefined } = {}): PatchResult {
    requireOptions("receive", options, { instance: TEXT });
    const { instance: name } = options;
    const { maxDocumentBytes, maxCallBytes } = this.#core.limits;
    const about = { name, most: Math.max(maxDocumentBytes, maxCallBytes) };
    const receive: Sender = (raw, bytes) => (name === undefined ? raw.receive(bytes) : raw.receive_for(bytes));
    return this.#core.send("message", message, "receive", receive, about);
  }

  /** The calls that the server has not settled, of one instance or of all, in their order: the same list until it changes. */
  pending(name?: string): PendingCall[] {
    if (name !== undefined) requireText("pending", "name", name);
    return this.#core.pending(name === undefined ? undefined : wellFormed(name));
  }

  /** Marks a pending call as sent, so that further sets of the same place are calls of their own. */
  sent(pendingId: string): void {
    this.#core.sent(pendingId);
  }

  /** What the server has said of an instance: the snapshot itself while nothing is pending. */
  confirmed<Name extends string>(name: Name): Shown<Documents, Name> | undefined {
    requireText("confirmed", "name", name);
    return this.#core.confirmed(wellFormed(name)) as Shown<Documents, Name> | undefined;
  }

  /** Runs a function and tells of all that it does to an instance in one event, at its end. */
  batch(run: () => void): void {
    this.#core.handle.check();
    requireKind("batch", "function", run, FUNCTION);
    this.#core.batch(run);
  }

  /** What the person sees: the same object until it changes, frozen. `undefined` for an instance that is not there. */
  snapshot<Name extends string>(name: Name): Shown<Documents, Name> | undefined {
    requireText("snapshot", "name", name);
    return this.#core.snapshot(name) as Shown<Documents, Name> | undefined;
  }

  /**
   * The value at a path of an instance, `undefined` where there is none.
   * @throws GenuiPatchError `INVALID_PATH` for a path outside the grammar.
   */
  get<Name extends string, Path extends string>(name: Name, path: Path): ShownAt<Documents, Name, Path> | undefined {
    requireText("get", "name", name);
    return this.#core.get(name, path) as ShownAt<Documents, Name, Path> | undefined;
  }

  /** The names of the instances, in the order in which they came. */
  names(): string[] {
    return this.#core.names();
  }

  /** How often an instance has changed since it came; 0 for one that is not there. */
  revision(name: string): number {
    requireText("revision", "name", name);
    return this.#core.find(name)?.revision ?? 0;
  }

  /** The instance that the person is looking at. Setting a name that is not there throws `INVALID_INSTANCE`. */
  get active(): string | null {
    this.#core.handle.check();
    return this.#core.active;
  }

  set active(name: string | null) {
    if (name !== null) requireText("active", "name", name);
    this.#core.show(name);
  }

  /**
   * Keeps a call for a person's yes: answers what it would change, and changes nothing. A call that could not be made is
   * refused as `apply` refuses it. A call with an `id` is proposed once: sent again, it answers the same proposal, so that an
   * effect may propose it however often it runs.
   *
   * ```ts
   * const proposal = store.propose({ instance_name: "page", patches: [{ op: "set", path: "state.params.city", value: "Rome" }] });
   * if (proposal.status === "error") throw new Error(proposal.error.message);
   * proposal.diff; // [{ kind: "set", path: ["state", "params", "city"], value: "Rome", before: "Paris" }]
   * store.approve(proposal.id);
   * ```
   */
  propose(call: ProposedCall | string): PatchProposal | ApprovalRefusal {
    return answered(() => this.#proposals.propose(call));
  }

  /**
   * The person's yes: to all of a proposal, to the `paths` named, or with values of their own (`edits`, by path). The whole
   * is validated before anything changes. Where the document has changed elsewhere since, the proposal is carried over;
   * where it has changed in the same place, the answer is `STALE_PROPOSAL` with what the proposal would change now.
   * For the page alone: no door that an agent can reach leads here.
   */
  approve(proposalId: string, options: ApproveOptions = {}): PatchResult | ApprovalRefusal {
    this.#core.handle.check();
    return answered(() => this.#proposals.approve(proposalId, options));
  }

  /**
   * The person's no.
   * @throws GenuiPatchError `UNKNOWN_PROPOSAL`, `PROPOSAL_SETTLED`.
   */
  refuse(proposalId: string, reason?: string): void {
    this.#core.handle.check();
    this.#proposals.refuse(proposalId, reason);
  }

  /** The proposals, those that are settled among them: the same list, frozen, until one of them changes. */
  proposals(): readonly PatchProposal[] {
    this.#core.handle.check();
    return this.#proposals.all();
  }

  /**
   * Calls the listener after every change, once the call has its result; with `instance` or `path` only for changes of
   * that instance, or at, above or below that place. Returns what ends the subscription.
   */
  subscribe(
    listener: (event: StoreEvent) => void,
    filter: { instance?: string | undefined; path?: string | undefined } = {},
  ): () => void {
    this.#core.handle.check();
    requireKind("subscribe", "listener", listener, FUNCTION);
    requireOptions("subscribe", filter, { instance: TEXT, path: TEXT }, "filter");
    const segments = filter.path === undefined ? undefined : readPath("subscribe", filter.path);
    return this.#core.events.listen(listener, filter.instance && wellFormed(filter.instance), segments);
  }

  /**
   * Calls one of the five tools (seed 001) as an agent does: with an object, or its JSON text. What an agent sent never
   * throws.
   *
   * ```ts
   * store.callTool("list_instances", {}); // { status: "success", instances: [{ name: "counter", … }], total: 1 }
   * ```
   */
  callTool(tool: string, args: object | string): ToolResult {
    return callTool(this.#core, tool, args);
  }

  /** @internal */
  [first](): FirstState {
    const core = this.#core;
    return { snapshot: (name, path) => core.first(name, path), pending: (name) => core.firstPending(name) };
  }

  /** @internal */
  [toolSet](): ToolSet {
    return storeTools(this);
  }

  /**
   * Runs an action of the document, one of a block before a global one. One that patches becomes a call, which is
   * applied; any other comes back as something for the page to do, its URLs checked. Nothing is fetched here.
   */
  runAction(name: string, actionId: string, options: ActionOptions = {}): ActionResult {
    return answered(() => runAction(this.#core, name, actionId, options));
  }

  /** Runs the action of a button in a table's row. */
  runRowAction(name: string, place: RowPlace, actionId: string, options: RowOptions = {}): ActionResult {
    return answered(() => runRowAction(this.#core, name, place, actionId, options));
  }

  /**
   * Takes what the control of a field gives: sets its place in state, the block's `bind` and the field's key, to a value
   * of the field's kind. The text of a number field becomes a number.
   */
  setField(name: string, blockId: string, key: string, value: unknown, options: SetOptions = {}): OptimisticResult {
    return setField(this.#core, name, blockId, key, value, options);
  }

  /** Fills in the `${path}` of a template. What is inserted is escaped for HTML unless `escape` is `"none"`. */
  render(name: string, template: string, options: RenderOptions = {}): string {
    return renderTemplate(this.#core, name, template, options);
  }

  /** Gives the store's memory back. May be called twice; everything else then throws `DISPOSED`. */
  dispose(): void {
    this.#core.dispose();
    this.#setter.clear();
  }
}
