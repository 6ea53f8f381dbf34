import { useInstance } from "genui-patch/react";
import { objectsOf, textOf, type View, type ViewObject } from "../lib/view";
import { t } from "../words/words";
import { FieldView } from "./FieldView";
import { fieldPath } from "./paths";
import { store } from "./store";
import { isTemplate, TemplateField } from "./TemplateField";

export interface FieldListProps {
  instance: string;
  fields: View | undefined;
  bind: string;
  columns?: View | undefined;
}

export function FieldList({ instance, fields, bind, columns }: FieldListProps) {
  const shown = objectsOf(fields);
  if (fields === undefined) return null;
  if (shown.length === 0) return <p className="nothing">{t("No fields.")}</p>;
  return (
    <div className="fields" style={{ "--columns": typeof columns === "number" ? columns : 1 }}>
      {shown.map((field) => {
        const key = textOf(field.key);
        const path = fieldPath(bind, key);
        return path === undefined ? (
          <FieldView key={key} instance={instance} field={field} path={path} value={field.value} />
        ) : (
          <StoredField key={key} instance={instance} field={field} path={path} />
        );
      })}
    </div>
  );
}

/** Renders again only when its own value changes. Until something is written, it shows the value that it declares. */
function StoredField({ field, ...rest }: { instance: string; field: ViewObject; path: string }) {
  const value = useInstance(store, rest.instance, rest.path) ?? field.value;
  const Field = isTemplate(value) ? TemplateField : FieldView;
  return <Field {...rest} field={field} value={value} />;
}
