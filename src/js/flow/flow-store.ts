/** `FlowStore`: task flows whose nodes an agent updates, at once or after the user's approval. */

import { isSettled, keepIfEqual } from "../approval/collection.js";
import type { ProposalOwner } from "../approval/patches.js";
import type { StoreContents } from "../approval/store-parts.js";
import type { ApprovalRefusal, Effect, NodeProposal, PatchProposal } from "../approval/types.js";
import { type ParsedCall, parseCall } from "../blocks/parsed-call.js";
import { cut, listNames, misuse, orRefusal, RefusedError, refusal } from "../core/errors.js";
import { copyWellFormed, parseJson, toText } from "../core/json.js";
import { isText, type Members } from "../core/kinds.js";
import { bindMethods } from "../core/methods.js";
import { formatPath, readPath } from "../core/path.js";
import { FLAG, FUNCTION, OBJECT, requireKind, requireOptions, requireText, TEXTS, wrong } from "../core/require.js";
import { valueAt } from "../core/tree.js";
import { equal } from "../diff/equal.js";
import { AGENT, CHANGE, changeOptions, sourceOf } from "../store/authors.js";
import type { Source } from "../store/history-types.js";
import { contents, internal, type StoreOptions } from "../store/options.js";
import { PatchStore } from "../store.js";
import { type ToolSet, toolSet } from "../tools/tool-set.js";
import type {
  Author,
  Change,
  ChangeOptions,
  DeepReadonly,
  HistoryEntry,
  Json,
  PatchCall,
  PatchResult,
  StoreEvent,
} from "../types.js";
import { flowTools } from "./agent.js";
import { checkFlow, checkOptions, orRefuse, readArgs, readSaved, type Update, VERSION } from "./args.js";
import { message, proposedEffects, settledEffects, updatedEffects } from "./effects.js";
import { nodesOf, type ProposedUpdate, pick, placeOf, type SavedUpdate, shownAs, updateOf } from "./proposals.js";
import type {
  ApproveNodeOptions,
  ApproveNodeResult,
  FlowEvent,
  FlowNode,
  FlowRefusal,
  FlowRestoreOptions,
  FlowStoreOptions,
  FlowUndoOptions,
  LoadFlowResult,
  NodeType,
  RefuseNodeResult,
  TaskFlow,
  UndoFlowResult,
  UpdateNodeArgs,
  UpdateNodeResult,
} from "./types.js";

/** The contents of a `FlowStore`, for servers: the contents of its store, and details of proposals that their calls lack. */
export interface FlowContents extends StoreContents {
  /** By the id of a proposal. */
  updates: ReadonlyMap<string, SavedUpdate>;
  /** By the id of a proposal. Whoever restores a proposal first adds its details here. */
  saved: Map<string, SavedUpdate>;
}

/** Options with a saved text, for `restore`. */
interface InternalOptions extends FlowStoreOptions {
  readonly [internal]?: { readonly saved?: string };
}

/**
 * Task flows. An update of a node is executed at once, or proposed with a diff and executed when the user approves it.
 *
 * ```ts
 * const flow = new FlowStore({ nodeTypes: { idea: { actions: { update: { approvalStyle: "visual" } } } } });
 * flow.load({ id: "t1", nodes: [{ id: "n1", type: "idea", data: { title: "Old" } }] });
 * const answer = flow.callTool("updateNode", { taskId: "t1", nodeId: "n1", newData: { title: "New" } });
 * if (!("pending_confirmation" in answer)) throw new Error("It was executed at once, or refused.");
 * answer.pending_confirmation.diff; // { title: { before: "Old", after: "New" } }
 * flow.approve(answer.pending_confirmation.proposalId);
 * flow.node("t1", "n1")?.data; // { title: "New" }
 * ```
 *
 * **An agent cannot approve.** Pass an agent's calls to {@link FlowStore.callTool}, which approves nothing.
 * {@link FlowStore.updateNode}, {@link FlowStore.approve} and {@link FlowStore.refuse} trust the page: never pass an agent's
 * arguments to them.
 */
