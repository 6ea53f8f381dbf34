/** `PatchStore`: the public methods of a store. The folders `store/`, `document/` and `approval/` implement them. */

import type { ApproveOptions, ProposedCall } from "./approval/inputs.js";
import { PatchProposals, type ProposalOwner } from "./approval/patches.js";
import type { StoreContents } from "./approval/store-parts.js";
import type { ApprovalRefusal, PatchProposal } from "./approval/types.js";
import type { Catalog } from "./core/catalog-types.js";
import { orRefusal } from "./core/errors.js";
import { type FirstState, firstStateKey } from "./core/first.js";
import { toText } from "./core/json.js";
import { bindMethods } from "./core/methods.js";
import { readPath } from "./core/path.js";
import {
  FLAG,
  FUNCTION,
  INDEX,
  OBJECT,
  requireKind,
  requireOptions,
  requireText,
  TEXT,
  wrong,
} from "./core/require.js";
import { storeModule } from "./core/store-module.js";
import { wellFormed } from "./core/surrogates.js";
import type { UrlPolicy } from "./core/url.js";
import { runAction } from "./document/action.js";
import { storeTools } from "./document/agent.js";
import { type RowOptions, type RowPlace, runRowAction, setField } from "./document/input.js";
import { type RenderOptions, renderTemplate } from "./document/template.js";
import type { ActionOptions, ActionResult, ToolResult } from "./document/tool-types.js";
import { applyPatches, callTool, executeTool, readArguments } from "./document/tools.js";
import type { AnyDocuments, DocumentOf, documentTypes, LoadedDocument, TypedStore, ValueAt } from "./document/types.js";
import { AGENT, BY_SERVER, CHANGE, sourceOf, USER } from "./store/authors.js";
import { type Draft, openDraft } from "./store/drafts.js";
import type { Source } from "./store/history-types.js";
import { firstState } from "./store/hydration.js";
import { type LoadOptions, load } from "./store/load.js";
import { connected, contents, internal, type StoreOptions } from "./store/options.js";
import { receive } from "./store/receive.js";
import { restoreInstances } from "./store/restore.js";
import { type SavedHistory, saveHistories, saveHistory } from "./store/saved-history.js";
import { StoreCore } from "./store/store-core.js";
import { authorsOf, canRevert, revert } from "./store/undo.js";
import { type ToolSet, toolSet } from "./tools/tool-set.js";
import type {
  Author,
  ChangeOptions,
  DeepReadonly,
  HistoryEntry,
  JsonPatchOperation,
  OptimisticResult,
  PatchCall,
  PatchResult,
  PatchStoreOptions,
  PendingCall,
  ServerMessage,
  SetOptions,
  StoreEvent,
  UndoOptions,
} from "./types.js";

/** The type of a snapshot, and of the value at a path of it. */
type Shown<Documents, Name extends string> = DeepReadonly<DocumentOf<Documents, Name>>;
type ShownAt<Documents, Name extends string, Path extends string> = DeepReadonly<
  ValueAt<DocumentOf<Documents, Name>, Path>
>;

/** Checks the options of a method. Returns the source of its change: the author and the group. */
function checkedSource(method: string, options: ChangeOptions = {}, defaultAuthor: Author = USER): Source {
  requireOptions(method, options, CHANGE);
  return sourceOf(options, defaultAuthor);
}

/**
 * The documents of a page ("instances"), by name. An agent and the page change them by patch calls, which are validated and
 * atomic. Each instance has an immutable snapshot; two snapshots share the parts that are equal.
 *
 * ```ts
 * const store = new PatchStore();
 * store.apply({ instance_name: "__CREATE__", new_instance_name: "counter" });
 * store.apply({ instance_name: "counter", patches: [{ op: "increment", path: "state.params.count" }] });
 * store.get("counter", "state.params.count"); // 1
 * ```
 *
 * The type parameter declares the types of documents: `new PatchStore<{ counter: Counter; page: PageDocument }>()`. Every
 * other instance has the type `Json`.
 *
 * A call that is not valid does not throw: its result is `{ status: "error", error: { code, message, solution } }`, and
 * nothing has changed. Misuse by the page throws {@link GenuiPatchError}.
 */
