import { recordings } from "../data/recordings";
import { Icon } from "../lib/Icon";

interface Props {
  live: boolean;
  onPlay(id: string): void;
}

/** What there is to play, before anything is played. */
export function Suggestions({ live, onPlay }: Props) {
  if (live) return <p className="nothing">Ask below: the answer is read as it arrives.</p>;
  return (
    <div className="suggestions">
      <p>
        <strong>Recorded answers</strong>, played at the speed of a model. Pick one:
      </p>
      <ul>
        {recordings.map(({ id, title, question }) => (
          <li key={id}>
            <button type="button" onClick={() => onPlay(id)}>
              <Icon name="play" />
              <span>
                <strong>{title}</strong>
                <span className="hint">{question}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
