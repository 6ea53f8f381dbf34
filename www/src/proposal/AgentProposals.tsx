import { agentProposals } from "../data/agentProposals";
import { Icon } from "../lib/Icon";
import { t } from "../words/words";

/** Things for an agent to propose, each through the door that an agent has. */
export function AgentProposals() {
  return (
    <fieldset className="agent-proposals" aria-label={t("Let the agent propose")}>
      {agentProposals.map(({ label, run }) => (
        <button key={label} type="button" className="small" onClick={run}>
          <Icon name="spark" />
          {t(label)}
        </button>
      ))}
    </fieldset>
  );
}
