import { textOf } from "../../lib/view";
import type { FieldProps } from "./kind";

/** A day, or a day and a time. */
export function DateField({ id, field, value, notes, onWrite }: FieldProps) {
  return (
    <input
      id={id}
      type={field.type === "datetime" ? "datetime-local" : "date"}
      aria-describedby={notes}
      value={textOf(value)}
      onChange={(event) => onWrite(event.target.value)}
    />
  );
}
