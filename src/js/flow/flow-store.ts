/** `FlowStore`: task flows whose nodes an agent updates, at once or when a person agrees (seed 002). */
import { type ToolSet, toolSet } from "../agent/tool-set.js";
import type { Effect, NodeProposal } from "../approval/types.js";
import { cut, GenuiPatchError, listNames, misuse } from "../core/errors.js";
import { parseJson, toText } from "../core/json.js";
import { isText, type Members } from "../core/kinds.js";
import { bindMethods } from "../core/methods.js";
import { requireFlag, requireFunction, requireObject, requireText } from "../core/require.js";
import { equal } from "../diff/equal.js";
import { PatchStore } from "../store.js";
import type { DeepReadonly, Json, PatchError, StoreEvent } from "../types.js";
import { flowTools } from "./agent.js";
import { checkFlow, checkOptions, readArgs, refuse, type Update } from "./args.js";
import { message, proposedEffects, settledEffects, updatedEffects } from "./effects.js";
import { NodeProposals, type NodeRecord, nodesOf } from "./proposals.js";
import type {
  ApproveNodeOptions,
  ApproveNodeResult,
  FlowEvent,
  FlowNode,
  FlowRefusal,
  FlowRestoreOptions,
  FlowStoreOptions,
  LoadFlowResult,
  NodeType,
  RefuseNodeResult,
  TaskFlow,
  UpdateNodeArgs,
  UpdateNodeResult,
} from "./types.js";

const VERSION = 1;

/**
 * Task flows, and updates of their nodes: made at once, or proposed, shown as a diff and made when a person agrees.
 *
 * ```ts
 * const flow = new FlowStore({ nodeTypes: { idea: { actions: { update: { approvalStyle: "visual" } } } } });
 * flow.load({ id: "t1", nodes: [{ id: "n1", type: "idea", data: { title: "Old" } }] });
 * const answer = flow.callTool("updateNode", { taskId: "t1", nodeId: "n1", newData: { title: "New" } });
 * if (!("pending_confirmation" in answer)) throw new Error("It was made at once, or refused.");
 * answer.pending_confirmation.diff; // { title: { before: "Old", after: "New" } }
 * flow.approve(answer.pending_confirmation.proposalId);
 * flow.node("t1", "n1")?.data; // { title: "New" }
 * ```
 *
 * **An agent cannot approve itself.** {@link FlowStore.callTool} is the agent's door: nothing that comes through it is an
 * approval. {@link FlowStore.updateNode}, {@link FlowStore.approve} and {@link FlowStore.refuse} are the page's, which is
 * trusted: never pass an agent's arguments to them.
 */
export class FlowStore {
  /** Each flow is an instance without structure rules. */
  readonly #store: PatchStore;
  readonly #proposals: NodeProposals;
  readonly #nodeTypes: { readonly [type: string]: NodeType };
  readonly #language: string;

  /** @throws GenuiPatchError `INVALID_ARGUMENT` for options that are not understood. */
  constructor(options?: FlowStoreOptions);
  constructor(options: FlowStoreOptions = {}, ...[saved]: [saved?: string]) {
    checkOptions(options);
    const { nodeTypes, displayLanguage, ...rest } = options;
    this.#nodeTypes = nodeTypes ?? {};
    this.#language = displayLanguage ?? "en";
    const known = saved === undefined ? undefined : readSaved(saved);
    const open = { ...rest, rules: "open" as const };
    this.#store = known === undefined ? new PatchStore(open) : PatchStore.restore(known.store, open);
    this.#proposals = new NodeProposals(this.#store, known?.nodes);
    bindMethods(this);
  }

