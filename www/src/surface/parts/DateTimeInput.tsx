import { useId } from "react";
import { t } from "../../words/words";
import { type PartProps, prop, text, useBound } from "../host";
import { grow } from "../NodeView";
import { Faults } from "./Faults";

const lengths: Record<string, [from: number, to: number]> = {
  date: [0, 10],
  time: [11, 16],
  "datetime-local": [0, 16],
};

const labels = { date: "Date", time: "Time", "datetime-local": "Date and time" } as const;

/** The value is ISO 8601; the input shows the part of it that is asked for. */
export function DateTimeInput({ node }: PartProps) {
  const id = useId();
  const [value, write] = useBound(node, "value");
  const date = prop(node, "enableDate") !== false;
  const time = prop(node, "enableTime") === true;
  const type = date && time ? "datetime-local" : time ? "time" : "date";
  return (
    <div className="s-field" style={grow(node)}>
      <label htmlFor={id}>{text(prop(node, "label")) || t(labels[type])}</label>
      <input
        id={id}
        type={type}
        min={text(prop(node, "min")) || undefined}
        max={text(prop(node, "max")) || undefined}
        aria-describedby={`${id}-faults`}
        value={partOf(text(value), type)}
        onChange={(event) => write(event.target.value)}
      />
      <Faults id={`${id}-faults`} node={node} />
    </div>
  );
}

function partOf(value: string, type: string): string {
  if (type === "time" && !value.includes("T")) return value.slice(0, 5);
  return value.slice(...(lengths[type] ?? []));
}
