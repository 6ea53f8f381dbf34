import { useCallback, useSyncExternalStore } from "react";
import { listOf, objectOf, textOf, type View } from "../lib/view";
import { t } from "../words/words";
import { flow } from "./flow";

/** The node of a task flow, as it stands: it changes when its proposal is approved. */
export function NodeCard({ target }: { target: string }) {
  const read = useCallback(() => {
    const [taskId = "", nodeId = ""] = target.split("/");
    return flow.node(taskId, nodeId);
  }, [target]);
  const node = useSyncExternalStore(flow.subscribe, read);
  const { title, description, text, tags, priority } = objectOf(objectOf(node as View | undefined).data);
  return (
    <section className="node-card" aria-label={t("The node as it stands")}>
      <strong>{textOf(title)}</strong>
      <p>{textOf(description ?? text)}</p>
      <p className="hint">
        {listOf(tags).map(textOf).join(", ")}
        {priority !== undefined && ` · ${t("priority {number}", { number: textOf(priority) })}`}
      </p>
    </section>
  );
}
