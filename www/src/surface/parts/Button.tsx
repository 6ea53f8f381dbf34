import { useContext } from "react";
import { failedChecks, type PartProps, PressContext, prop, text, useHost } from "../host";
import { Children, grow } from "../NodeView";

export function Button({ node }: PartProps) {
  const host = useHost();
  const pressed = useContext(PressContext);
  const label = text(prop(node, "label"));
  const variant = prop(node, "primary") === true ? "primary" : text(prop(node, "variant"));
  const faults = failedChecks(node);
  return (
    <button
      type="button"
      className={`s-button ${variant}`}
      disabled={faults.length > 0}
      title={faults.join(" ") || undefined}
      style={grow(node)}
      onClick={() => {
        pressed?.();
        host.act(node);
      }}
    >
      {label || <Children node={node} />}
    </button>
  );
}
