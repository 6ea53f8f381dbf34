/** An agent's side of interrupts: its proposals as interrupts, and the user's answers as approvals and refusals. */
import type { AgentResult, AgentTools, CallProposal } from "../agent/types.js";
import type { Proposal } from "../approval/types.js";
import { isObject, isText, type Members } from "../core/kinds.js";
import type { Json } from "../types.js";
import { type Interrupt, METADATA, type ResumeEntry } from "./types.js";

/** The members of a proposal that this file needs. */
type ProposalPart = Pick<Proposal | CallProposal, "id" | "kind" | "target" | "status" | "proposed">;

/** A source of proposals: a `PatchStore`, a `Workspace`, a `FlowStore`, or an agent with tools of the application's own. */
export interface Source {
  proposals(): readonly ProposalPart[];
  approve(id: string, options?: object): unknown;
  refuse(id: string, reason?: string): unknown;
  /** Makes a proposal of a patch call, for `approveEdited`. */
  propose?(call: string): { id: string } | { status: "error"; error: object };
}

/**
 * The interrupts for the results of an agent's calls: one for each result that is `pending`, all of which the outcome of
 * `RUN_FINISHED` lists. The id is that of the proposal, and `metadata["genui-patch"]` has its kind, target, call and diff.
 *
 * ```ts
 * const interrupts = interruptsOf(results, agent);
 * if (interrupts.length > 0) send({ type: "RUN_FINISHED", threadId, runId, outcome: { type: "interrupt", interrupts } });
 * ```
 */
export function interruptsOf(results: readonly AgentResult[], agent: Pick<AgentTools, "definitions">): Interrupt[] {
  const definitions = agent.definitions("mcp");
  return results.flatMap((result): Interrupt[] => {
    if (result.status !== "pending") return [];
    const { id: toolCallId, tool, proposal } = result;
    const { id, kind, target, diff, proposed } = proposal;
    const argsSchema = definitions.find(({ name }) => name === tool)?.inputSchema ?? { type: "object" };
    return [
      {
        id,
        reason: "tool_call",
        message: `${tool} of ${JSON.stringify(target)} waits for your approval.`,
        ...(toolCallId !== undefined && { toolCallId }),
        responseSchema: {
          type: "object",
          properties: { approved: { type: "boolean" }, editedArgs: argsSchema, reason: { type: "string" } },
          required: ["approved"],
        },
        metadata: { [METADATA]: { kind, target, proposed, diff } },
      },
    ];
  });
}

export interface SettleOptions {
  /** The stores, workspaces, flow stores and agents that have the proposals. */
  sources: readonly Source[];
  /**
   * Whether an answer carries a valid approval, where the agent requires signed ones: `verifyApproval` of `genui-patch/server`
   * says so. An approval for which this is not true is refused.
   */
  verify?: ((approval: unknown, proposalId: string) => boolean | PromiseLike<boolean>) | undefined;
}

/** The result of one answer. */
export interface SettledInterrupt {
  interruptId: string;
  /** `unknown`: no open proposal has this id, and nothing was done. */
  status: "approved" | "refused" | "unknown" | "error";
  /** The answer of `approve`. */
  result?: unknown;
  /** Why nothing was approved or refused. */
  message?: string;
}

/**
 * Approves and refuses an agent's proposals as the entries of a run's `resume` say. A proposal without an entry stays open, and
 * so does one whose entry cannot be applied. For the server of the agent only: `resume` comes from the user's page, never from
 * a model.
 *
 * ```ts
 * await settleInterrupts(input.resume ?? [], { sources: [agent, store] });
 * ```
 */
export async function settleInterrupts(
  resume: readonly ResumeEntry[],
  { sources, verify }: SettleOptions,
): Promise<SettledInterrupt[]> {
  const results: SettledInterrupt[] = [];
  for (const { interruptId, status, payload, metadata } of resume) {
    const source = sources.find((each) => each.proposals().some(({ id }) => id === interruptId));
    const proposal = source?.proposals().find(({ id }) => id === interruptId);
    if (
      source === undefined ||
      proposal === undefined ||
      proposal.status === "approved" ||
      proposal.status === "refused"
    ) {
      results.push({ interruptId, status: "unknown", message: `No open proposal has the id "${interruptId}".` });
      continue;
    }
    // The payload may be `true` or `false` alone.
    const answer = isObject(payload) ? payload : { approved: payload };
    if (status !== "resolved" || answer.approved !== true) {
      source.refuse(interruptId, isText(answer.reason) ? answer.reason : undefined);
      results.push({ interruptId, status: "refused" });
      continue;
    }
    const ownMetadata = metadata?.[METADATA];
    const approval = isObject(ownMetadata) ? ownMetadata.approval : undefined;
    if (verify !== undefined && (await verify(approval, interruptId)) !== true) {
      results.push({ interruptId, status: "error", message: "The answer has no valid approval: send it signed." });
      continue;
    }
    const { editedArgs } = answer;
    const result = isObject<Json>(editedArgs)
      ? await approveEdited(source, proposal, editedArgs)
      : await source.approve(interruptId);
    const error = errorOf(result);
    const message = isObject(error) ? String(error.message) : "";
    results.push({ interruptId, status: message === "" ? "approved" : "error", ...(message && { message }), result });
  }
  return results;
}

/**
 * Approves a proposal with arguments of the user's own, which replace those of the call. Returns what `approve` returns, or an
 * object with an `error` if a proposal of this kind cannot be changed, or not by these arguments.
 */
export async function approveEdited(
  source: Source,
  { id, kind, proposed }: ProposalPart,
  args: Members,
): Promise<unknown> {
  if (kind === "call") return source.approve(id, { args });
  if (kind === "node") return source.approve(id, { edits: args.newData });
  if (kind === "file" && isText(args.content) && "tool" in proposed && proposed.tool === "write_file")
    return source.approve(id, { edits: args.content });
  if (kind !== "patch" || source.propose === undefined)
    return { error: { message: `A proposal of kind "${kind}" cannot be approved with other arguments of this form.` } };
  // The user's call becomes a proposal of its own. Once it is applied, it takes the place of the agent's proposal.
  const replacement = source.propose(JSON.stringify(args));
  if (!("id" in replacement)) return replacement;
  const result = await source.approve(replacement.id);
  if (errorOf(result) === undefined) source.refuse(id, "The user has approved other arguments.");
  else source.refuse(replacement.id);
  return result;
}

/** The error in the result of `approve`; `undefined` if it was successful. */
const errorOf = (result: unknown): unknown => (isObject(result) ? result.error : undefined);
