import { ActivityList } from "genui-patch/react/ui";
import { activity } from "../chat/activity";
import { ownSource } from "../chat/ownTools";
import { componentLabels } from "../words/componentLabels";
import { decisions } from "./desk";

const sources = [decisions, ownSource];

/** The agents' calls of the chat and of this room, with their outcomes and the reasons of refusals. */
export function Activity() {
  const labels = componentLabels();
  return (
    <div className="activity" aria-live="polite">
      <h3>{labels.activity}</h3>
      <ActivityList agent={activity} sources={sources} labels={labels} />
    </div>
  );
}
