"use client";
/** `DiffView`: hunks of lines, with visible marks for invisible characters. */
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
  onToggle?: ((index: number) => void) | undefined;
  /** The number of all hunks, if `hunks` are only some of them. Default: the number of `hunks`. */
  count?: number | undefined;
  labels?: Partial<DiffLabels> | undefined;
}

export function DiffView({ hunks, chosen, onToggle, count = hunks.length, labels }: DiffViewProps) {
  const texts = { ...englishDiffLabels, ...labels };
  if (hunks.length === 0) return <p className="gp-empty">{texts.noChanges}</p>;
  const usual = usualEnd(hunks.flatMap(({ lines }) => lines.map(({ end = "\n" }) => end)));
  return (
    <div className="gp-diff">
      {hunks.map((hunk) => (
        <OneHunk
          key={hunk.index}
          {...{ hunk, onToggle, count, labels: texts }}
          chosen={chosen?.has(hunk.index)}
          usualEnd={usual}
        />
      ))}
    </div>
  );
}

/** The line end of most lines. Those that end otherwise are marked. */
const usualEnd = (ends: readonly string[]): string =>
  ends.filter((end) => end === "\r\n").length * 2 > ends.filter(Boolean).length ? "\r\n" : "\n";

interface HunkProps {
  hunk: Hunk;
  count: number;
  chosen: boolean | undefined;
  usualEnd: string;
  onToggle: DiffViewProps["onToggle"];
  labels: DiffLabels;
}

function OneHunk({ hunk, count, chosen, usualEnd, onToggle, labels }: HunkProps) {
  const id = useId();
  const { index, newStart, newLines, lines } = hunk;
  const name = fill(labels.hunk, { number: index + 1, count });
  const place = fill(labels.lines, { from: newStart, to: newStart + Math.max(newLines, 1) - 1 });
  let [old, now] = [hunk.oldStart, hunk.newStart];
  return (
    <div className="gp-hunk" data-chosen={chosen}>
      <header className="gp-hunk-head">
        {chosen === undefined ? (
          <span id={id}>{name}</span>
        ) : (
          <label className="gp-choice">
            <input className="gp-check" type="checkbox" checked={chosen} onChange={() => onToggle?.(index)} />
            <span id={id}>{name}</span>
          </label>
        )}
        <span className="gp-place">{place}</span>
      </header>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls, and regions would flood the landmarks. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard. */}
      <div className="gp-lines" role="group" tabIndex={0} aria-labelledby={id}>
        {lines.map((line, at) => (
          <Line
            // biome-ignore lint/suspicious/noArrayIndexKey: a hunk's lines are known by their place.
            key={at}
            {...{ line, labels, usualEnd }}
            old={line.kind === "added" ? undefined : old++}
            now={line.kind === "removed" ? undefined : now++}
          />
        ))}
      </div>
    </div>
  );
}

const TAGS = { same: "span", removed: "del", added: "ins" } as const;

interface LineProps extends Pick<HunkProps, "usualEnd" | "labels"> {
  line: HunkLine;
  old: number | undefined;
  now: number | undefined;
}

const Line = memo(function Line({ line, old, now, usualEnd, labels }: LineProps) {
  const { kind, text, words, end = "\n" } = line;
  const Tag = TAGS[kind];
  // Style sheets write the numbers, so that they are neither copied nor read out.
  return (
    <div className="gp-line" data-kind={kind} data-old={old} data-new={now}>
      {kind !== "same" && <span className="gp-unseen">{labels[kind]} </span>}
      <Tag className="gp-code">
        <Shown text={text} words={words} labels={labels} />
        {end !== usualEnd && (
          <span className="gp-mark">{end === "" ? labels.noLineEnd : end === "\n" ? "LF" : "CRLF"}</span>
        )}
      </Tag>
    </div>
  );
});

interface ShownProps {
  text: string;
  words?: readonly (readonly [number, number])[] | undefined;
  labels: Pick<DiffLabels, "leftOut">;
}

/** A text with marked changes and names for invisible characters. Of a long text, only the changes and their surroundings are shown at first. */
export function Shown({ text, words, labels }: ShownProps): ReactNode {
  const [isWhole, setWhole] = useState(false);
  return partsOf(text, words, isWhole).map((part, index) => {
    const { isChanged, isLeftOut, isEnd } = part;
    if (isLeftOut) {
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text are known by their place.
        <button key={index} type="button" className="gp-more" onClick={() => setWhole(true)}>
          {fill(labels.leftOut, { count: part.text.length })}
        </button>
      );
    }
    const Tag = isChanged ? "mark" : "span";
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text are known by their place.
      <Tag key={index} className={isChanged ? "gp-changed" : undefined}>
        {revealHidden(part.text, isEnd).map((piece, at) =>
          typeof piece === "string" ? (
            piece
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above.
            <span key={at} className="gp-mark">
              {piece.mark}
            </span>
          ),
        )}
      </Tag>
    );
  });
}
