import { agentProposals, refusal } from "../data/agentProposals";
import { useCell } from "../lib/cell";
import { Icon } from "../lib/Icon";
import { t } from "../words/words";

/** Things for an agent to propose, each through the door that an agent has. */
export function AgentProposals() {
  const refused = useCell(refusal);
  return (
    <fieldset className="agent-proposals" aria-label={t("Let the agent propose")}>
      {agentProposals.map(({ label, run }) => (
        <button key={label} type="button" className="small" onClick={run}>
          <Icon name="spark" />
          {t(label)}
        </button>
      ))}
      <p className="refusal" role="status">
        {refused()}
      </p>
    </fieldset>
  );
}
