import { objectsOf, own, textOf, type View } from "../lib/view";
import { FieldView } from "./FieldView";
import { fieldPath } from "./paths";

export interface FieldListProps {
  instance: string;
  fields: View | undefined;
  bind: string;
  bound: View | undefined;
  columns?: View | undefined;
}

export function FieldList({ instance, fields, bind, bound, columns }: FieldListProps) {
  const shown = objectsOf(fields);
  if (fields === undefined) return null;
  if (shown.length === 0) return <p className="nothing">No fields.</p>;
  return (
    <div className="fields" style={{ "--columns": typeof columns === "number" ? columns : 1 }}>
      {shown.map((field) => {
        const key = textOf(field.key);
        // Until something is written, a field shows the value that it declares.
        const value = own(bound, key) ?? field.value;
        return <FieldView key={key} instance={instance} field={field} path={fieldPath(bind, key)} value={value} />;
      })}
    </div>
  );
}
