import { memo } from "react";
import { ProseText } from "./ProseText";
import type { Part } from "./parts";
import { ToolPill } from "./ToolPill";

export interface TurnProps {
  question: string | undefined;
  parts: readonly Part[];
  writing?: boolean;
}

/** A question and its answer. */
export const Turn = memo(function Turn({ question, parts, writing = false }: TurnProps) {
  return (
    <>
      {question !== undefined && <p className="turn-user">{question}</p>}
      <div className={writing ? "turn-agent writing" : "turn-agent"}>
        {parts.map((part) =>
          part.kind === "text" ? <ProseText key={part.id} text={part.text} /> : <ToolPill key={part.id} block={part} />,
        )}
      </div>
    </>
  );
});
