import type { Skipped } from "genui-patch";
import { t } from "../words/words";

/** The parts of a call that had no effect. */
export function SkippedList({ skipped }: { skipped: readonly Skipped[] }) {
  if (skipped.length === 0) return null;
  return (
    <ul className="changes" aria-label={t("Skipped")}>
      {skipped.map(({ index, op, path, reason, key, error }) => (
        <li key={`${index} ${key} ${path}`}>
          <span className="kind">{t("skipped")}</span>
          <code className="change-path">{key ?? `${op} ${path}`}</code>
          <span className="change-value">
            {index >= 0 && `${t("patch {number}", { number: index + 1 })} · `}
            {error?.message ?? reason}
          </span>
        </li>
      ))}
    </ul>
  );
}
