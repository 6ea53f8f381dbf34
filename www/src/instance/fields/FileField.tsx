import { textOf } from "../../lib/view";
import type { FieldProps } from "./kind";

export function FileField({ id, value }: FieldProps) {
  return (
    <>
      <input id={id} type="file" disabled aria-describedby={`${id}-note`} />
      <p className="hint" id={`${id}-note`}>
        {textOf(value) || "Nothing can be sent from here: this page has no server."}
      </p>
    </>
  );
}
