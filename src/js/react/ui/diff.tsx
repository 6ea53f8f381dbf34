"use client";
/** `DiffView`: hunks of lines, with visible marks for invisible characters. `MarkedText` shows one such text. */
import { memo, type ReactNode, useId, useState } from "react";
import { partsOf, revealHidden } from "../../approval/reveal.js";
import type { Hunk, HunkLine } from "../../types.js";
import { type DiffLabels, englishDiffLabels } from "./labels.js";
import { fill } from "./values.js";

export interface DiffViewProps {
  /** The hunks of a `textDiff`, or the `diff` of a file's proposal. */
  hunks: readonly Hunk[];
  /** The indexes of the hunks that are chosen. Without it the hunks have no checkboxes. */
  chosen?: ReadonlySet<number> | undefined;
  /** Called when the user checks or unchecks the hunk with this index. */
  onToggle?: ((index: number) => void) | undefined;
  /** The number of all hunks, if `hunks` are only some of them. Default: the number of `hunks`. */
  count?: number | undefined;
  labels?: Partial<DiffLabels> | undefined;
}

/** The hunks of a diff, one below the other, with checkboxes if `chosen` is given. */
export function DiffView({ hunks, chosen, onToggle, count = hunks.length, labels }: DiffViewProps) {
  const texts = { ...englishDiffLabels, ...labels };
  if (hunks.length === 0) return <p className="gp-empty">{texts.noChanges}</p>;
  const usualEnd = mostFrequentEnd(hunks.flatMap(({ lines }) => lines.map(({ end = "\n" }) => end)));
  return (
    <div className="gp-diff">
      {hunks.map((hunk) => (
        <OneHunk
          key={hunk.index}
          {...{ hunk, onToggle, count, labels: texts }}
          isChosen={chosen?.has(hunk.index)}
          usualEnd={usualEnd}
        />
      ))}
    </div>
  );
}

/**
 * The line end of most lines, or "\n". Lines that end otherwise are marked. `ends` has "" for a last line without a line break.
 */
const mostFrequentEnd = (ends: readonly string[]): string =>
  ends.filter((end) => end === "\r\n").length * 2 > ends.filter(Boolean).length ? "\r\n" : "\n";

interface HunkProps {
  hunk: Hunk;
  /** The number of all hunks of the diff. */
  count: number;
  /** `undefined`: the hunk has no checkbox. */
  isChosen: boolean | undefined;
  /** The most frequent line end of the diff. */
  usualEnd: string;
  onToggle: DiffViewProps["onToggle"];
  labels: DiffLabels;
}

function OneHunk({ hunk, count, isChosen, usualEnd, onToggle, labels }: HunkProps) {
  const id = useId();
  const { index, newStart, newLines, lines } = hunk;
  const name = fill(labels.hunk, { number: index + 1, count });
  // Without new lines the range is `newStart` alone.
  const lastLine = newStart + Math.max(newLines, 1) - 1;
  const range = fill(labels.lines, { from: newStart, to: lastLine });
  // The numbers of the next line in the old and in the new text.
  let [oldNumber, newNumber] = [hunk.oldStart, hunk.newStart];
  return (
    <div className="gp-hunk" data-chosen={isChosen}>
      <header className="gp-hunk-head">
        {isChosen === undefined ? (
          <span id={id}>{name}</span>
        ) : (
          <label className="gp-choice">
            <input className="gp-check" type="checkbox" checked={isChosen} onChange={() => onToggle?.(index)} />
            <span id={id}>{name}</span>
          </label>
        )}
        <span className="gp-place">{range}</span>
      </header>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls, and regions would flood the landmarks. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard. */}
      <div className="gp-lines" role="group" tabIndex={0} aria-labelledby={id}>
        {lines.map((line, lineIndex) => (
          <Line
            // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other identity than its position in the hunk.
            key={lineIndex}
            {...{ line, labels, usualEnd }}
            old={line.kind === "added" ? undefined : oldNumber++}
            now={line.kind === "removed" ? undefined : newNumber++}
          />
        ))}
      </div>
    </div>
  );
}

/** The element of each kind of lines. */
const TAGS = { same: "span", removed: "del", added: "ins" } as const;

interface LineProps extends Pick<HunkProps, "usualEnd" | "labels"> {
  line: HunkLine;
  /** The number of the line in the old text; `undefined` for an added line. */
  old: number | undefined;
  /** The number of the line in the new text; `undefined` for a removed line. */
  now: number | undefined;
}

const Line = memo(function Line({ line, old, now, usualEnd, labels }: LineProps) {
  const { kind, text, words, end = "\n" } = line;
  const Tag = TAGS[kind];
  // The style sheet shows the numbers (`::before` and `::after`), so that they are neither copied nor read out.
  return (
    <div className="gp-line" data-kind={kind} data-old={old} data-new={now}>
      {kind !== "same" && <span className="gp-unseen">{labels[kind]} </span>}
      <Tag className="gp-code">
        <MarkedText text={text} words={words} labels={labels} />
        {end !== usualEnd && (
          <span className="gp-mark">{end === "" ? labels.noLineEnd : end === "\n" ? "LF" : "CRLF"}</span>
        )}
      </Tag>
    </div>
  );
});

interface MarkedTextProps {
  text: string;
  /** The ranges `[start, end)` that have changed, in UTF-16 units. */
  words?: readonly (readonly [number, number])[] | undefined;
  labels: Pick<DiffLabels, "leftOut">;
}

/**
 * A text with marked changes and names for invisible characters. Of a long text, only the changes and their surroundings are
 * shown at first.
 */
export function MarkedText({ text, words, labels }: MarkedTextProps): ReactNode {
  const [showsAll, setShowsAll] = useState(false);
  return partsOf(text, words, showsAll).map((part, index) => {
    const { isChanged, isLeftOut, isEnd } = part;
    if (isLeftOut) {
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part has no other identity than its position.
        <button key={index} type="button" className="gp-more" onClick={() => setShowsAll(true)}>
          {fill(labels.leftOut, { count: part.text.length })}
        </button>
      );
    }
    const Tag = isChanged ? "mark" : "span";
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a part has no other identity than its position.
      <Tag key={index} className={isChanged ? "gp-changed" : undefined}>
        {/* `isEnd`: the part ends the line, so blanks at its end are marked. */}
        {revealHidden(part.text, isEnd).map((piece, pieceIndex) =>
          typeof piece === "string" ? (
            piece
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above.
            <span key={pieceIndex} className="gp-mark">
              {piece.mark}
            </span>
          ),
        )}
      </Tag>
    );
  });
}
