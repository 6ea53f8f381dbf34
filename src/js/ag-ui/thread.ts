/** `AgUiThread`: the page's side of a conversation in AG-UI, versions 1.0 and 1.1. */
import type { AgentResult, AgentTools, ExecuteOptions } from "../agent/types.js";
import { keepIfEqual } from "../approval/collection.js";
import type { NativeCallStream } from "../blocks/native/index.js";
import type { ToolBlockEvent } from "../blocks/types.js";
import { GenuiPatchError } from "../core/errors.js";
import { copyJson, copyWithinDepth, parseJson } from "../core/json.js";
import { isObject, isText, type Members } from "../core/kinds.js";
import { Listeners } from "../core/listeners.js";
import { ANY, FUNCTION, requireOptions, requireText, TEXT, wrong } from "../core/require.js";
import { deepFreeze } from "../core/tree.js";
import type { PatchStore } from "../store.js";
import type { Json, ServerMessage } from "../types.js";
import { EventOrder } from "./order.js";
import { type Interrupt, type InterruptProposal, METADATA, type ResumeEntry } from "./types.js";

type Event = { readonly [key: string]: unknown };

/**
 * How the last run ended. A malformed outcome is an `error` too. An outcome of a later version is `success`. `pendingToolCallIds`
 * are the calls that have no result; of an interrupted run, those for which no interrupt asks.
 */
export type AgUiOutcome =
  | { type: "success"; pendingToolCallIds: readonly string[] }
  | { type: "interrupt"; interrupts: readonly Interrupt[]; pendingToolCallIds: readonly string[] }
  | { type: "cancelled" }
  | { type: "error"; message: string };

/**
 * Something in the stream that breaks the protocol, or had no effect, or not its whole effect: an event out of order, an unknown
 * one, a delta that does not apply.
 */
export interface AgUiWarning {
  message: string;
  /** The event, as it was sent. */
  event: object;
}

export interface AgUiThreadOptions {
  /**
   * Makes the reader of a run's tool calls: `() => new NativeCallStream({ format: "ag-ui", tools: agent.blocks })`. It comes from
   * the page, which loads the module of tool blocks in its own way.
   */
  calls: () => Pick<NativeCallStream<string>, "push" | "dispose">;
  /** The tools that run in the page. */
  agent?: Pick<AgentTools, "executeBlock"> | undefined;
  /** Receives the state of the runs, and their activities, each as an instance named like its message. */
  store?: Pick<PatchStore, "receive" | "load" | "snapshot"> | undefined;
  /** The instance that is the state. Without it the state is the active instance. */
  instance?: string | undefined;
  /** Called with the messages of each `MESSAGES_SNAPSHOT`. */
  onMessages?: ((messages: readonly unknown[]) => void) | undefined;
  /** Called with each problem of the stream. */
  onWarning?: ((warning: AgUiWarning) => void) | undefined;
}

/** The user's answer to an interrupt. */
export interface AnswerOptions {
  /** For a tool call: the user's own arguments, which replace the proposed ones. */
  args?: { readonly [key: string]: unknown } | undefined;
  /** The answer itself, where the interrupt asks for something else than an approval. */
  payload?: unknown;
  /** A signed approval, for the agent to verify: that of `room.approval` of `genui-patch/server`. */
  approval?: unknown;
}

/** The maximum number of calls that are kept for the interrupts of later runs. */
const MAX_CALLS = 1_000;
/** The kinds of the options: of the constructor, and of {@link AgUiThread.approve}. */
const OPTIONS = { calls: FUNCTION, agent: ANY, store: ANY, instance: TEXT, onMessages: FUNCTION, onWarning: FUNCTION };
const ANSWER = { args: ANY, payload: ANY, approval: ANY };

/**
 * Reads the events of a thread's runs: tool calls, state, activities, messages and interrupts. An interrupt becomes a proposal,
 * so that a thread is one more source of a `ProposalList`; `resume()` has the user's answers for the next run.
 *
 * ```ts
 * const calls = () => new NativeCallStream({ format: "ag-ui", tools: agent.blocks });
 * const thread = new AgUiThread({ calls, agent, store, instance: "page" });
 * await backend.runAgent({ tools: agent.definitions("ag-ui") }, { onEvent: ({ event }) => void thread.push(event) });
 * backend.addMessages(agent.reply(await thread.execute(), "ag-ui"));
 * ```
 */