export class PatchStore<Documents extends object = AnyDocuments> implements TypedStore<Documents> {
  /** Set by `bindMethods`: calls `dispose`. */
  declare [Symbol.dispose]: () => void;
  /** @internal */
  declare readonly [documentTypes]?: Documents;
  readonly #core: StoreCore;
  readonly #proposals: PatchProposals;

  constructor(options?: PatchStoreOptions);
  // The package itself passes further options: the public signature hides them.
  constructor(options: StoreOptions<ProposalOwner> = {}) {
    this.#core = new StoreCore(options);
    // `saved` is the text for `restore`; `owner` decides which of its proposals are valid.
    const { saved, owner } = options[internal] ?? {};
    if (saved !== undefined) restoreInstances(this.#core, saved);
    this.#proposals = new PatchProposals(this.#core, options.limits?.maxProposals, owner);
    if (saved !== undefined) this.#proposals.restore(saved);
    bindMethods(this);
  }

  /**
   * A store from the text of {@link PatchStore.save}.
   * @throws GenuiPatchError for a text that `save` has not written, with the code of the problem.
   */
  static restore<Documents extends object = AnyDocuments>(
    saved: string,
    options: PatchStoreOptions = {},
  ): PatchStore<Documents> {
    requireText("restore", "saved text", saved);
    requireKind("restore", "options", options, OBJECT);
    const internals: StoreOptions = { ...options, [internal]: { saved } };
    return new PatchStore<Documents>(internals);
  }

  /**
   * The store as text: instances with rules and revisions, the active instance, pending calls and pending proposals. Options are
   * not in it.
   */
  save(): string {
    const moduleText = this.#core.handle.call((raw) => storeModule.receive(raw.save()));
    const proposals = this.#proposals.save();
    const members = JSON.stringify({ ...(proposals !== undefined && { proposals }), ...saveHistories(this.#core) });
    // Both texts are JSON objects: without the brackets between them they are one, and nothing is parsed.
    return members === "{}" ? moduleText : `${moduleText.slice(0, -1)},${members.slice(1)}`;
  }

  /**
   * Replaces the document of an instance, or creates the instance. The document comes from the server, so it is confirmed.
   * `document` is a value or its JSON text. Without `rules` an existing instance keeps its rules. `settles` are the ids of
   * pending calls whose effects the document contains.
   */
  load<Name extends string>(
    name: Name,
    document: LoadedDocument<Documents, Name>,
    options: LoadOptions = {},
  ): PatchResult {
    return load(this.#core, name, document, options);
  }

  /** Applies a call that no server has to confirm: an object, or its JSON text. Pending calls are applied again after it. */
  apply(call: PatchCall | string, options?: ChangeOptions): PatchResult {
    return this.#core.apply(call, checkedSource("apply", options));
  }

  /** The result that a call would have if no call were pending. Nothing changes. */
  preview(call: PatchCall | string): PatchResult {
    return this.#core.preview(typeof call === "string" ? call : toText(call, "call"));
  }

  /**
   * Applies a JSON Patch (RFC 6902): a list of operations, or its JSON text. All operations are applied or none, whatever
   * `onError` says. Under rules `"ui"` the result must satisfy the structure rules.
   *
   * ```ts
   * store.applyJsonPatch("counter", [
   *   { op: "test", path: "/state/params/count", value: 1 },
   *   { op: "replace", path: "/state/params/count", value: 2 },
   * ]).status; // "success"; for another value than 1: "error" with code "TEST_FAILED"
   * ```
   */
  applyJsonPatch(
    name: string,
    operations: readonly JsonPatchOperation[] | string,
    options?: ChangeOptions,
  ): PatchResult {
    requireText("applyJsonPatch", "name", name);
    return this.#core.send(operations, {
      argument: "patch",
      origin: "apply",
      sender: (raw, bytes) => raw.json_patch(bytes),
      name,
      by: checkedSource("applyJsonPatch", options),
    });
  }

  /** Applies a JSON Merge Patch (RFC 7396): a value, or its JSON text. */
  applyMergePatch(name: string, patch: unknown, options?: ChangeOptions): PatchResult {
    requireText("applyMergePatch", "name", name);
    return this.#core.send(patch, {
      argument: "patch",
      origin: "apply",
      sender: (raw, bytes) => raw.merge_patch(bytes),
      name,
      by: checkedSource("applyMergePatch", options),
    });
  }

  /** Sets one number: applies a call with one `set`. */
  setNumber(name: string, path: string, value: number, options?: SetOptions): OptimisticResult {
    if (typeof value !== "number" || !Number.isFinite(value))
      throw wrong("setNumber", "value", "a finite number", value);
    return this.#set(name, path, value, options);
  }

  /** Sets one string: applies a call with one `set`. */
  setString(name: string, path: string, value: string, options?: SetOptions): OptimisticResult {
    if (typeof value !== "string") throw wrong("setString", "value", "a string", value);
    return this.#set(name, path, value, options);
  }

  /** Sets one boolean: applies a call with one `set`. */
  setBoolean(name: string, path: string, value: boolean, options?: SetOptions): OptimisticResult {
    if (typeof value !== "boolean") throw wrong("setBoolean", "value", "a boolean", value);
    return this.#set(name, path, value, options);
  }

  #set(name: string, path: string, value: string | number | boolean, options: SetOptions = {}): OptimisticResult {
    // The messages of these three checks say "set" for each of the three methods.
    requireText("set", "name", name);
    requireText("set", "path", path);
    requireOptions("set", options, { optimistic: FLAG, ...CHANGE });
    const call: PatchCall = { instance_name: name, patches: [{ op: "set", path, value }] };
    // With `isTyping`, consecutive calls for one path are one group of the history.
    const by = { ...sourceOf(options), isTyping: true };
    return options.optimistic ? this.#core.applyOptimistic(call, by) : this.#core.apply(call, by);
  }

