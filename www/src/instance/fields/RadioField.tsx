import type { Json } from "genui-patch";
import type { FieldProps } from "./kind";
import { optionsOf, sameAs } from "./options";

export function RadioField({ id, field, value, onWrite }: FieldProps) {
  const isChosen = sameAs(value);
  return (
    <div className="choices">
      {optionsOf(field).map((option) => (
        <label key={option.id}>
          <input type="radio" name={id} checked={isChosen(option)} onChange={() => onWrite(option.value as Json)} />
          {option.label}
        </label>
      ))}
    </div>
  );
}