export class AgUiThread {
  readonly #options: AgUiThreadOptions;
  readonly #listeners = new Listeners<void>();
  /** The reader of the run's tool calls. */
  #stream: ReturnType<AgUiThreadOptions["calls"]>;
  /** The finished calls of the run, by id. */
  #calls = new Map<string, ToolBlockEvent>();
  /** The tool and the arguments of the calls of all runs, by id of the call; at most {@link MAX_CALLS}. */
  readonly #toolArguments = new Map<string, { tool: string; args: Members }>();
  /** The ids of the run's calls that have a result. */
  #answeredIds = new Set<string>();
  /** The activities that are instances of the store, by id of their message. The value: whether the agent still shows it. */
  readonly #activities = new Map<string, boolean>();
  readonly #order = new EventOrder();
  #outcome: AgUiOutcome | undefined;
  /** The interrupts of the last run, by id. */
  #proposals = new Map<string, InterruptProposal>();
  /** The user's answers to the interrupts of the last run, by id of the interrupt. */
  #answers = new Map<string, ResumeEntry>();
  /** The list that {@link proposals} has returned last. */
  #list: readonly InterruptProposal[] = [];

  constructor(options: AgUiThreadOptions) {
    requireOptions("AgUiThread", options, OPTIONS);
    if (typeof options.calls !== "function")
      throw wrong(
        "AgUiThread",
        "calls",
        "a function that returns a NativeCallStream of the format ag-ui",
        options.calls,
      );
    this.#options = options;
    this.#stream = options.calls();
  }

  /**
   * Reads the next event of a run, and returns what it says of tool calls. Never throws for what a server sends: an event that
   * breaks the order of AG-UI is passed to `onWarning`. It has no effect if it belongs to no run or to no open call; a call that
   * events contradict is cut off; reading continues after all other problems.
   */
  push(event: object): ToolBlockEvent[] {
    if (!isObject(event)) return [];
    const problem = this.#order.read(event);
    if (problem !== undefined) this.#warn(problem.message, event);
    if (problem?.isRefused) return [];
    if (event.type === "RUN_STARTED") this.#start();
    const events = this.#stream.push(event);
    for (const each of events) if (each.type === "json-tool-block") this.#recordCall(each);
    const react = isText(event.type) && Object.hasOwn(REACTIONS, event.type) ? REACTIONS[event.type] : undefined;
    react?.(this.#reactions, event);
    return events;
  }

  /** The private methods that {@link REACTIONS} calls. */
  readonly #reactions: Reactions = {
    result: (id) => void this.#answeredIds.add(id),
    state: (event) => this.#changeState(event),
    activity: (event) => this.#showActivity(event),
    activityDelta: (event) => this.#changeActivity(event),
    messages: (event) => this.#showMessages(event),
    end: (outcome, event) => this.#end(outcome, event),
  };

