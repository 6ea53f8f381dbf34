import { useInstance } from "genui-patch/react";
import { type ComponentProps, useCallback } from "react";
import { textOf, type View } from "../lib/view";
import { FieldView } from "./FieldView";
import { store } from "./store";

/** Whether a value has places to be filled in from the document. */
export const isTemplate = (value: View | undefined): value is string =>
  typeof value === "string" && value.includes("${");

/** A field whose declared value is a template: it shows what the document fills in. */
export function TemplateField({ value, ...rest }: ComponentProps<typeof FieldView>) {
  const { instance, field } = rest;
  // Markup of the template stays, what is filled in is escaped; elsewhere a text is a text.
  const escaping = field.type === "html" ? "html" : "none";
  const filled = useInstance(
    store,
    instance,
    useCallback(() => store.render(instance, textOf(value), { escape: escaping }), [instance, value, escaping]),
  );
  return <FieldView {...rest} value={filled} />;
}
