import type { Proposal } from "genui-patch";
import { ProposalView } from "genui-patch/react/ui";
import { componentLabels } from "../words/componentLabels";
import { t } from "../words/words";
import { isOpen, sourceOf } from "./desk";
import { NodeCard } from "./NodeCard";

/** One proposal with its decision; for a node also the node itself. */
export function ProposalCard({ proposal }: { proposal: Proposal }) {
  return (
    <div className="proposal-card" data-proposal={proposal.id}>
      {proposal.kind === "node" && <NodeCard target={proposal.target} />}
      <ProposalView proposal={proposal} source={sourceOf(proposal)} labels={componentLabels()} />
      {isOpen(proposal) && <p className="hint">{t("Nothing is changed before you approve.")}</p>}
    </div>
  );
}
