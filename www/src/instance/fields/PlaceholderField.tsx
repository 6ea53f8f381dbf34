import { textOf } from "../../lib/view";
import type { FieldProps } from "./kind";

/** A field that only the host can draw. */
export function PlaceholderField({ field }: FieldProps) {
  const name = textOf(field.component ?? field.name ?? field.key);
  return (
    <p className="placeholder">
      <code>{textOf(field.type)}</code> {name}: the host draws this.
    </p>
  );
}
