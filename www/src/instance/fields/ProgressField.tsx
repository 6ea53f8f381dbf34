import type { FieldProps } from "./kind";

export function ProgressField({ id, field, value }: FieldProps) {
  const max = typeof field.max === "number" && field.max > 0 ? field.max : 100;
  const now = typeof value === "number" ? Math.min(max, Math.max(0, value)) : 0;
  return (
    <div className="progress">
      <progress id={id} max={max} value={now} />
      <span>{Math.round((now / max) * 100)} %</span>
    </div>
  );
}