  /**
   * Applies a call before the server has confirmed it, after the pending calls. All of it takes effect, or it is refused and not
   * kept. Send the calls of {@link PatchStore.pending}; then call `confirm` or `reject` with the `pendingId`, or pass the
   * server's message with that id to `receive`.
   *
   * ```ts
   * const { pendingId = "" } = store.applyOptimistic({ instance_name: "page", patches: [{ op: "toggle", path: "state.params.done" }] });
   * store.reject(pendingId); // the server has refused the call, and its changes are undone
   * ```
   *
   * Consecutive `set`s of one path are one pending call until it is marked as sent.
   */
  applyOptimistic(call: PatchCall | string, options?: ChangeOptions): OptimisticResult {
    return this.#core.applyOptimistic(call, checkedSource("applyOptimistic", options));
  }

  /**
   * Shows a call while its text still arrives: each patch is shown as it is added, under the edits that the user makes in the
   * meantime. Nothing of a draft is confirmed, sent or saved. It ends with `commit`, which applies the whole call as if it had
   * arrived at once, or with `discard`, which leaves nothing of it.
   *
   * ```ts
   * const draft = store.draft({ instance_name: "page" });
   * draft.add({ op: "set", path: "state.params.name", value: "Ann" }); // shown at once
   * draft.commit().status; // "success"
   * ```
   */
  draft(call: PatchCall, options?: ChangeOptions): Draft {
    requireKind("draft", "call", call, OBJECT);
    return openDraft(this.#core, call, checkedSource("draft", options, AGENT));
  }

  /** The names of the instances with an open draft: the same list until it changes. */
  drafts(): readonly string[] {
    this.#core.handle.check();
    return this.#core.drafts.names();
  }

  /** The server has accepted a pending call. It becomes part of the confirmed document after the pending calls before it. */
  confirm(pendingId: string): PatchResult {
    requireText("confirm", "pendingId", pendingId);
    return this.#core.run("confirm", (raw) => raw.confirm(storeModule.send(pendingId)));
  }

  /** The server has refused a pending call: it is undone, and the calls after it are applied again. */
  reject(pendingId: string, reason?: string): PatchResult {
    requireText("reject", "pendingId", pendingId);
    if (reason !== undefined) requireText("reject", "reason", reason);
    return this.#core.run("reject", (raw) => raw.reject(storeModule.send(pendingId)), {
      reason,
      by: { ...BY_SERVER, ends: pendingId },
    });
  }

  /**
   * Applies a message from the server to the confirmed document, then applies the pending calls again. `instance` is the
   * instance of a message that names none. The changes are by the message's `author`; a message for a pending call has the
   * author of that call.
   */
  receive(message: ServerMessage | PatchCall | string, options: { instance?: string | undefined } = {}): PatchResult {
    requireOptions("receive", options, { instance: TEXT });
    return receive(this.#core, message, options.instance);
  }

  /** The pending calls of one instance or of all, in order. Returns the same list until it changes. */
  pending(name?: string): PendingCall[] {
    if (name !== undefined) requireText("pending", "name", name);
    // In the names that the module and the store have, unpaired surrogates are U+FFFD.
    return this.#core.pendingCalls.list(name === undefined ? undefined : wellFormed(name));
  }

  /** Marks a pending call as sent, so that another `set` of the same path becomes a new call. */
  sent(pendingId: string): void {
    requireText("sent", "pendingId", pendingId);
    this.#core.pendingCalls.markSent(pendingId);
  }

  /** The document without pending calls: the same object as the snapshot while nothing is pending. */
  confirmed<Name extends string>(name: Name): Shown<Documents, Name> | undefined {
    requireText("confirmed", "name", name);
    return this.#core.pendingCalls.confirmed(name) as Shown<Documents, Name> | undefined;
  }

  /**
   * The history of an instance as JSON. Another store takes it with the document, `load(name, confirmed, { history })`, and can
   * undo the same changes. `undefined` without a history, while a draft is open or a call is pending, and if its values have more
   * bytes than `maxBytes`.
   */
  saveHistory(name: string, options: { maxBytes?: number | undefined } = {}): SavedHistory | undefined {
    this.#core.handle.check();
    requireText("saveHistory", "name", name);
    requireOptions("saveHistory", options, { maxBytes: INDEX });
    const instance = wellFormed(name);
    if (this.#core.pendingCalls.list(instance).length > 0) return undefined;
    const saved = saveHistory(this.#core, instance, options.maxBytes);
    return saved && structuredClone(saved);
  }

  /**
   * The groups of changes of an instance that can be undone or redone, in the order in which they began. A load is not a group,
   * and the history continues over it. Beyond `limits.maxHistory` groups, the one that was changed longest ago is forgotten.
   */
  history(name: string): HistoryEntry[] {
    this.#core.handle.check();
    requireText("history", "name", name);
    return this.#core.historyOf(wellFormed(name));
  }

  /**
   * Undoes a group of changes: without options the last one, whoever made it. Later changes stay, and
   * items are where they would be without the group. If a later change conflicts, nothing changes and the result is
   * `UNDO_CONFLICT` with the `places`. On a store with a connection the undo is a pending call.
   *
   * ```ts
   * store.undo("page", { author: "user" }); // Ctrl+Z: the user's last change, not the agent's
   * store.undo("page", { group: "turn-1" }); // all that the agent did in this turn
   * ```
   */
  undo(name: string, options: UndoOptions = {}): OptimisticResult {
    return orRefusal(() => revert(this.#core, "undo", name, options));
  }

  /** Makes the changes of a group again that was undone: without options the group that was undone last. */
  redo(name: string, options: UndoOptions = {}): OptimisticResult {
    return orRefusal(() => revert(this.#core, "redo", name, options));
  }

  /** Whether there is a group to undo. */
  canUndo(name: string, options: UndoOptions = {}): boolean {
    return canRevert(this.#core, "canUndo", name, options);
  }

  /** Whether there is a group to redo. */
  canRedo(name: string, options: UndoOptions = {}): boolean {
    return canRevert(this.#core, "canRedo", name, options);
  }

  /**
   * The last author of each value of an instance, by path. Values that no change in the history has touched are absent. Returns
   * the same object until it changes.
   *
   * ```ts
   * store.authors("page")["state.params.city"]; // { kind: "agent" }
   * ```
   */
  authors(name: string): Readonly<Record<string, Author>> {
    this.#core.handle.check();
    requireText("authors", "name", name);
    return authorsOf(this.#core, wellFormed(name));
  }

  /** Runs a function. Listeners get one event for each instance that it changes, after it has returned. */
  batch(run: () => void): void {
    this.#core.handle.check();
    requireKind("batch", "function", run, FUNCTION);
    this.#core.batch(run);
  }

  /** The document with pending calls: the same frozen object until it changes. `undefined` for an unknown name. */
  snapshot<Name extends string>(name: Name): Shown<Documents, Name> | undefined {
    requireText("snapshot", "name", name);
    return this.#core.snapshot(name) as Shown<Documents, Name> | undefined;
  }

  /**
   * The value at a path of an instance; `undefined` if the instance or the value does not exist.
   * @throws GenuiPatchError `INVALID_PATH` for a path outside the grammar.
   */
  get<Name extends string, Path extends string>(name: Name, path: Path): ShownAt<Documents, Name, Path> | undefined {
    requireText("get", "name", name);
    return this.#core.get(name, path) as ShownAt<Documents, Name, Path> | undefined;
  }

  /** The catalog of the options, every schema in it as JSON Schema: `pagePrompt` and `agentTools` read it. */
  get catalog(): Catalog | undefined {
    return this.#core.catalog?.catalog;
  }

  /** The option `urls`: a `PageView` loads pictures by it. */
  get urls(): UrlPolicy {
    return this.#core.urls;
  }

  /** The names of the instances, in the order in which they were created. */
  names(): string[] {
    return this.#core.names();
  }

  /** The number of changes of an instance since it was created; 0 for an unknown name. */
  revision(name: string): number {
    requireText("revision", "name", name);
    return this.#core.revision(name);
  }

  /** The name of the instance that the user is looking at. Setting an unknown name throws `INVALID_INSTANCE`. */
  get active(): string | null {
    this.#core.handle.check();
    return this.#core.active;
  }

  set active(name: string | null) {
    if (name !== null) requireText("active", "name", name);
    this.#core.setActive(name);
  }

  /**
   * Keeps a call until the user approves or refuses it. The proposal shows what the call would change; nothing changes yet.
   * A call that cannot be applied is refused, as by `apply`. A second call with the same `id` returns the same proposal, so
   * that an effect of React may propose a call each time it runs.
   *
   * ```ts
   * const proposal = store.propose({ instance_name: "page", patches: [{ op: "set", path: "state.params.city", value: "Rome" }] });
   * if (proposal.status === "error") throw new Error(proposal.error.message);
   * proposal.diff; // [{ kind: "set", path: ["state", "params", "city"], value: "Rome", before: "Paris" }]
   * store.approve(proposal.id);
   * ```
   */
  propose(call: ProposedCall | string, options?: ChangeOptions): PatchProposal | ApprovalRefusal {
    const by = checkedSource("propose", options, AGENT);
    return orRefusal(() => this.#proposals.propose(call, by));
  }

  /**
   * The user approves a proposal: all of it, the changes at or below some `paths`, or with values of the user's own (`edits`,
   * by path). Everything is validated before anything changes. If the document has changed in other places since, the
   * proposal is applied to the new document. If it has changed in the same place, the result is `STALE_PROPOSAL` with the
   * changes that the call would make now. An agent has no way to call this.
   */
  approve(proposalId: string, options: ApproveOptions = {}): PatchResult | ApprovalRefusal {
    this.#core.handle.check();
    return orRefusal(() => this.#proposals.approve(proposalId, options));
  }

  /**
   * The user refuses a proposal.
   * @throws GenuiPatchError `UNKNOWN_PROPOSAL`, `PROPOSAL_SETTLED`.
   */
  refuse(proposalId: string, reason?: string): void {
    this.#core.handle.check();
    this.#proposals.refuse(proposalId, reason);
  }

  /** All proposals, also settled ones. Returns the same frozen list until one of them changes. */
  proposals(): readonly PatchProposal[] {
    this.#core.handle.check();
    return this.#proposals.all();
  }

  /**
   * Calls the listener after every change. With `instance`, only for changes of that instance; with `path`, only for changes
   * at, above or below that path. Returns a function that ends the subscription.
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
   * Calls one of the five tools as an agent does: with an object, or its JSON text. A call that is not valid does not throw,
   * its result is an error.
   *
   * ```ts
   * store.callTool("list_instances", {}); // { status: "success", instances: [{ name: "counter", … }], total: 1 }
   * ```
   */
  callTool(tool: string, args: object | string, options?: ChangeOptions): ToolResult {
    return callTool(this.#core, tool, args, checkedSource("callTool", options, AGENT));
  }

  /** @internal Counts the connections of the store: `connect` calls it with 1, and at the end with -1. */
  [connected](change: 1 | -1): void {
    this.#core.connections += change;
  }

  /** @internal The implementation, for `genui-patch/server`. */
  [contents](): StoreContents {
    return { core: this.#core, proposals: this.#proposals };
  }

  /** @internal The state with which React hydrates. */
  [firstStateKey](): FirstState {
    return firstState(this.#core);
  }

  /** @internal The tools of the store, for `agentTools`. */
  [toolSet](options: ChangeOptions = {}): ToolSet {
    // `options` are read at each call: the agent sets another `group` in them with each turn.
    const by = () => sourceOf(options, AGENT);
    return storeTools({
      catalog: this.catalog,
      effect: (text, name) => ({
        changes: this.#core.preview(text).changes ?? [],
        before: this.#core.pendingCalls.confirmed(name) ?? null,
      }),
      readArguments: (call) => readArguments(this.#core, call),
      execute: (tool, args) => executeTool(this.#core, tool, args, by()),
      patch: (args, text, draft) => applyPatches(this.#core, { args, text, draft }, by()),
      propose: (values, text) => orRefusal(() => this.#proposals.proposeValues(values, text, by())),
      draft: (call) => openDraft(this.#core, call, by()),
      batch: (run) => this.#core.batch(run),
    });
  }

  /**
   * Runs an action of the document, looked for in the blocks first, then in the global actions. An action that patches is
   * applied as a call. Any other action is returned as an instruction for the page, with its URLs checked; nothing is
   * fetched.
   */
  runAction(name: string, actionId: string, options: ActionOptions = {}): ActionResult {
    return orRefusal(() => runAction(this.#core, name, actionId, options));
  }

  /** Runs the action of a button in a table's row. */
  runRowAction(name: string, place: RowPlace, actionId: string, options: RowOptions = {}): ActionResult {
    return orRefusal(() => runRowAction(this.#core, name, place, actionId, options));
  }

  /**
   * Stores the value of a field's control in state, under the block's `bind` and the field's key. The value is converted to
   * the type of the field: the text of a number field becomes a number.
   */
  setField(name: string, blockId: string, key: string, value: unknown, options: SetOptions = {}): OptimisticResult {
    return setField(this.#core, name, blockId, key, value, options);
  }

  /** Replaces each `${path}` in a template by the value there, escaped for HTML unless `escape` is `"none"`. */
  render(name: string, template: string, options: RenderOptions = {}): string {
    return renderTemplate(this.#core, name, template, options);
  }

  /** Frees the store's memory. Every other method then throws `DISPOSED`. */
  dispose(): void {
    this.#core.dispose();
  }
}
