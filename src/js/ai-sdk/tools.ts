/** `toolsWithApproval`: an agent's side of the AI SDK's approvals. */
import { approveEdited, type Source } from "../ag-ui/interrupts.js";
import type { AgentTools, AiSdkTool, CallProposal } from "../agent/types.js";
import type { Proposal } from "../approval/types.js";
import { isObject, isText } from "../core/kinds.js";
import { FUNCTION, LIST, requireKind, requireOptions } from "../core/require.js";
import { type Addition, readAddition } from "./answer.js";

/** A source of proposals and their outcomes: a `PatchStore`, a `Workspace`, a `FlowStore`, an agent. */
interface ProposalSource extends Source {
  proposals(): readonly (Proposal | CallProposal)[];
}

export interface ToolsWithApprovalOptions {
  /** The messages of the run, as `streamText` gets them. */
  messages: readonly { readonly role: string; readonly content: unknown }[];
  /** The store, workspace and flows that the agent works on, whose proposals are approved. Its own tools need no source. */
  sources?: readonly ProposalSource[] | undefined;
  /**
   * Whether an answer carries a valid approval, where the agent requires signed ones: `verifyApproval` of `genui-patch/server`
   * says so. A call for which this is not true is not executed, and stays a proposal.
   */
  verify?: ((approval: unknown, proposalId: string) => boolean | PromiseLike<boolean>) | undefined;
}

/** The SDK's status of a call: it needs no approval, the user has to decide, or the policy denies it. */
export type SdkApproval = undefined | { type: "user-approval"; reason: string } | { type: "denied"; reason: string };

/** Options of `streamText`, `generateText` and `ToolLoopAgent`. */
export interface ToolsWithApproval {
  tools: { [tool: string]: AiSdkTool };
  toolApproval: {
    // biome-ignore lint/suspicious/noExplicitAny: the types of messages are the SDK's own, which this package does not import.
    [tool: string]: (input: any, options: { toolCallId: string; messages: any[] }) => Promise<SdkApproval>;
  };
}

/** An answer of the user. `reason` is that of a refusal. */
interface Answer extends Addition {
  approved: boolean;
  reason?: string;
}

const OPTIONS = { messages: LIST, sources: LIST, verify: FUNCTION };

/**
 * The tools of an agent and their approval, for one run of the AI SDK 7. A call that the agent's policy wants the user to approve
 * becomes a proposal and the SDK's approval request; one that the policy denies is denied. When the run continues with the user's
 * responses, an approved proposal is applied, with the user's own arguments if they edited, and a denied one is refused.
 *
 * ```ts
 * const { tools, toolApproval } = toolsWithApproval(agent, { messages, sources: [store] });
 * streamText({ model, messages, tools, toolApproval });
 * ```
 * A proposal is applied only by an approved response to the SDK's own request, and only once.
 */