  /**
   * A store from the text of {@link FlowStore.save}.
   * The approval that a type of node needs is an option, which is not in the text: a type that `nodeTypes` does not have is
   * refused unless `allowUnknownTypes` is true.
   * @throws GenuiPatchError with the code of what is wrong with the text; `INVALID_ARGUMENT` for a type that is missing.
   */
  static restore(saved: string, options: FlowRestoreOptions = {}): FlowStore {
    requireText("restore", "saved text", saved);
    requireObject("restore", "options", options);
    const { allowUnknownTypes, ...rest } = options;
    const allows = requireFlag("restore", "allowUnknownTypes", allowUnknownTypes, false);
    const Restored = FlowStore as new (options: FlowStoreOptions, saved: string) => FlowStore;
    const flow = new Restored(rest, saved);
    const unknown = allows ? [] : flow.#unknownTypes();
    if (unknown.length === 0) return flow;
    flow.dispose();
    const lacks = `restore: nodeTypes lacks ${listNames(unknown)}, which the saved flows use.`;
    throw misuse(`${lacks} Give them, or allowUnknownTypes: true.`);
  }

  /** The types of nodes that say nothing of approval here. */
  #unknownTypes(): string[] {
    const nodes = this.taskIds().flatMap((taskId) => nodesOf(this.#store, taskId) ?? []);
    const types = new Set(nodes.map((node) => node?.type).filter(isText));
    return [...types].filter((type) => !Object.hasOwn(this.#nodeTypes, type));
  }

  /** The store as text: flows, and proposals that wait. Options are not in it. */
  save(): string {
    const store = this.#store.save();
    return JSON.stringify({ "genui-patch-flow": VERSION, store, nodes: this.#proposals.save() });
  }

  /** Takes a task flow, whole: a value or its JSON text. Proposals are carried over where it leaves their fields alone. */
  load(taskFlow: TaskFlow | string): LoadFlowResult {
    const text = typeof taskFlow === "string" ? taskFlow : toText(taskFlow, "task flow");
    const value = parseJson(text);
    if (value === undefined) return { status: "error", error: this.#explain(text) };
    const checked = checkFlow(value);
    if ("error" in checked) return { status: "error", error: checked.error };
    const result = this.#store.load(checked.id, checked.flow);
    if (result.status === "error") return { status: "error", error: result.error };
    return { status: "success", taskId: checked.id, revision: result.revision };
  }

  /** The ids of the flows. */
  taskIds(): string[] {
    return this.#store.names();
  }

  /** A flow as it stands: the same object until it changes, frozen. `undefined` for one that is not there. */
  snapshot(taskId: string): DeepReadonly<Json> | undefined {
    return this.#store.snapshot(taskId);
  }

  /** A node as it stands: the same object until it changes, frozen. `undefined` for one that is not there. */
  node(taskId: string, nodeId: string): DeepReadonly<FlowNode> | undefined {
    requireText("node", "node id", nodeId);
    return this.#find(taskId, nodeId);
  }

  /** How often a flow has changed since it came; 0 for one that is not there. */
  revision(taskId: string): number {
    return this.#store.revision(taskId);
  }

  #find(taskId: string, nodeId: string): DeepReadonly<FlowNode> | undefined {
    return nodesOf(this.#store, taskId)?.find((node) => node?.id === nodeId) ?? undefined;
  }

  /**
   * The page's door. `isApprovedUpdate: true` makes the update; with the `parameters` of a pending confirmation, which
   * carry its proposal, once. Never pass an agent's arguments to it: {@link FlowStore.callTool} is there for that.
   */
  updateNode(args: UpdateNodeArgs | string): UpdateNodeResult {
    const read = this.#read(args);
    if ("error" in read) return read;
    const { update, node } = read;
    const id = update.proposalId ?? undefined;
    if (!update.isApprovedUpdate && this.#isVisual(update, node)) return this.#propose(update, node);
    if (!update.isApprovedUpdate || id === undefined) return this.#make(update);
    const proposal = this.#proposals.known.get(id);
    if (proposal !== undefined && (proposal.taskId !== update.taskId || proposal.nodeId !== update.nodeId)) {
      const text = `The proposal is about node "${proposal.nodeId}" of "${proposal.taskId}".`;
      return refuse("INVALID_ARGUMENT", text, "Send the parameters as they came.", "proposalId");
    }
    if (proposal === undefined || equal(proposal.newData, update.newData)) return this.approve(id);
    const isProposed = (field: string): boolean => Object.hasOwn(proposal.newData, field);
    const edits = Object.entries(update.newData).filter(
      ([field, value]) => !isProposed(field) || !equal(proposal.newData[field] as Json, value),
    );
    const fields = Object.keys(update.newData).filter(isProposed);
    return this.approve(id, { fields, edits: Object.fromEntries(edits) });
  }

  /**
   * The agent's door. Never throws for what an agent sent, and never approves: `isApprovedUpdate` and `proposalId` mean
   * nothing here, and fields that wait for a person's yes stay as they are.
   */
  callTool(tool: string, args: object | string): UpdateNodeResult {
    if (tool !== "updateNode") {
      const name = JSON.stringify(typeof tool === "string" ? cut(tool) : typeof tool);
      return refuse("UNKNOWN_TOOL", `There is no tool ${name}.`, "Use updateNode.");
    }
    let sent: string;
    try {
      sent = typeof args === "string" ? args : toText(args ?? null, "arguments");
    } catch (cause) {
      if (!(cause instanceof GenuiPatchError)) throw cause;
      return refuse("INVALID_ARGUMENT", cause.message, "Send arguments that JSON can carry.");
    }
    const read = this.#read(sent);
    if ("error" in read) return read;
    const { update, node } = read;
    const waiting = this.#proposals.waiting(update);
    const same = waiting.find(({ newData }) => equal(newData, update.newData));
    if (same === undefined && waiting.length === 0 && !this.#isVisual(update, node)) return this.#make(update);
    const answer = same === undefined ? this.#propose(update, node) : this.#pending(same);
    if (!update.isApprovedUpdate || !("pending_confirmation" in answer)) return answer;
    const text = "The update waits for a person's yes, which no call of yours can give.";
    return { ...answer, ...refuse("NEEDS_APPROVAL", text, "Wait for the person's decision; do not send it again.") };
  }

  /** @internal */
  [toolSet](): ToolSet {
    return flowTools(this);
  }

  /** The arguments, and the node that they are about. */
  #read(args: object | string): { update: Update; node: DeepReadonly<FlowNode> } | FlowRefusal {
    const update = readArgs(args, (text) => this.#explain(text));
    if ("error" in update) return update;
    const { taskId, nodeId } = update;
    const use = (ids: readonly string[], none: string) => (ids.length === 0 ? none : `Use one of ${listNames(ids)}.`);
    const nodes = nodesOf(this.#store, taskId);
    if (nodes === undefined) {
      const solution = use(this.taskIds(), "No task flow is loaded.");
      return refuse("INVALID_INSTANCE", `There is no task flow "${taskId}".`, solution, "taskId");
    }
    const node = this.#find(taskId, nodeId);
    if (node !== undefined) return { update, node };
    const ids = nodes.flatMap((node) => node?.id ?? []);
    const message = `There is no node "${nodeId}" in "${taskId}".`;
    return refuse("PATH_NOT_FOUND", message, use(ids, "The flow has no nodes."), "nodeId");
  }

  #type({ type }: DeepReadonly<FlowNode>): NodeType | undefined {
    return type !== undefined && Object.hasOwn(this.#nodeTypes, type) ? this.#nodeTypes[type] : undefined;
  }

  /** The stricter of the two styles; a type that needs approval and has no style is reviewed. */
  #isVisual({ approvalStyle: style }: Update, node: DeepReadonly<FlowNode>): boolean {
    const { approvalStyle, needsApproval = false } = this.#type(node)?.actions?.update ?? {};
    return style === "visual" || (approvalStyle ?? (needsApproval ? "visual" : "text")) === "visual";
  }

  #make(update: Update): UpdateNodeResult {
    const { taskId, nodeId } = update;
    const result = this.#store.apply(this.#proposals.call(update));
    return result.status === "error" ? { error: result.error } : this.#updated(taskId, nodeId, updatedEffects(taskId));
  }

  #updated(taskId: string, nodeId: string, effects: Effect[]): ApproveNodeResult {
    return { updated: true, node: this.#find(taskId, nodeId) as DeepReadonly<FlowNode>, effects };
  }

  #propose(update: Update, node: DeepReadonly<FlowNode>): UpdateNodeResult {
    const fields = this.#type(node)?.ui?.diffFields ?? update.diffFields;
    const record = this.#proposals.propose(update, fields?.length ? fields : undefined);
    return "error" in record ? record : this.#pending(record);
  }

  #pending(record: NodeRecord): UpdateNodeResult {
    const { taskId, nodeId, newData } = record;
    const { id: proposalId, diff, otherChanges, revision } = this.#proposals.shown(record);
    const parameters = { taskId, nodeId, newData, isApprovedUpdate: true, proposalId };
    const displayMessage = message(this.#language, "confirm");
    const shown = { displayMessage, diff, otherChanges, nodeId, proposalId, revision };
    return {
      pending_confirmation: { tool_name: "updateNode", parameters, ...shown },
      effects: proposedEffects(nodeId, diff),
    };
  }

  /**
   * The person's yes: to all of a proposal, to some `fields`, or with values of their own (`edits`, by field). Where other
   * fields have changed since, the proposal is carried over; where the same have, the answer is `STALE_PROPOSAL` with what
   * it would change now. For the page alone.
   */
  approve(proposalId: string, options: ApproveNodeOptions = {}): ApproveNodeResult {
    const record = this.#proposals.approve(proposalId, options);
    if ("error" in record) return record;
    const { taskId, nodeId } = record;
    return this.#updated(taskId, nodeId, settledEffects(taskId, nodeId, message(this.#language, "approved")));
  }

  /** The person's no. For the page alone. */
  refuse(proposalId: string, reason?: string): RefuseNodeResult {
    const record = this.#proposals.refuse(proposalId, reason);
    if ("error" in record) return record;
    const text = message(this.#language, "refused");
    const effects = settledEffects(record.taskId, record.nodeId, reason === undefined ? text : `${text} ${reason}`);
    return { refused: true, proposal: this.#proposals.shown(record), effects };
  }

  /** The proposals, those that are settled among them: the same list, frozen, until one of them changes. */
  proposals(): readonly NodeProposal[] {
    return this.#proposals.all();
  }

  /** Calls the listener after every change, and when a proposal comes or is settled. */
  subscribe(listener: (event: FlowEvent) => void): () => void {
    requireFunction("subscribe", "listener", listener);
    return this.#store.subscribe((event) => listener(this.#toEvent(event)));
  }

  #toEvent({ type, instance_name: taskId, changes, revision, proposalId }: StoreEvent): FlowEvent {
    if (type === "proposal" && proposalId !== undefined) {
      const nodeId = this.#proposals.known.get(proposalId)?.nodeId;
      return { type, taskId, nodeIds: nodeId === undefined ? [] : [nodeId], changes, revision, proposalId };
    }
    const nodes = nodesOf(this.#store, taskId);
    const indexes = new Set(changes.flatMap(({ path: [root, index] }) => (root === "nodes" ? [index as number] : [])));
    const nodeIds = [...indexes].flatMap((index) => nodes?.[index]?.id ?? []);
    return { type: nodeIds.length > 0 ? "update" : "load", taskId, nodeIds, changes, revision };
  }

  /** What is wrong with a text that is not JSON. */
  #explain(text: string): PatchError {
    const result = this.#store.propose(text);
    if (result.status === "error") return result.error;
    return refuse("INVALID_JSON", "The text is no JSON.", "Send one JSON text (RFC 8259).").error;
  }

  /** Gives the store's memory back. May be called twice; everything else then throws `DISPOSED`. */
  dispose(): void {
    this.#store.dispose();
  }

  declare [Symbol.dispose]: () => void;
}

function readSaved(text: string): { store: string; nodes: unknown } {
  const damaged = (code: string) =>
    new GenuiPatchError(code, "The text is not one that save() of a FlowStore returned.");
  const saved = parseJson(text) as Members | null | undefined;
  if (saved === undefined) throw damaged("INVALID_JSON");
  if (saved?.["genui-patch-flow"] !== VERSION || typeof saved.store !== "string") throw damaged("INVALID_STRUCTURE");
  return { store: saved.store, nodes: saved.nodes };
}
