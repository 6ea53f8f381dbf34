import { recordings } from "../data/recordings";
import { Icon } from "../lib/Icon";
import { t } from "../words/words";

interface Props {
  live: boolean;
  onPlay(id: string): void;
}

/** The list of recorded answers, before the first one is played. */
export function Suggestions({ live, onPlay }: Props) {
  if (live) return <p className="nothing">{t("Ask below: the answer is read as it arrives.")}</p>;
  return (
    <div className="suggestions">
      <p>
        <strong>{t("Recorded answers")}</strong>
        {t(", played at the speed of a model. Pick one:")}
      </p>
      <ul>
        {recordings.map(({ id, title, question }) => (
          <li key={id}>
            <button type="button" onClick={() => onPlay(id)}>
              <Icon name="play" />
              <span>
                <strong>{t(title)}</strong>
                <span className="hint">{question}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
