import { useId } from "react";
import { failedChecks, type PartProps, prop, text, useBound } from "../host";
import { grow } from "../NodeView";
import { Faults } from "./Faults";

const kinds: Record<string, string> = { number: "number", date: "date", obscured: "password" };

/** The component's own pattern is not run: one that was written to take forever would stop the page. */
export function TextField({ node }: PartProps) {
  const id = useId();
  const [value, write] = useBound(node, "text", "value");
  const kind = text(prop(node, "textFieldType", "variant", "type"));
  const common = {
    id,
    value: text(value),
    "aria-describedby": `${id}-faults`,
    "aria-invalid": failedChecks(node).length > 0 || undefined,
  };
  return (
    <div className="s-field" style={grow(node)}>
      <label htmlFor={id}>{text(prop(node, "label"))}</label>
      {kind === "longText" ? (
        <textarea {...common} rows={3} onChange={(event) => write(event.target.value)} />
      ) : (
        <input
          {...common}
          type={kinds[kind] ?? "text"}
          autoComplete="off"
          onChange={(event) => write(event.target.value)}
        />
      )}
      <Faults id={`${id}-faults`} node={node} />
    </div>
  );
}
