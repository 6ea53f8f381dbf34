"use client";
/** `ActivityList`: the calls of an agent with their status, and why a call failed or was refused. */
import type { AgentCall, AgentTools } from "../../agent/types.js";
import { isObject } from "../../core/kinds.js";
import { useAgent, useProposals } from "../hooks.js";
import { type ActivityLabels, englishActivityLabels } from "./labels.js";
import type { ProposalSource } from "./proposals.js";
import { wordFor } from "./values.js";

/** A source of proposals without its methods that decide: an `ActivityList` only shows the decisions. */
type DecisionSource = Pick<ProposalSource, "proposals" | "subscribe">;

export interface ActivityListProps {
  /** The agent: the result of `agentTools`. */
  agent: Pick<AgentTools, "subscribe" | "calls">;
  /** The sources of the proposals for calls that need approval: with them the list shows the decisions of users. */
  sources?: readonly DecisionSource[] | undefined;
  labels?: Partial<ActivityLabels> | undefined;
}

const NONE: readonly DecisionSource[] = [];

/** The calls of an agent in their order, each with its tool, its target, its status and, if it failed or was rejected, the reason. */
export function ActivityList({ agent, sources = NONE, labels }: ActivityListProps) {
  const texts = { ...englishActivityLabels, ...labels };
  const calls = useAgent(agent);
  const proposals = useProposals(...sources);
  return (
    <section className="gp-activity" aria-label={texts.activity}>
      {calls.length === 0 ? (
        <p className="gp-empty">{texts.noActivity}</p>
      ) : (
        <ol className="gp-calls">
          {calls.map((call) => {
            const { key, tool, status, result } = call;
            // The result has the proposal as it was when the agent made the call; a source knows what became of it.
            const proposal = proposals.find(({ id }) => id === result?.proposal?.id) ?? result?.proposal;
            const shownStatus = status === "pending" ? (proposal?.status ?? "pending") : status;
            const reason = result?.error?.message ?? (proposal?.reason && wordFor(texts.reasons, proposal.reason));
            return (
              <li key={key} className="gp-call" data-status={shownStatus} aria-busy={status === "running" || undefined}>
                <code className="gp-tool">{tool}</code> <span className="gp-target">{targetOf(call)}</span>{" "}
                <span className="gp-badge" data-value={shownStatus}>
                  {texts[LABELS[shownStatus]]}
                </span>
                {reason && <p className="gp-hint">{reason}</p>}
              </li>
            );
          })}
        </ol>
      )}
    </section>
  );
}

/** The label of each status of a call and, for a call that needs approval, of its proposal. */
const LABELS = {
  running: "running",
  success: "success",
  error: "error",
  pending: "waitsForYou",
  approved: "approved",
  refused: "refused",
  stale: "overtaken",
} as const;

/**
 * What a call changes: the target of its proposal, or the instance or the path in its result. Empty for a call of an own tool,
 * whose target is the tool.
 */
function targetOf({ tool, result }: AgentCall): string {
  const answer: unknown = result?.result;
  const { instance_name, path } = isObject(answer) ? answer : {};
  const target = String(result?.proposal?.target ?? instance_name ?? path ?? "");
  return target === tool ? "" : target;
}
