import { objectsOf, textOf, type View, type ViewObject } from "../../lib/view";

export interface Option {
  /** Its value as JSON, which tells 1 from "1". */
  id: string;
  label: string;
  value: View;
}

export function optionsOf(field: ViewObject): Option[] {
  return objectsOf(field.options).map(({ label, value = null }) => ({
    id: JSON.stringify(value),
    label: textOf(label ?? value),
    value,
  }));
}

export const sameAs = (value: View | undefined) => {
  const id = JSON.stringify(value);
  return (option: Option) => option.id === id;
};
