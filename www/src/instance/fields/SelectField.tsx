import type { Json } from "genui-patch";
import { textOf } from "../../lib/view";
import { t } from "../../words/words";
import type { FieldProps } from "./kind";
import { optionsOf, sameAs } from "./options";

export function SelectField({ id, field, value, notes, onWrite }: FieldProps) {
  const options = optionsOf(field);
  const chosen = options.find(sameAs(value));
  return (
    <select
      id={id}
      aria-describedby={notes}
      value={chosen?.id ?? ""}
      onChange={(event) => {
        const option = options.find((one) => one.id === event.target.value);
        if (option) onWrite(option.value as Json);
      }}
    >
      {chosen === undefined && (
        <option value="" disabled>
          {value === undefined || value === null || value === ""
            ? t("Choose…")
            : t("{value} (no option)", { value: textOf(value) })}
        </option>
      )}
      {options.map((option) => (
        <option key={option.id} value={option.id}>
          {option.label}
        </option>
      ))}
    </select>
  );
}