  #warn(message: string, event: Event): void {
    this.#options.onWarning?.({ message, event });
  }

  /** Begins a run: forgets the calls and the interrupts of the last one. */
  #start(): void {
    this.#stream.dispose();
    this.#stream = this.#options.calls();
    this.#calls = new Map();
    this.#answeredIds = new Set();
    this.#outcome = undefined;
    if (this.#proposals.size === 0) return;
    // The agent has started this run with the answers to them.
    this.#proposals = new Map();
    this.#answers = new Map();
    this.#listeners.emit();
  }

  /** Records a call whose events have ended. */
  #recordCall(block: ToolBlockEvent & { type: "json-tool-block" }): void {
    const { toolId, toolType, content, status } = block;
    this.#calls.set(toolId, block);
    // The tool may be one of the server's: then the page does not know it, and `block` has no parsed arguments.
    const args = status === "complete" ? parseJson(content) : undefined;
    if (toolType === null || !isObject<Json>(args)) return;
    this.#toolArguments.set(toolId, { tool: toolType, args });
    const [oldestId = toolId] = this.#toolArguments.keys();
    if (this.#toolArguments.size > MAX_CALLS) this.#toolArguments.delete(oldestId);
  }

  /** Passes a message on to the store. What the store refuses or skips becomes a warning. */
  #receive(message: ServerMessage, event: Event, instance: string | undefined): void {
    const result = this.#options.store?.receive(message, instance === undefined ? {} : { instance });
    if (result?.error) this.#warn(result.error.message, event);
    for (const { error } of result?.skipped ?? []) if (error) this.#warn(error.message, event);
  }

  /** Passes a snapshot or a patch of the state on to the store. */
  #changeState(event: Event): void {
    const { store, instance } = this.#options;
    // Without a state, the first patch applies to an empty object.
    const lacksState = instance !== undefined && store !== undefined && store.snapshot(instance) === undefined;
    if (lacksState && event.type === "STATE_DELTA")
      this.#receive({ type: "STATE_SNAPSHOT", snapshot: {} }, event, instance);
    this.#receive(event, event, instance);
  }

  /** Loads an activity into the store, as an instance with the activity's type and content. */
  #showActivity(event: Event): void {
    const { messageId, activityType, content, replace } = event;
    const { store } = this.#options;
    if (store === undefined) return;
    if (!isText(messageId) || messageId === "" || !isText(activityType) || !isObject(content)) {
      this.#warn("An activity has no messageId, activityType or content.", event);
      return;
    }
    // The snapshot is only for pages that do not show the activity yet.
    if (replace === false && this.#activities.get(messageId)) return;
    if (store.snapshot(messageId) !== undefined && !this.#activities.has(messageId)) {
      this.#warn(`The activity "${messageId}" has the name of another instance, which stays as it is.`, event);
      return;
    }
    const result = store.load(messageId, { activityType, content }, { rules: "open", author: { kind: "agent" } });
    if (result.error) this.#warn(result.error.message, event);
    else this.#activities.set(messageId, true);
  }

  /** Applies a patch to the content of an activity. */
  #changeActivity(event: Event): void {
    const { messageId, activityType, patch } = event;
    if (!isText(messageId) || !this.#activities.get(messageId)) {
      this.#warn("There is no activity for this patch.", event);
      return;
    }
    // Pointers of the patch begin at the content, those of the instance above it. The store checks the rest of the patch.
    const toInstancePointer = (pointer: unknown) => (isText(pointer) ? `/content${pointer}` : pointer);
    const operations = Array.isArray(patch)
      ? patch.map((each: unknown) =>
          isObject(each)
            ? {
                ...each,
                path: toInstancePointer(each.path),
                ...("from" in each && { from: toInstancePointer(each.from) }),
              }
            : each,
        )
      : [patch];
    // The event also names the type, which may have changed.
    const typeChange = { op: "replace", path: "/activityType", value: activityType };
    const delta = isText(activityType) ? [...operations, typeChange] : operations;
    this.#receive({ type: "STATE_DELTA", delta }, event, messageId);
  }

  /** Shows the activities among all messages of the conversation, and passes the messages on to the page. */
  #showMessages({ messages }: Event): void {
    if (!Array.isArray(messages)) return;
    const activities = messages.filter((message) => isObject(message) && message.role === "activity");
    // A list with activities is complete: activities that it lacks are no longer shown.
    if (activities.length > 0) for (const id of this.#activities.keys()) this.#activities.set(id, false);
    for (const message of activities) this.#showActivity({ ...message, messageId: message.id });
    this.#options.onMessages?.(messages);
  }

  /** Ends a run. A run without an outcome was successful. */
  #end(sentOutcome: unknown, event: Event): void {
    const outcome = sentOutcome ?? { type: "success" };
    const { type, interrupts, pendingToolCallIds, message } = isObject(outcome) ? outcome : {};
    const lacksInterrupts = type === "interrupt" && !(Array.isArray(interrupts) && interrupts.length > 0);
    if (!isText(type) || lacksInterrupts) {
      this.#outcome = { type: "error", message: "The outcome of the run is malformed." };
      this.#warn(this.#outcome.message, event);
      return;
    }
    const unansweredIds = [...this.#calls.keys()].filter((id) => !this.#answeredIds.has(id));
    if (type === "cancelled") this.#outcome = { type };
    else if (type === "error") this.#outcome = { type, message: String(message) };
    else if (type === "interrupt" && Array.isArray(interrupts)) this.#interrupt(interrupts, unansweredIds, event);
    else {
      if (type !== "success") this.#warn(`The outcome "${type}" is not known: success is assumed.`, event);
      const sentIds = Array.isArray(pendingToolCallIds) ? pendingToolCallIds.filter(isText) : [];
      this.#outcome = { type: "success", pendingToolCallIds: sentIds.length > 0 ? sentIds : unansweredIds };
    }
  }

  /** Ends an interrupted run: makes its interrupts proposals. `unansweredIds`: the ids of the run's calls without a result. */
  #interrupt(sentInterrupts: readonly unknown[], unansweredIds: readonly string[], event: Event): void {
    for (const each of sentInterrupts) {
      const interrupt = toInterrupt(each);
      if (interrupt === undefined || this.#proposals.has(interrupt.id)) {
        this.#warn("An interrupt has no id of its own, or no reason.", event);
        continue;
      }
      const { id, reason, toolCallId = "" } = interrupt;
      const proposed = this.#toolArguments.get(toolCallId) ?? { tool: reason, args: {} };
      this.#setProposal({
        id,
        kind: "call",
        target: proposed.tool,
        // The proposal of a call has no document that it would change.
        revision: 0,
        diff: [],
        changes: [],
        status: "pending",
        proposed,
        interrupt,
      });
    }
    const interrupts = [...this.#proposals.values()].map(({ interrupt }) => interrupt);
    const idsInInterrupts = new Set(interrupts.map(({ toolCallId }) => toolCallId));
    const pendingToolCallIds = unansweredIds.filter((id) => !idsInInterrupts.has(id));
    this.#outcome = { type: "interrupt", interrupts, pendingToolCallIds };
  }

  /** Adds or replaces a proposal. */
  #setProposal(proposal: InterruptProposal): void {
    this.#proposals.set(proposal.id, Object.freeze(proposal));
    this.#listeners.emit();
  }

  /** How the last run ended; `undefined` while it goes on. */
  get outcome(): AgUiOutcome | undefined {
    return this.#outcome;
  }

  /**
   * Executes the calls that the last run has left to the page, one after the other. Where the run was interrupted, a call of a
   * tool that the page does not have is left to the agent, which executes it when it is resumed.
   */
  async execute(options?: ExecuteOptions): Promise<AgentResult[]> {
    const { agent } = this.#options;
    const outcome = this.#outcome;
    const ids = outcome?.type === "success" || outcome?.type === "interrupt" ? outcome.pendingToolCallIds : [];
    const results: AgentResult[] = [];
    for (const id of ids) {
      const block = this.#calls.get(id);
      if (agent === undefined || block === undefined) continue;
      const isAgentTool = block.type === "json-tool-block" && block.issues.some(({ code }) => code === "UNKNOWN_TOOL");
      if (outcome?.type === "interrupt" && isAgentTool) continue;
      results.push(...(await agent.executeBlock(block, options)));
    }
    return results;
  }

  /** The interrupts of the last run, as proposals: the same list until one of them changes. */
  proposals(): readonly InterruptProposal[] {
    this.#list = keepIfEqual(this.#list, [...this.#proposals.values()]);
    return this.#list;
  }

  /**
   * The user approves a call, or gives the answer that the interrupt asks for.
   * @throws GenuiPatchError `UNKNOWN_PROPOSAL`, `PROPOSAL_SETTLED`, `STALE_PROPOSAL` for an interrupt that has expired,
   * `MISSING_VALUE` without a `payload` where it is needed.
   */
  approve(id: string, options: AnswerOptions = {}): void {
    requireOptions("approve", options, ANSWER);
    const { args, payload, approval } = options;
    const { interrupt, ...proposal } = this.#pendingProposal("approve", id);
    if (isExpired(interrupt))
      throw new GenuiPatchError("STALE_PROPOSAL", `The interrupt "${id}" has expired: refuse it.`);
    if (payload === undefined && !asksApproval(interrupt))
      throw new GenuiPatchError(
        "MISSING_VALUE",
        `The interrupt "${id}" (${interrupt.reason}) asks for a value: pass it as payload.`,
      );
    const editedArgs = args === undefined ? undefined : copyJson(args, "args");
    const approvalAnswer = isBooleanAnswer(interrupt)
      ? true
      : { approved: true, ...(editedArgs !== undefined && { editedArgs }) };
    const metadata = approval === undefined ? undefined : { [METADATA]: { approval: copyJson(approval, "approval") } };
    this.#answers.set(id, {
      interruptId: id,
      status: "resolved",
      payload: copyJson(payload ?? approvalAnswer, "payload"),
      ...(metadata && { metadata }),
    });
    const approvedCall = isObject<Json>(editedArgs) ? { approved: { tool: proposal.target, args: editedArgs } } : {};
    this.#setProposal({ ...proposal, interrupt, status: "approved", ...approvedCall });
  }

  /** The user refuses a call, with a reason for the agent. @throws GenuiPatchError `UNKNOWN_PROPOSAL`, `PROPOSAL_SETTLED`. */
  refuse(id: string, reason?: string): void {
    if (reason !== undefined) requireText("refuse", "reason", reason);
    const { interrupt, ...proposal } = this.#pendingProposal("refuse", id);
    // "No" is an answer only to a question for approval. Any other interrupt, and one that has expired, is cancelled.
    const isAnswer = !isExpired(interrupt) && asksApproval(interrupt);
    const payload = isBooleanAnswer(interrupt) ? false : { approved: false, ...(reason !== undefined && { reason }) };
    this.#answers.set(id, {
      interruptId: id,
      ...(isAnswer ? { status: "resolved", payload } : { status: "cancelled" }),
    });
    this.#setProposal({ ...proposal, interrupt, status: "refused", ...(reason !== undefined && { reason }) });
  }

  /** The proposal with this id, which must wait for the user. @throws GenuiPatchError `UNKNOWN_PROPOSAL`, `PROPOSAL_SETTLED` */
  #pendingProposal(method: string, id: string): InterruptProposal {
    requireText(method, "proposal id", id);
    const proposal = this.#proposals.get(id);
    if (proposal === undefined) throw new GenuiPatchError("UNKNOWN_PROPOSAL", `No interrupt has the id "${id}".`);
    if (proposal.status === "pending") return proposal;
    throw new GenuiPatchError("PROPOSAL_SETTLED", `The interrupt "${id}" was answered before.`);
  }

  /**
   * The answers for the next run; `undefined` if the last run was not interrupted.
   * @throws GenuiPatchError `NEEDS_APPROVAL` while an interrupt has no answer: AG-UI does not take a part of them.
   */
  resume(): ResumeEntry[] | undefined {
    if (this.#proposals.size === 0) return undefined;
    const pending = this.proposals().filter(({ status }) => status === "pending");
    if (pending.length > 0) {
      const names = pending.map(({ id }) => `"${id}"`).join(", ");
      throw new GenuiPatchError(
        "NEEDS_APPROVAL",
        `Interrupts wait for the user: ${names}. Approve or refuse each of them.`,
      );
    }
    return [...this.#answers.values()];
  }

  /** Calls the listener when `proposals()` changes. Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void {
    return this.#listeners.subscribe(listener);
  }
}

/** What a thread does with the events that {@link REACTIONS} names. */
interface Reactions {
  result(id: string): void;
  state(event: Event): void;
  activity(event: Event): void;
  activityDelta(event: Event): void;
  messages(event: Event): void;
  end(outcome: unknown, event: Event): void;
}

/** The reactions by type of event. Events without a row, also those of later versions, have no effect beside tool calls. */
const REACTIONS: { readonly [type: string]: (thread: Reactions, event: Event) => void } = {
  TOOL_CALL_RESULT: (thread, { toolCallId }) => thread.result(String(toolCallId)),
  STATE_SNAPSHOT: (thread, event) => thread.state(event),
  STATE_DELTA: (thread, event) => thread.state(event),
  MESSAGES_SNAPSHOT: (thread, event) => thread.messages(event),
  ACTIVITY_SNAPSHOT: (thread, event) => thread.activity(event),
  ACTIVITY_DELTA: (thread, event) => thread.activityDelta(event),
  RUN_FINISHED: (thread, event) => thread.end(event.outcome, event),
  RUN_ERROR: (thread, event) => thread.end({ type: "error", message: event.message }, event),
};

/**
 * A frozen copy of an interrupt, without unknown members and without members of a wrong type; `undefined` for an interrupt that
 * has no id or no reason, or is nested too deep.
 */
function toInterrupt(sent: unknown): Interrupt | undefined {
  const copy = copyWithinDepth(sent, "interrupt");
  if (!isObject<Json>(copy)) return undefined;
  const { id, reason, responseSchema, metadata, ...others } = copy;
  if (!isText(id) || !isText(reason)) return undefined;
  const interrupt: Interrupt = { id, reason };
  for (const key of ["message", "toolCallId", "expiresAt", "subagentRunId"] as const) {
    const value = others[key];
    if (isText(value)) interrupt[key] = value;
  }
  if (isObject(responseSchema)) interrupt.responseSchema = responseSchema;
  if (isObject(metadata)) interrupt.metadata = metadata;
  deepFreeze(interrupt);
  return interrupt;
}

const isExpired = ({ expiresAt }: Interrupt) => expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();

/** Whether an approval is answered by `true` or `false` alone, not by an object with `approved`. */
const isBooleanAnswer = ({ toolCallId, responseSchema }: Interrupt) =>
  toolCallId === undefined && (responseSchema === undefined || responseSchema.type === "boolean");

/**
 * Whether the interrupt asks for an approval: of a call; by a boolean or an object with `approved`; or without a schema, unless
 * it asks for input.
 */
function asksApproval({ reason, toolCallId, responseSchema }: Interrupt): boolean {
  if (toolCallId !== undefined) return true;
  if (responseSchema === undefined) return reason !== "input_required";
  return responseSchema.type === "boolean" || isObject(responseSchema.properties?.approved);
}
