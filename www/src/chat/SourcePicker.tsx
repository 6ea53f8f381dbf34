import { useId } from "react";
import { liveAnswer, ownAnswer, recordings } from "../data/recordings";
import { t } from "../words/words";

interface Props {
  choice: string;
  onChoose(id: string): void;
}

/** Which answer is played: a recorded one, or a text of your own. */
export function SourcePicker({ choice, onChoose }: Props) {
  const id = useId();
  return (
    <div className="source">
      <label htmlFor={id}>{t("Answer")}</label>
      <select id={id} value={choice} onChange={(event) => onChoose(event.target.value)}>
        {recordings.map(({ id: value, title }) => (
          <option key={value} value={value}>
            {t(title)}
          </option>
        ))}
        <option value={ownAnswer}>{t("Your own text…")}</option>
        <option value={liveAnswer}>{t("A live model…")}</option>
      </select>
    </div>
  );
}