export class FlowStore {
  /** Each flow is an instance under the rules `"open"`. */
  readonly #store: PatchStore;
  /** By the id of the proposal. `#proposed` removes the updates whose proposals the store has dropped. */
  readonly #updates = new Map<string, ProposedUpdate>();
  /** Details of proposals that are being restored, by id. */
  readonly #saved: Map<string, SavedUpdate>;
  /** The last result of `proposals`. */
  #listed: readonly NodeProposal[] = [];
  readonly #nodeTypes: { readonly [type: string]: NodeType };
  readonly #language: string;

  constructor(options?: FlowStoreOptions);
  constructor(options: InternalOptions = {}) {
    checkOptions(options);
    const { nodeTypes, displayLanguage, [internal]: { saved } = {}, ...rest } = options;
    this.#nodeTypes = nodeTypes ?? {};
    this.#language = displayLanguage ?? "en";
    const parts = saved === undefined ? undefined : readSaved(saved);
    this.#saved = new Map(parts?.updates.map((row) => [row.id, row]));
    const owner: ProposalOwner = {
      // The node: the path of its data without the last step, `data`. A node whose type has changed counts as another node.
      subjectOf: ({ patches }) => ({ path: readPath("propose", patches?.[0]?.path ?? "").slice(0, -1), key: "type" }),
      restored: (id, call, base) => {
        const [row, update] = [this.#saved.get(id), updateOf(call, base)];
        if (row === undefined || update === undefined) throw misuse("restore: a proposal is not an update of a node.");
        this.#updates.set(id, { id, ...update, fields: row.fields });
      },
    };
    const storeOptions: StoreOptions = { ...rest, rules: "open", [internal]: { saved: parts?.store, owner } };
    this.#store = new PatchStore(storeOptions);
    bindMethods(this);
  }

  /**
   * A store from the text of {@link FlowStore.save}.
   * The text does not have `nodeTypes`, which say which updates need an approval. So a flow with a type that they lack is
   * refused, unless `allowUnknownTypes` is true.
   * @throws GenuiPatchError for a text that `save` has not written; `INVALID_ARGUMENT` for a missing type.
   */
  static restore(saved: string, options: FlowRestoreOptions = {}): FlowStore {
    requireText("restore", "saved text", saved);
    requireKind("restore", "options", options, OBJECT);
    const { allowUnknownTypes = false, ...rest } = options;
    requireKind("restore", "allowUnknownTypes", allowUnknownTypes, FLAG);
    const internals: InternalOptions = { ...rest, [internal]: { saved } };
    const flow = new FlowStore(internals);
    const unknown = allowUnknownTypes ? [] : flow.#unknownTypes();
    if (unknown.length === 0) return flow;
    flow.dispose();
    const lacks = `restore: nodeTypes lacks ${listNames(unknown)}, which the saved flows use.`;
    throw misuse(`${lacks} Give them, or allowUnknownTypes: true.`);
  }

  /** The types of loaded nodes that `nodeTypes` lacks. */
  #unknownTypes(): string[] {
    const nodes = this.taskIds().flatMap((taskId) => nodesOf(this.#flow(taskId)) ?? []);
    const types = new Set(nodes.map((node) => node?.type).filter(isText));
    return [...types].filter((type) => !Object.hasOwn(this.#nodeTypes, type));
  }

  /** The store as text: flows and pending proposals. Options are not in it. */
  save(): string {
    const store = this.#store.save();
    const unsettled = this.#proposed().filter(({ proposal }) => !isSettled(proposal));
    const nodes = unsettled.map(({ update: { id, fields } }): SavedUpdate => ({ id, ...(fields && { fields }) }));
    return JSON.stringify({ "genui-patch-flow": VERSION, store, nodes });
  }

  /** Loads a task flow, as a value or JSON text. A pending proposal stays valid if the flow has not changed in its fields. */
  load(taskFlow: TaskFlow | string): LoadFlowResult {
    const text = typeof taskFlow === "string" ? taskFlow : toText(taskFlow, "task flow");
    return orRefusal(() => {
      const { id, flow } = checkFlow(this.#parse(text));
      const result = this.#store.load(id, flow);
      if (result.status === "error") return { status: "error", error: result.error };
      return { status: "success", taskId: id, revision: result.revision };
    });
  }

  /** The ids of the flows. */
  taskIds(): string[] {
    return this.#store.names();
  }

  /** A flow: the same frozen object until it changes. `undefined` for an unknown id. */
  snapshot(taskId: string): DeepReadonly<Json> | undefined {
    return this.#store.snapshot(taskId);
  }

  /** A node: the same frozen object until it changes. `undefined` for an unknown id. */
  node(taskId: string, nodeId: string): DeepReadonly<FlowNode> | undefined {
    requireText("node", "node id", nodeId);
    return nodesOf(this.#flow(taskId))?.find((node) => node?.id === nodeId) ?? undefined;
  }

  /** The number of changes of a flow since it was loaded; 0 for an unknown id. */
  revision(taskId: string): number {
    return this.#store.revision(taskId);
  }

  /** A node as it is stored; null for an unknown id. */
  #nodeJson(taskId: string, nodeId: string): Json {
    const flow = this.#flow(taskId);
    const dataPath = placeOf(flow, nodeId);
    const nodePath = dataPath?.slice(0, -1);
    return (nodePath && valueAt(flow, nodePath)) ?? null;
  }

  /** A flow; `undefined` for an unknown id. */
  #flow(taskId: string): Json | undefined {
    return this.#store.snapshot(taskId) as Json | undefined;
  }

  /**
   * Updates a node for the page. With `isApprovedUpdate: true` the update is executed. The `parameters` of a pending
   * confirmation name its proposal, which they approve once. Never pass an agent's arguments to this method, but to
   * {@link FlowStore.callTool}.
   */
  updateNode(args: UpdateNodeArgs | string, options: ChangeOptions = {}): UpdateNodeResult {
    requireOptions("updateNode", options, CHANGE);
    const by = sourceOf(options);
    return answer(() => {
      const { update, node } = this.#read(parseCall("updateNode", args));
      const proposalId = update.proposalId ?? undefined;
      if (!update.isApprovedUpdate && this.#isVisual(update, node)) return this.#propose(update, by);
      if (!update.isApprovedUpdate || proposalId === undefined) return this.#execute(update, by);
      // An unknown proposal is refused by `approve`.
      const { taskId, nodeId, newData } = this.#updates.get(proposalId) ?? update;
      if (taskId !== update.taskId || nodeId !== update.nodeId) {
        const text = `The proposal is about node "${nodeId}" of "${taskId}".`;
        throw refusal("INVALID_ARGUMENT", text, "Send the parameters as they came.", "proposalId");
      }
      if (equal(newData, update.newData)) return this.approve(proposalId);
      // The user has left fields out, has set other values, or has added fields.
      const isProposed = (field: string): boolean => Object.hasOwn(newData, field);
      const edits = pick(update.newData, (field, value) => !isProposed(field) || !equal(newData[field] as Json, value));
      return this.approve(proposalId, { fields: Object.keys(update.newData).filter(isProposed), edits });
    });
  }

  /**
   * Calls the tool as an agent does. Invalid arguments are an error result, not an exception. `isApprovedUpdate` and
   * `proposalId` are ignored, and a field with a pending proposal is not changed.
   */
  callTool(tool: string, args: object | string, options: ChangeOptions = {}): UpdateNodeResult {
    requireOptions("callTool", options, CHANGE);
    return answer(() => {
      if (tool !== "updateNode") {
        const name = JSON.stringify(typeof tool === "string" ? cut(tool) : typeof tool);
        throw refusal("UNKNOWN_TOOL", `There is no tool ${name}.`, "Use updateNode.");
      }
      const call = orRefuse("Send arguments that JSON can carry.", () => parseCall(tool, args));
      return this.#updateAsAgent(call, sourceOf(options, AGENT));
    });
  }

  /**
   * An agent's update: proposed where the node's type asks for it, or where a proposal of the same fields is pending. An update
   * that is proposed already gets the confirmation of that proposal. If a proposed update has `isApprovedUpdate`, its answer also
   * has the error `NEEDS_APPROVAL`.
   */
  #updateAsAgent(call: ParsedCall, by: Source): UpdateNodeResult {
    const { update, node } = this.#read(call);
    if (!this.#requiresApproval(update, node)) return this.#execute(update, by);
    const same = this.#pendingUpdates(update).find(({ newData }) => equal(newData, update.newData));
    const answer = same === undefined ? this.#propose(update, by) : this.#confirmation(same);
    if (!update.isApprovedUpdate) return answer;
    const why = "The update needs the user's approval, which no call of yours can give.";
    const { error } = refusal("NEEDS_APPROVAL", why, "Wait for the user's decision; do not send it again.").answer;
    return { ...answer, error };
  }

  /** Whether an agent's update is proposed. */
  #requiresApproval(update: Update, node: DeepReadonly<FlowNode>): boolean {
    return this.#isVisual(update, node) || this.#pendingUpdates(update).length > 0;
  }

  /** @internal */
  [contents](): FlowContents {
    return { ...this.#store[contents](), updates: this.#updates, saved: this.#saved };
  }

  /** @internal */
  [toolSet](options: ChangeOptions = {}): ToolSet {
    const { proposals, node } = this;
    return flowTools({
      // The options are read at each call: the group of an agent's turn changes.
      update: (call) => answer(() => this.#updateAsAgent(call, sourceOf(options, AGENT))),
      requiresApproval: (call) => {
        try {
          const { update, node } = this.#read(call);
          return this.#requiresApproval(update, node);
        } catch {
          // The call is refused when it is executed.
          return false;
        }
      },
      effect: (taskId, nodeId, newData) => ({
        changes: this.#store.preview(this.#call({ taskId, nodeId, newData })).changes ?? [],
        before: this.#nodeJson(taskId, nodeId),
      }),
      proposals,
      node,
    });
  }

  /** The value of JSON text. @throws RefusedError for other text. */
  #parse(text: string): Json {
    const value = parseJson(text);
    if (value !== undefined) return value;
    // The module refuses this text too, with the position of the error.
    throw new RefusedError(this.#store.propose(text) as ApprovalRefusal);
  }

  /** The arguments of a call, and the node that they name. */
  #read({ args, text = "" }: ParsedCall): { update: Update; node: DeepReadonly<FlowNode> } {
    const update = readArgs(args ?? this.#parse(text));
    const { taskId, nodeId } = update;
    // The solution of an error: the ids that there are, or `none`.
    const use = (ids: readonly string[], none: string) => (ids.length === 0 ? none : `Use one of ${listNames(ids)}.`);
    const nodes = nodesOf(this.#flow(taskId));
    if (nodes === undefined) {
      const solution = use(this.taskIds(), "No task flow is loaded.");
      throw refusal("INVALID_INSTANCE", `There is no task flow "${taskId}".`, solution, "taskId");
    }
    const node = this.node(taskId, nodeId);
    if (node !== undefined) return { update, node };
    const ids = nodes.flatMap((node) => node?.id ?? []);
    const message = `There is no node "${nodeId}" in "${taskId}".`;
    throw refusal("PATH_NOT_FOUND", message, use(ids, "The flow has no nodes."), "nodeId");
  }

  /** The settings of a node's type; `undefined` for an unknown type. */
  #type({ type }: DeepReadonly<FlowNode>): NodeType | undefined {
    return type !== undefined && Object.hasOwn(this.#nodeTypes, type) ? this.#nodeTypes[type] : undefined;
  }

  /** Whether the user approves the update: the stricter of the call's style and that of the node's type. */
  #isVisual({ approvalStyle: style }: Update, node: DeepReadonly<FlowNode>): boolean {
    const { approvalStyle, needsApproval = false } = this.#type(node)?.actions?.update ?? {};
    return style === "visual" || (approvalStyle ?? (needsApproval ? "visual" : "text")) === "visual";
  }

  /** The patch call that makes an update. */
  #call({ taskId, nodeId, newData }: Pick<Update, "taskId" | "nodeId" | "newData">): PatchCall {
    return { instance_name: taskId, patches: [{ op: "merge", path: this.#path(taskId, nodeId), value: newData }] };
  }

  /** The path of a node's data: by the node's id, or by its index if a path cannot contain the id. */
  #path(taskId: string, nodeId: string): string {
    try {
      return formatPath([{ key: "nodes" }, { id: nodeId }, { key: "data" }]);
    } catch {
      return formatPath(placeOf(this.#flow(taskId), nodeId) ?? []);
    }
  }

  /** Executes an update at once. `by`: who makes it. */
  #execute(update: Update, by: Source): UpdateNodeResult {
    const result = this.#store.apply(this.#call(update), changeOptions(by));
    return result.status === "error" ? { error: result.error } : this.#updated(update, updatedEffects(update.taskId));
  }

  /** The result of an executed update: the node as it is now. */
  #updated({ taskId, nodeId }: Pick<Update, "taskId" | "nodeId">, effects: Effect[]): ApproveNodeResult {
    return { updated: true, node: this.node(taskId, nodeId) as DeepReadonly<FlowNode>, effects };
  }

  /** Proposes an update, and returns the confirmation to send. */
  #propose(update: Update, by: Source) {
    const { taskId, nodeId, newData, diffFields: fields } = update;
    // The id is known once the store has the proposal.
    const record: ProposedUpdate = { id: "", taskId, nodeId, newData, ...(fields && { fields }) };
    // Listeners are called after the batch, when the update is recorded.
    this.#store.batch(() => {
      const answer = this.#store.propose(this.#call(update), changeOptions(by));
      if (answer.status === "error") throw new RefusedError(answer);
      record.id = answer.id;
      this.#updates.set(answer.id, record);
    });
    return this.#confirmation(record);
  }

  /** What the page shows for a proposal. With the `parameters`, `updateNode` approves it. */
  #confirmation(update: ProposedUpdate) {
    const { taskId, nodeId, newData } = update;
    const { id: proposalId, diff, otherChanges, revision } = this.#nodeProposal(update);
    const parameters = { taskId, nodeId, newData, isApprovedUpdate: true, proposalId };
    const displayMessage = message(this.#language, "confirm");
    const details = { displayMessage, diff, otherChanges, nodeId, proposalId, revision };
    return {
      pending_confirmation: { tool_name: "updateNode" as const, parameters, ...details },
      effects: proposedEffects(nodeId, diff),
    };
  }

  /** The pending updates of the same node that change one of the same fields. */
  #pendingUpdates({ taskId, nodeId, newData }: Update): ProposedUpdate[] {
    const fields = Object.keys(newData);
    return this.#proposed().flatMap(({ update, proposal }) => {
      const isOfNode = taskId === update.taskId && nodeId === update.nodeId && proposal.status === "pending";
      return isOfNode && fields.some((field) => Object.hasOwn(update.newData, field)) ? update : [];
    });
  }

  /** The updates whose proposals the store still has, also settled ones. The others are dropped. */
  #proposed(): { update: ProposedUpdate; proposal: NodeProposal }[] {
    const patchProposals = new Map(this.#store.proposals().map((proposal) => [proposal.id, proposal]));
    return [...this.#updates].flatMap(([id, update]) => {
      const from = patchProposals.get(id);
      if (from) return { update, proposal: this.#nodeProposal(update, from) };
      this.#updates.delete(id);
      return [];
    });
  }

  /**
   * The user approves a proposal: all of it, some `fields`, or with values of the user's own (`edits`, by field). If other
   * fields of the node have changed since, the proposal still applies. If the same fields have changed, the result is
   * `STALE_PROPOSAL` with the changes that the proposal would make now. For the page only.
   */
  approve(proposalId: string, options: ApproveNodeOptions = {}): ApproveNodeResult {
    requireOptions("approve", options, { fields: TEXTS, edits: OBJECT });
    const { fields, edits: sentEdits } = options;
    if (sentEdits === undefined && fields?.length === 0)
      throw wrong("approve", "fields", "a list of at least one, or left out", fields);
    // A copy, since the proposal freezes the values.
    const edits = sentEdits && (copyWellFormed(sentEdits, "edits") as Members);
    // The store approves its patch proposal: the fields become paths. The approval is recorded before, since listeners of the
    // store read the node proposal, and taken back if the store refuses.
    return answer(() => {
      const update = this.#updates.get(proposalId);
      const patchProposal = this.#patchProposal(proposalId);
      // The store refuses an unknown id, and lists the pending ones.
      if (update === undefined || patchProposal === undefined)
        throw new RefusedError(this.#store.approve(proposalId, { paths: [], edits: {} }) as ApprovalRefusal);
      const proposal = this.#nodeProposal(update, patchProposal);
      const unknown = fields?.find((field) => !Object.hasOwn(proposal.proposed, field));
      if (unknown !== undefined) {
        const proposedFields = Object.keys(proposal.proposed).join(", ");
        throw refusal(
          "PATH_NOT_FOUND",
          `The proposal has no field "${unknown}".`,
          `It has ${proposedFields}.`,
          unknown,
        );
      }
      const flow = this.#flow(update.taskId);
      const dataPath = placeOf(flow, update.nodeId) ?? [];
      // A field that already has its proposed value is not in the diff, and the store has no change at its path.
      const changedFields = { ...proposal.diff, ...proposal.otherChanges };
      const paths = fields?.filter((field) => Object.hasOwn(changedFields, field)).map((field) => [...dataPath, field]);
      const pathEdits = Object.entries(edits ?? {}).map(([field, value]) => [[...dataPath, field], value] as const);
      const { newData } = update;
      const agreed = fields === undefined ? newData : pick(newData, (field) => fields.includes(field));
      update.approval = { agreed: { ...agreed, ...edits }, before: flow };
      const isAll = paths === undefined && edits === undefined;
      // `paths` is empty if all chosen fields have their proposed values already. The store accepts an empty list only beside
      // `edits`, where `{}` stands for none.
      const options = isAll ? {} : { ...(paths && { paths }), edits: pathEdits.length > 0 ? pathEdits : {} };
      const result = this.#store.approve(proposalId, options);
      if (result.status === "success") {
        const { taskId, nodeId } = update;
        return this.#updated(update, settledEffects(taskId, nodeId, message(this.#language, "approved")));
      }
      update.approval = undefined;
      const { error } = result;
      const { diff, otherChanges } = this.#nodeProposal(update);
      return error.code === "STALE_PROPOSAL" ? { error, diff, otherChanges } : { error };
    });
  }

  /** The user refuses a proposal. For the page only. */
  refuse(proposalId: string, reason?: string): RefuseNodeResult {
    return answer(() => {
      this.#store.refuse(proposalId, reason);
      const update = this.#updates.get(proposalId) as ProposedUpdate;
      const { taskId, nodeId } = update;
      const text = message(this.#language, "refused");
      const effects = settledEffects(taskId, nodeId, reason === undefined ? text : `${text} ${reason}`);
      return { refused: true, proposal: this.#nodeProposal(update), effects };
    });
  }

  /** All proposals, also settled ones: the same frozen list until one of them changes. */
  proposals(): readonly NodeProposal[] {
    const current = this.#proposed().map(({ proposal }) => proposal);
    this.#listed = keepIfEqual(this.#listed, current);
    return this.#listed;
  }

  /** The proposal of an update for the page: the same object until it changes. `from` is its patch proposal. */
  #nodeProposal(update: ProposedUpdate, from = this.#patchProposal(update.id) as PatchProposal): NodeProposal {
    if (update.shown?.from !== from) {
      const node = this.node(update.taskId, update.nodeId);
      const fields = (node && this.#type(node)?.ui?.diffFields) ?? update.fields;
      update.shown = { from, proposal: shownAs(update, from, this.#flow(update.taskId), fields) };
    }
    return update.shown.proposal;
  }

  /** The store's patch proposal with this id; `undefined` if it has none. */
  #patchProposal(id: string): PatchProposal | undefined {
    return this.#store.proposals().find((proposal) => proposal.id === id);
  }

  /** The groups of changes of a flow that can be undone or made again, as {@link PatchStore.history} lists them. */
  history(taskId: string): HistoryEntry[] {
    return this.#store.history(taskId);
  }

  /**
   * Undoes a group of changes of a flow: without options the last one, whoever made it. Later changes stay; where they are in
   * the way, the result is `UNDO_CONFLICT` with the `places`, and nothing changes. For the page only.
   *
   * ```ts
   * flow.undo("t1", { author: "agent" });
   * ```
   */
  undo(taskId: string, options: FlowUndoOptions = {}): UndoFlowResult {
    return this.#undone(this.#store.undo(taskId, options));
  }

  /** Makes a group again that was undone. For the page only. */
  redo(taskId: string, options: FlowUndoOptions = {}): UndoFlowResult {
    return this.#undone(this.#store.redo(taskId, options));
  }

  /** Whether there is a group to undo. */
  canUndo(taskId: string, options: FlowUndoOptions = {}): boolean {
    return this.#store.canUndo(taskId, options);
  }

  /** Whether there is a group to make again. */
  canRedo(taskId: string, options: FlowUndoOptions = {}): boolean {
    return this.#store.canRedo(taskId, options);
  }

  /** By path, the author of the last change of each value in a flow: see {@link PatchStore.authors}. */
  authors(taskId: string): Readonly<Record<string, Author>> {
    return this.#store.authors(taskId);
  }

  /** The result of `undo` or `redo`, with the ids of the changed nodes. */
  #undone(result: PatchResult): UndoFlowResult {
    if (result.status === "error") return { status: "error", error: result.error };
    const { instance_name: taskId, changes, revision } = result;
    return { status: "success", taskId, nodeIds: this.#nodeIdsIn(taskId, changes), changes, revision };
  }

  /** The ids of the nodes that still exist and are changed by these changes. */
  #nodeIdsIn(taskId: string, changes: readonly Change[]): string[] {
    const nodes = nodesOf(this.#flow(taskId));
    const indexes = new Set(
      changes.flatMap(({ path: [root, index] }) => (root === "nodes" && typeof index === "number" ? [index] : [])),
    );
    return [...indexes].flatMap((index) => nodes?.[index]?.id ?? []);
  }

  /** Calls the listener after every change, and when a proposal is made or settled. */
  subscribe(listener: (event: FlowEvent) => void): () => void {
    requireKind("subscribe", "listener", listener, FUNCTION);
    return this.#store.subscribe((event) => listener(this.#toEvent(event)));
  }

  /** The event of a flow for one of the store. A change that touches no node is a load. */
  #toEvent({ type, instance_name: taskId, changes, revision, author, proposalId }: StoreEvent): FlowEvent {
    if (type === "proposal" && proposalId !== undefined) {
      const nodeId = this.#updates.get(proposalId)?.nodeId;
      return { type, taskId, nodeIds: nodeId === undefined ? [] : [nodeId], changes, revision, author, proposalId };
    }
    const nodeIds = this.#nodeIdsIn(taskId, changes);
    return { type: nodeIds.length > 0 ? "update" : "load", taskId, nodeIds, changes, revision, author };
  }

  /** Frees the store's memory. Every other method then throws `DISPOSED`. */
  dispose(): void {
    this.#store.dispose();
  }

  /** Set by `bindMethods`: calls `dispose`. */
  declare [Symbol.dispose]: () => void;
}

/** The result of a function, or the error of its refusal. Results about nodes have no `status`. */
function answer<Answer>(run: () => Answer): Answer | FlowRefusal {
  try {
    return run();
  } catch (cause) {
    if (cause instanceof RefusedError) return { error: cause.answer.error };
    throw cause;
  }
}
