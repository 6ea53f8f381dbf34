"use client";
/** `ActivityList`: the calls of an agent with their status, and why a call failed or was refused. */
import type { AgentCall, AgentTools } from "../../agent/types.js";
import { isObject } from "../../core/kinds.js";
import { useAgent, useProposals } from "../hooks.js";
import { type ActivityLabels, englishActivityLabels } from "./labels.js";
import type { ProposalSource } from "./proposals.js";
import { wordFor } from "./values.js";

/** A source of proposals. An `ActivityList` shows decisions and makes none. */
type DecisionSource = Pick<ProposalSource, "proposals" | "subscribe">;

export interface ActivityListProps {
  /** The agent: the result of `agentTools`. */
  agent: Pick<AgentTools, "subscribe" | "calls">;
  /** The sources of the proposals for calls that need approval: with them the list shows the decisions of users. */
  sources?: readonly DecisionSource[] | undefined;
  labels?: Partial<ActivityLabels> | undefined;
}

const NONE: readonly DecisionSource[] = [];

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
            const proposal = proposals.find(({ id }) => id === result?.proposal?.id) ?? result?.proposal;
            const decision = status === "pending" ? (proposal?.status ?? "pending") : status;
            const why = result?.error?.message ?? (proposal?.reason && wordFor(texts.reasons, proposal.reason));
            return (
              <li key={key} className="gp-call" data-status={decision} aria-busy={status === "running" || undefined}>
                <code className="gp-tool">{tool}</code> <span className="gp-target">{targetOf(call)}</span>{" "}
                <span className="gp-badge" data-value={decision}>
                  {texts[WORDS[decision]]}
                </span>
                {why && <p className="gp-hint">{why}</p>}
              </li>
            );
          })}
        </ol>
      )}
    </section>
  );
}

const WORDS = {
  running: "running",
  success: "success",
  error: "error",
  pending: "waitsForYou",
  approved: "approved",
  refused: "refused",
  stale: "overtaken",
} as const;

/** The target of a call, if its result names one beside the tool itself. */
function targetOf({ tool, result }: AgentCall): string {
  const answer: unknown = result?.result;
  const { instance_name, path } = isObject(answer) ? answer : {};
  const target = String(result?.proposal?.target ?? instance_name ?? path ?? "");
  return target === tool ? "" : target;
}
