import type { Hunk, HunkLine } from "genui-patch";
import { memo, useId } from "react";
import { t } from "../words/words";

interface Props {
  hunks: readonly Hunk[];
  /** The hunks that are to be made; absent where nothing is to be chosen. */
  chosen?: ReadonlySet<number> | undefined;
  onToggle?(index: number): void;
}

/** What differs between two texts, hunk by hunk, as a unified diff. */
export function HunkView({ hunks, chosen, onToggle }: Props) {
  if (hunks.length === 0) return <p className="nothing">{t("No line differs.")}</p>;
  return (
    <div className="hunks">
      {hunks.map((hunk) => (
        <OneHunk
          key={hunk.index}
          hunk={hunk}
          count={hunks.length}
          chosen={chosen?.has(hunk.index)}
          onToggle={onToggle}
        />
      ))}
    </div>
  );
}

interface HunkProps {
  hunk: Hunk;
  count: number;
  chosen: boolean | undefined;
  onToggle: ((index: number) => void) | undefined;
}

const OneHunk = memo(function OneHunk({ hunk, count, chosen, onToggle }: HunkProps) {
  const id = useId();
  const { index, oldStart, oldLines, newStart, newLines, lines } = hunk;
  const title = t("Change {number} of {count}", { number: index + 1, count });
  return (
    <section className="hunk" aria-label={title} data-chosen={chosen}>
      <header>
        {chosen === undefined ? (
          <span>{title}</span>
        ) : (
          <>
            <input id={id} type="checkbox" checked={chosen} onChange={() => onToggle?.(index)} />
            <label htmlFor={id}>{title}</label>
          </>
        )}
        <span className="place">
          −{oldStart},{oldLines} +{newStart},{newLines}
        </span>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
      <section className="hunk-lines" tabIndex={0} aria-label={t("Lines of change {number}", { number: index + 1 })}>
        {numbered(hunk, lines).map(({ key, before, after, line }) => (
          <div key={key} className="hunk-line" data-kind={line.kind}>
            <span className="number" aria-hidden="true">
              {before}
            </span>
            <span className="number" aria-hidden="true">
              {after}
            </span>
            <LineText line={line} />
          </div>
        ))}
      </section>
    </section>
  );
});

function numbered({ oldStart, newStart }: Hunk, lines: readonly HunkLine[]) {
  let old = oldStart;
  let now = newStart;
  return lines.map((line, key) => ({
    key,
    line,
    before: line.kind === "added" ? undefined : old++,
    after: line.kind === "removed" ? undefined : now++,
  }));
}

function LineText({ line: { kind, text, words } }: { line: HunkLine }) {
  if (kind === "same") return <span className="words">{text}</span>;
  const Tag = kind === "added" ? "ins" : "del";
  return <Tag className="words">{words ? <Words text={text} words={words} /> : text}</Tag>;
}

/** A line with what differs in it marked. */
function Words({ text, words }: { text: string; words: readonly [number, number][] }) {
  let at = 0;
  const pieces: React.ReactNode[] = [];
  for (const [from, to] of words) {
    pieces.push(text.slice(at, from), <mark key={from}>{text.slice(from, to)}</mark>);
    at = to;
  }
  return [...pieces, text.slice(at)];
}
