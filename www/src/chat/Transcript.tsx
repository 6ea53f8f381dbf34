import { memo, type ReactNode, useEffect, useRef } from "react";
import { useWorkChanges } from "../files/work";
import { Announcer } from "./Announcer";
import { ProseText } from "./ProseText";
import type { Part } from "./parts";
import { ToolPill } from "./ToolPill";

interface TurnProps {
  question: string | undefined;
  parts: readonly Part[];
  writing?: boolean;
}

interface Props extends TurnProps {
  /** What stands before the last turn. */
  children: ReactNode;
}

/** How near to the end, in pixels, the reader is taken to follow the text. */
const near = 80;

/** The conversation. It scrolls along as long as the reader is at its end. */
export function Transcript({ question, parts, writing = false, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const work = useWorkChanges();

  // What became of a block's calls is shown below it, some time after the block.
  // biome-ignore lint/correctness/useExhaustiveDependencies: both make the text longer
  useEffect(() => {
    if (box.current && follows.current && parts.length > 0) box.current.scrollTop = box.current.scrollHeight;
  }, [parts, work]);

  return (
    <>
      {/* Too fast to be read out as it comes; the announcer tells of the blocks. */}
      <div
        role="log"
        aria-live="off"
        aria-label="Conversation"
        className="transcript"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
        tabIndex={0}
        ref={box}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          follows.current = scrollHeight - scrollTop - clientHeight < near;
        }}
      >
        {children}
        <Turn question={question} parts={parts} writing={writing} />
      </div>
      <Announcer parts={parts} />
    </>
  );
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
