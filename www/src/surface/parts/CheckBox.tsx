import { useId } from "react";
import { type PartProps, prop, text, useBound } from "../host";
import { grow } from "../NodeView";
import { Faults } from "./Faults";

export function CheckBox({ node }: PartProps) {
  const id = useId();
  const [value, write] = useBound(node, "value");
  return (
    <div className="s-field" style={grow(node)}>
      <div className="s-check">
        <input
          id={id}
          type="checkbox"
          aria-describedby={`${id}-faults`}
          checked={value === true}
          onChange={(event) => write(event.target.checked)}
        />
        <label htmlFor={id}>{text(prop(node, "label"))}</label>
      </div>
      <Faults id={`${id}-faults`} node={node} />
    </div>
  );
}
