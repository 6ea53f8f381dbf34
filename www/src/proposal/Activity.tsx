import { ActivityList } from "genui-patch/react/ui";
import { activity } from "../chat/activity";
import { ownSource } from "../chat/ownTools";
import { componentLabels } from "../words/componentLabels";
import { decisions } from "./desk";

const sources = [decisions, ownSource];

/** What agents did, what became of it, and why a call was refused: the chat's calls, and those that are made here. */
export function Activity() {
  const labels = componentLabels();
  return (
    <div className="activity" aria-live="polite">
      <h3>{labels.activity}</h3>
      <ActivityList agent={activity} sources={sources} labels={labels} />
    </div>
  );
}
