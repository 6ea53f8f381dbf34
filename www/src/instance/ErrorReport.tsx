import type { PatchResult } from "genui-patch";
import { t } from "../words/words";

/** Why a call was refused, where, and what to send instead. */
export function ErrorReport({ result }: { result: Extract<PatchResult, { status: "error" }> }) {
  const { code, message, solution, index, op, path, position } = result.error;
  const place = [
    index !== undefined && t("patch {number}", { number: index + 1 }),
    op,
    path,
    position && t("line {line}, column {column}", position),
  ].filter(Boolean);
  return (
    <div className="error-report">
      <p>
        <code className="code">{code}</code>
        {place.length > 0 && <span className="place"> {place.join(" · ")}</span>}
      </p>
      <p>{message}</p>
      <p className="solution">
        <strong>{t("Solution:")}</strong> {solution}
      </p>
      {result.available_instances && (
        <p className="place">
          {t("Instances:")} {result.available_instances.join(", ")}
        </p>
      )}
      <p className="hint">{t("Nothing has changed.")}</p>
    </div>
  );
}
