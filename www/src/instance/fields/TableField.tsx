import { listOf, objectsOf, own, textOf } from "../../lib/view";
import type { FieldProps } from "./kind";

export function TableField({ field, value }: FieldProps) {
  const columns = objectsOf(field.columns).map(({ key, label }) => ({ key: textOf(key), label: textOf(label ?? key) }));
  const rows = listOf(value ?? field.rows).map((row, index) => ({ row, key: textOf(own(row, "id")) || String(index) }));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
    <section className="table" tabIndex={0} aria-label={textOf(field.label)}>
      <table>
        <thead>
          <tr>
            {columns.map(({ key, label }) => (
              <th key={key} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, key }) => (
            <tr key={key}>
              {columns.map((column) => (
                <td key={column.key}>{textOf(own(row, column.key))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
