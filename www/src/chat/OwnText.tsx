import { useId } from "react";
import { t } from "../words/words";

interface Props {
  text: string;
  onChange(text: string): void;
}

const example = '{"tool": "write_file", "path": "…", "content": "…"}';

export function OwnText({ text, onChange }: Props) {
  const id = useId();
  return (
    <div className="own-text">
      <label htmlFor={id}>{t("Text of the answer")}</label>
      <textarea
        id={id}
        className="mono"
        rows={5}
        spellCheck={false}
        placeholder={t("Paste an answer with ```json blocks: {example}", { example })}
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
