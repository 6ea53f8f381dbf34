import type { FieldProps } from "./kind";

export function CheckboxField({ id, value, notes, onWrite }: FieldProps) {
  return (
    <input
      id={id}
      type="checkbox"
      aria-describedby={notes}
      checked={value === true}
      onChange={(event) => onWrite(event.target.checked)}
    />
  );
}
