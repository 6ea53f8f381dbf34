import { textOf } from "../../lib/view";
import type { FieldProps } from "./kind";

export function TextareaField({ id, value, notes, onWrite }: FieldProps) {
  return (
    <textarea
      id={id}
      rows={2}
      aria-describedby={notes}
      value={textOf(value)}
      onChange={(event) => onWrite(event.target.value)}
    />
  );
}
