import { useLayoutEffect, useRef } from "react";
import { useCell } from "../lib/cell";
import { typesIn } from "../lib/field";
import { listOf, objectOf, textOf } from "../lib/view";
import { t } from "../words/words";
import { fetched, meant, nodeIn } from "./flow";

/** The node of a task flow, as it stands: it changes when its proposal is approved. */
export function NodeCard({ target }: { target: string }) {
  const card = useRef<HTMLElement>(null);
  const said = useCell(meant);
  const isMeant = said !== undefined && target.endsWith(`/${said.nodeId}`);
  const node = nodeIn(useCell(fetched), target);
  const { title, description, text, tags, priority } = objectOf(objectOf(node).data);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is meant anew is brought into view again
  useLayoutEffect(() => {
    if (isMeant && typesIn() === undefined) card.current?.scrollIntoView({ block: "nearest" });
  }, [isMeant, said]);
  return (
    <section
      className="node-card"
      aria-label={t("The node as it stands")}
      aria-current={isMeant ? "true" : undefined}
      ref={card}
    >
      <strong>{textOf(title)}</strong>
      {isMeant && <span className="chip">{t("The agent means this node.")}</span>}
      <p>{textOf(description ?? text)}</p>
      <p className="hint">
        {listOf(tags).map(textOf).join(", ")}
        {priority !== undefined && ` · ${t("priority {number}", { number: textOf(priority) })}`}
      </p>
    </section>
  );
}
