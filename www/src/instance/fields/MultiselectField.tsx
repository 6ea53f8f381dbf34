import type { Json } from "genui-patch";
import { listOf } from "../../lib/view";
import type { FieldProps } from "./kind";
import { optionsOf, sameAs } from "./options";

/** The chosen values stand in the order of the options; a value without an option stays. */
export function MultiselectField({ field, value, onWrite }: FieldProps) {
  const options = optionsOf(field);
  const chosen = listOf(value);
  const isChosen = (id: string) => chosen.some((one) => JSON.stringify(one) === id);

  function toggle(id: string) {
    const others = chosen.filter((one) => !options.some(sameAs(one)));
    const next = options.filter((option) => isChosen(option.id) !== (option.id === id));
    onWrite([...others, ...next.map((option) => option.value)] as Json[]);
  }

  return (
    <div className="choices">
      {options.map((option) => (
        <label key={option.id}>
          <input type="checkbox" checked={isChosen(option.id)} onChange={() => toggle(option.id)} />
          {option.label}
        </label>
      ))}
    </div>
  );
}
