import { textOf } from "../../lib/view";
import type { FieldProps } from "./kind";

export function TextField({ id, value, notes, onWrite }: FieldProps) {
  return (
    <input
      id={id}
      type="text"
      aria-describedby={notes}
      value={textOf(value)}
      onChange={(event) => onWrite(event.target.value)}
    />
  );
}
