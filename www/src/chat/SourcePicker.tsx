import { useId } from "react";
import { liveAnswer, ownAnswer, recordings } from "../data/recordings";

interface Props {
  choice: string;
  onChoose(id: string): void;
}

/** Which answer is played: a recorded one, or a text of your own. */
export function SourcePicker({ choice, onChoose }: Props) {
  const id = useId();
  return (
    <div className="source">
      <label htmlFor={id}>Answer</label>
      <select id={id} value={choice} onChange={(event) => onChoose(event.target.value)}>
        {recordings.map(({ id: value, title }) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
        <option value={ownAnswer}>Your own text…</option>
        <option value={liveAnswer}>A live model…</option>
      </select>
    </div>
  );
}