export function toolsWithApproval(agent: AgentTools, options: ToolsWithApprovalOptions): ToolsWithApproval {
  requireOptions("toolsWithApproval", options, OPTIONS);
  const { messages, sources = [], verify } = options;
  requireKind("toolsWithApproval", "messages", messages, LIST);
  const allSources: readonly ProposalSource[] = [...sources, agent];
  /** A proposal with the source that has it. */
  const findProposal = (id: string) => {
    for (const source of allSources) {
      const proposal = source.proposals().find((each) => each.id === id);
      if (proposal !== undefined) return { source, proposal };
    }
    return undefined;
  };
  /**
   * The proposal of the last call with this id; `undefined` without one. Some providers use an id for several calls, so `tool` is
   * compared too, where it is known.
   */
  const proposalOf = (toolCallId: string, tool?: string) => {
    const [call] = agent
      .calls()
      .filter((each) => each.id === toolCallId && (tool === undefined || each.tool === tool))
      .slice(-1);
    return call?.result?.proposal && findProposal(call.result.proposal.id);
  };

  /**
   * Applies the proposal of a call that the user has approved. Returns the result for the model; `undefined` if the call has no
   * proposal.
   */
  async function settle(toolCallId: string, tool: string, { approval, editedArgs }: Answer) {
    const match = proposalOf(toolCallId, tool);
    if (match === undefined) return undefined;
    const { source, proposal } = match;
    const { id, status } = proposal;
    // The proposal was settled where it is shown, or by the same response before.
    if (status === "approved") return outcomeOf(proposal);
    if (status === "refused") return failure("DENIED", "The user has refused this call: nothing was changed.");
    if (verify !== undefined && (await verify(approval, id)) !== true)
      return failure("NEEDS_APPROVAL", "The approval is not signed, or not for this call: nothing was changed.");
    const result =
      editedArgs === undefined ? await source.approve(id) : await approveEdited(source, proposal, editedArgs);
    if (isObject(result) && result.error !== undefined) return { status: "error" as const, error: result.error };
    // An edited patch was applied as another proposal, so this one has no outcome that shows it.
    if (editedArgs !== undefined && proposal.kind !== "call")
      return {
        status: "success" as const,
        message: CHANGED,
        approved: editedArgs,
      };
    return outcomeOf(findProposal(id)?.proposal ?? proposal);
  }

  // The SDK does not execute calls that the user has denied: their proposals are refused here. The answers come after the
  // assistant's message, which has the requests.
  for (const [id, { approved, reason }] of answersIn(messages, lastAssistantIndex(messages) + 1)) {
    const match = approved ? undefined : proposalOf(id);
    const isOpen = match?.proposal.status === "pending" || match?.proposal.status === "stale";
    if (isOpen) match?.source.refuse(match.proposal.id, reason);
  }

  const tools: ToolsWithApproval["tools"] = {};
  const toolApproval: ToolsWithApproval["toolApproval"] = {};
  for (const [name, tool] of Object.entries(agent.definitions("ai-sdk"))) {
    toolApproval[name] = async (input, { toolCallId, messages }) => {
      const isApproved = answersIn(messages).get(toolCallId)?.approved === true;
      // After the approval the SDK asks once more: the proposal is there already.
      const match = isApproved ? proposalOf(toolCallId, name) : undefined;
      const result = match ? undefined : await agent.proposeIfNeeded({ toolName: name, input, toolCallId });
      if (result?.error?.code === "DENIED") return { type: "denied", reason: result.error.message };
      const { target } = match?.proposal ?? result?.proposal ?? {};
      if (target === undefined) return undefined;
      return { type: "user-approval", reason: `${name} of ${JSON.stringify(target)} waits for your approval.` };
    };
    tools[name] = {
      ...tool,
      async execute(input, options = {}) {
        const {
          toolCallId = "",
          messages = [],
        }: { toolCallId?: string; messages?: ToolsWithApprovalOptions["messages"] } = options;
        const answer = answersIn(messages).get(toolCallId);
        if (answer?.approved !== true) return tool.execute(input, options);
        // A call without a proposal is executed like any other, so the agent's policy still applies to it.
        return (await settle(toolCallId, name, answer)) ?? tool.execute(answer.editedArgs ?? input, options);
      },
    };
  }
  return { tools, toolApproval };
}

const failure = (code: string, message: string) => ({ status: "error" as const, error: { code, message } });

const CHANGED = "The user has approved something else than you have proposed: see approved.";

/**
 * The result of an approved call, for the model. What the user has changed is in `approved`, and in `outcome` if there is one.
 */
function outcomeOf({ kind, outcome, approved, effective }: Proposal | CallProposal) {
  const isAsProposed = kind === "call" ? approved === undefined : (outcome?.extent ?? "all") === "all";
  return {
    status: "success" as const,
    message: isAsProposed ? "The user has approved it, and it was applied." : CHANGED,
    ...(!isAsProposed && { approved, ...(outcome && { outcome }) }),
    // The result or the error of one of the agent's own tools.
    ...(kind === "call" && isObject(effective) && effective),
  };
}

/** The index of the last message of the assistant; -1 without one. */
const lastAssistantIndex = (messages: ToolsWithApprovalOptions["messages"]) =>
  messages.map(({ role }) => role).lastIndexOf("assistant");

/**
 * The user's answers in the messages from an index on, by id of the call; by default in the last message alone, which is where
 * the SDK looks for approvals. The first one for a call counts.
 */
function answersIn(
  messages: ToolsWithApprovalOptions["messages"],
  fromIndex = messages.length - 1,
): Map<string, Answer> {
  /** The ids of the calls for which the SDK has asked, by id of the approval. */
  const requests = new Map<unknown, unknown>();
  const untilAssistant = messages.slice(0, lastAssistantIndex(messages) + 1);
  for (const part of partsOf(untilAssistant))
    if (part.type === "tool-approval-request") requests.set(part.approvalId, part.toolCallId);
  const answers = new Map<string, Answer>();
  for (const part of partsOf(messages.slice(fromIndex))) {
    const id = part.type === "tool-approval-response" ? requests.get(part.approvalId) : undefined;
    if (!isText(id) || answers.has(id)) continue;
    const { approved, reason } = part;
    answers.set(
      id,
      approved === true
        ? { approved: true, ...readAddition(reason) }
        : { approved: false, ...(isText(reason) && { reason }) },
    );
  }
  return answers;
}

/** The parts of messages. A message whose content is a text has none. */
const partsOf = (messages: ToolsWithApprovalOptions["messages"]) =>
  messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter((part) => isObject(part)) : []));
