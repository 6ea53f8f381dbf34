import { useId } from "react";
import { t } from "../../words/words";
import { num, type PartProps, prop, text, useBound } from "../host";
import { grow } from "../NodeView";

export function Slider({ node }: PartProps) {
  const id = useId();
  const [value, write] = useBound(node, "value");
  const min = num(prop(node, "minValue", "min"), 0);
  const max = num(prop(node, "maxValue", "max"), 100);
  const now = num(value, min);
  return (
    <div className="s-field s-slider" style={grow(node)}>
      <label htmlFor={id}>{text(prop(node, "label")) || t("Value")}</label>
      <output htmlFor={id}>{now}</output>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={max - min <= 2 ? "any" : 1}
        value={now}
        onChange={(event) => write(event.target.valueAsNumber)}
      />
    </div>
  );
}
