import { useState } from "react";
import { Tabs as TabList } from "../../lib/Tabs";
import { objectsOf } from "../../lib/view";
import { t } from "../../words/words";
import { type PartProps, prop, text } from "../host";
import { NodeView } from "../NodeView";

export function Tabs({ node }: PartProps) {
  const [chosen, setChosen] = useState("0");
  const titles = objectsOf(prop(node, "tabItems", "tabs")).map((item) => text(item.title));
  const tabs = node.children.map((child, index) => ({
    id: String(index),
    label: titles[index] || t("Part {number}", { number: index + 1 }),
    child,
  }));
  const shown = tabs[Number(chosen)] ?? tabs[0];
  if (shown === undefined) return null;
  return (
    <div className="s-tabs">
      <TabList label={t("Parts")} tabs={tabs} selected={shown.id} onSelect={setChosen}>
        <NodeView key={shown.id} node={shown.child} />
      </TabList>
    </div>
  );
}
