import { textOf } from "../../lib/view";
import { rich } from "../../words/rich";
import type { FieldProps } from "./kind";

/** A field that only the host can draw. */
export function PlaceholderField({ field }: FieldProps) {
  const name = textOf(field.component ?? field.name ?? field.key);
  return (
    <p className="placeholder">
      {rich("{type} {name}: the host draws this.", { type: <code>{textOf(field.type)}</code>, name })}
    </p>
  );
}
