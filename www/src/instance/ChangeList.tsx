import type { Change } from "genui-patch";
import { oneLine } from "../lib/compactJson";
import { t } from "../words/words";
import { showSteps } from "./paths";

const longest = 160;

/** The changes of a call, in order. */
export function ChangeList({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return null;
  return (
    <ol className="changes" aria-label={t("Changes")}>
      {changes.map((change, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a place may change twice, and the list is never reordered
        <li key={at}>
          <span className="kind" data-kind={change.kind}>
            {t(change.kind)}
          </span>
          <code className="change-path">{showSteps(change.path)}</code>
          <code className="change-value">{showValue(change)}</code>
        </li>
      ))}
    </ol>
  );
}

function showValue(change: Change): string {
  if (change.kind === "move") return t("from {place}", { place: showSteps(change.from) });
  if (change.value === undefined) return "";
  const text = oneLine(change.value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
