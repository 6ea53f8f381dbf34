import { useState } from "react";
import { Tabs } from "../lib/Tabs";
import { objectsOf, textOf, type View, type ViewObject } from "../lib/view";
import { t } from "../words/words";
import { FieldList } from "./FieldList";

interface Props {
  kind: "tabs" | "accordion";
  label: string;
  sections: View;
  instance: string;
  bind: string;
}

const titleOf = ({ title, label, id }: ViewObject) => textOf(title ?? label ?? id);

/** The parts of a block of tabs or of an accordion. */
export function Sections({ kind, label, sections, ...rest }: Props) {
  const parts = objectsOf(sections).map((section, index) => ({
    id: textOf(section.id) || String(index),
    label: titleOf(section) || t("Part {number}", { number: index + 1 }),
    fields: section.fields,
  }));
  const [chosen, setChosen] = useState("");
  const shown = parts.find(({ id }) => id === chosen) ?? parts[0];

  if (shown === undefined) return <p className="nothing">{t("Nothing in it.")}</p>;
  if (kind === "tabs") {
    return (
      <Tabs label={label} tabs={parts} selected={shown.id} onSelect={setChosen}>
        <FieldList fields={shown.fields} {...rest} />
      </Tabs>
    );
  }
  return parts.map((part, index) => (
    <details key={part.id} className="fold" open={index === 0}>
      <summary>{part.label}</summary>
      <FieldList fields={part.fields} {...rest} />
    </details>
  ));
}
