import { agentProposals } from "../data/agentProposals";
import { Icon } from "../lib/Icon";
import { chosen } from "./desk";

/** Things for an agent to propose, each through the door that an agent has. */
export function AgentProposals() {
  return (
    <fieldset className="agent-proposals" aria-label="Let the agent propose">
      {agentProposals.map(({ label, run }) => (
        <button key={label} type="button" className="small" onClick={() => chosen.set(run())}>
          <Icon name="spark" />
          {label}
        </button>
      ))}
    </fieldset>
  );
}
