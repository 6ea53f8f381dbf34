import { listOf, textOf } from "../../lib/view";
import type { FieldProps } from "./kind";

/** One word in a frame, or several. */
export function BadgeField({ field, value }: FieldProps) {
  const words = Array.isArray(value) ? listOf(value).map(textOf) : [textOf(value)];
  return (
    <p className="badges" data-kind={textOf(field.type)}>
      {[...new Set(words)].map((word) => (
        <span key={word} className="chip">
          {word || "–"}
        </span>
      ))}
    </p>
  );
}
