import { type ReactNode, useEffect, useRef } from "react";
import { workChanges } from "../files/workChanges";
import { useCell } from "../lib/cell";
import { later } from "../lib/later";
import { t } from "../words/words";
import { Announcer } from "./Announcer";
import type { TurnProps } from "./Turn";

export const Turn = later(async () => (await import("./Turn")).Turn);

interface Props extends TurnProps {
  /** The turns before the last one. */
  children: ReactNode;
}

/** How near to the end, in pixels, the reader is taken to follow the text. */
const near = 80;

/** The conversation. It scrolls along as long as the reader is at its end. */
export function Transcript({ question, parts, turn, writing = false, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const work = useCell(workChanges);

  // The results of a block's calls appear below it, some time after the block.
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
        aria-label={t("Conversation")}
        className="transcript"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
        tabIndex={0}
        ref={box}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          follows.current = scrollHeight - scrollTop - clientHeight < near;
        }}
      >
        {children}
        {(question !== undefined || parts.length > 0) && (
          <Turn key={turn} question={question} parts={parts} turn={turn} writing={writing} />
        )}
      </div>
      <Announcer parts={parts} />
    </>
  );
}
