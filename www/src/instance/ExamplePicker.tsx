import { useId } from "react";
import { type Example, exampleGroups } from "../data/examples";
import { t } from "../words/words";

interface Props {
  chosen: Example | undefined;
  onChoose(example: Example): void;
}

const all = exampleGroups.flatMap(({ examples }) => examples);

export function ExamplePicker({ chosen, onChoose }: Props) {
  const id = useId();
  return (
    <div className="picker">
      <label htmlFor={id}>{t("Example")}</label>
      <select
        id={id}
        value={chosen?.title ?? ""}
        onChange={(event) => {
          const example = all.find(({ title }) => title === event.target.value);
          if (example) onChoose(example);
        }}
      >
        {exampleGroups.map(({ label, examples }) => (
          <optgroup key={label} label={t(label)}>
            {examples.map(({ title }) => (
              <option key={title} value={title}>
                {t(title)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </div>
  );
}
