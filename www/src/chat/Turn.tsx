import { memo } from "react";
import { Icon } from "../lib/Icon";
import { decisionText } from "../proposal/reasons";
import { t } from "../words/words";
import { ProseText } from "./ProseText";
import type { NotePart, Part } from "./parts";
import { ToolPill } from "./ToolPill";
import { TurnUndo } from "./TurnUndo";

export interface TurnProps {
  question: string | undefined;
  parts: readonly Part[];
  /** The id of the agent's turn. */
  turn: string;
  writing?: boolean;
}

/** A question and its answer. */
export const Turn = memo(function Turn({ question, parts, turn, writing = false }: TurnProps) {
  return (
    <>
      {question !== undefined && <p className="turn-user">{question}</p>}
      <div className={writing ? "turn-agent writing" : "turn-agent"}>
        {parts.map((part) =>
          part.kind === "text" ? (
            <ProseText key={part.id} text={part.text} />
          ) : part.kind === "reasoning" ? (
            <Reasoning key={part.id} text={part.text} />
          ) : part.kind === "note" ? (
            <Note key={part.id} note={part} />
          ) : (
            <ToolPill key={part.id} block={part} />
          ),
        )}
      </div>
      {parts.length > 0 && !writing && <TurnUndo turn={turn} />}
    </>
  );
});

/** The reasoning of the model. Calls in it are not executed. */
function Reasoning({ text }: { text: string }) {
  return (
    <details className="reasoning">
      <summary>{t("Reasoning")}</summary>
      <ProseText text={text} />
    </details>
  );
}

function Note({ note: { nodeId, text } }: { note: NotePart }) {
  return (
    <p className="note">
      <Icon name="pencil" /> <code>{nodeId}</code> {decisionText(text)}
    </p>
  );
}
