import { type Json, textDiff } from "genui-patch";
import { useId, useMemo } from "react";
import { compactJson } from "../lib/compactJson";
import type { View } from "../lib/view";
import { t } from "../words/words";
import type { Row } from "./rows";
import { ValueEditor } from "./ValueEditor";

interface Props {
  rows: readonly Row[];
  chosen: ReadonlySet<string>;
  edits: ReadonlyMap<string, Json>;
  /** Whether it is still to be decided. */
  open: boolean;
  onToggle(key: string): void;
  onEdit(key: string, value: Json | undefined): void;
}

/** What a proposal would change, part by part: what was, what comes, and the person's own value instead. */
export function DiffRows({ rows, chosen, edits, open, onToggle, onEdit }: Props) {
  return (
    <ul className="diff-rows" aria-label={t("Changes")}>
      {rows.map((row) => (
        <DiffRow
          key={`${row.kind} ${row.key}`}
          row={row}
          open={open}
          chosen={chosen.has(row.key)}
          edit={edits.get(row.key)}
          onToggle={onToggle}
          onEdit={onEdit}
        />
      ))}
    </ul>
  );
}

interface RowProps extends Pick<Props, "open" | "onToggle" | "onEdit"> {
  row: Row;
  chosen: boolean;
  edit: Json | undefined;
}

function DiffRow({ row, open, chosen, edit, onToggle, onEdit }: RowProps) {
  const id = useId();
  const after = edit ?? row.after;
  return (
    <li className="diff-row" data-kind={row.kind} data-chosen={!open || chosen}>
      <header>
        {open && <input id={id} type="checkbox" checked={chosen} onChange={() => onToggle(row.key)} />}
        <label htmlFor={id}>
          <code>{row.label}</code>
        </label>
        <span className="kind" data-kind={row.kind}>
          {t(row.kind)}
        </span>
        {row.from !== undefined && <span className="place">{t("from {place}", { place: row.from })}</span>}
        {row.beside && <span className="chip">{t("beside what it asked to show")}</span>}
        {edit !== undefined && <span className="chip edited">{t("your value")}</span>}
        {open && row.after !== undefined && (
          <ValueEditor
            label={row.label}
            value={after as Json}
            edited={edit !== undefined}
            onEdit={(value) => onEdit(row.key, value)}
          />
        )}
      </header>
      <Sides before={row.before} after={after} />
    </li>
  );
}

/** Two texts are compared word by word; anything else stands one above the other. */
function Sides({ before, after }: { before: Json | undefined; after: Json | undefined }) {
  const words = useMemo(
    () => (typeof before === "string" && typeof after === "string" ? wordsOf(before, after) : undefined),
    [before, after],
  );
  return (
    <div className="sides">
      {before !== undefined && <del>{words ? words.before : show(before)}</del>}
      {after !== undefined && <ins>{words ? words.after : show(after)}</ins>}
    </div>
  );
}

function wordsOf(before: string, after: string) {
  const lines = textDiff(before, after, { by: "word", context: 1_000_000 }).flatMap((hunk) => hunk.lines);
  const side = (kind: "removed" | "added") =>
    lines
      .filter((line) => line.kind === kind || line.kind === "same")
      .map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text that is shown once
        <span key={at} className="words">
          {pieces(line.text, line.words ?? [])}
          {"\n"}
        </span>
      ));
  return { before: side("removed"), after: side("added") };
}

function pieces(text: string, words: readonly [number, number][]) {
  let at = 0;
  const found: React.ReactNode[] = [];
  for (const [from, to] of words) {
    found.push(text.slice(at, from), <mark key={from}>{text.slice(from, to)}</mark>);
    at = to;
  }
  return [...found, text.slice(at)];
}

const show = (value: Json) => (typeof value === "string" ? value : compactJson(value as View));
