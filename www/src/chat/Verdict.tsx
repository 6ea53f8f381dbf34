import type { Issue, ToolBlockEndEvent, ToolCall } from "genui-patch";
import { Icon } from "../lib/Icon";
import { JsonText } from "../lib/JsonText";
import { ScrollBox } from "../lib/ScrollBox";
import { t } from "../words/words";
import { CorrectionView } from "./CorrectionView";
import { WorkLines } from "./WorkLines";

/** The result of a block: its calls, or the reason why it was refused. */
export function Verdict({ end }: { end: ToolBlockEndEvent }) {
  const calls = end.calls ?? (end.call ? [end.call] : []);
  return (
    <div className="verdict">
      {end.issues.length > 0 && (
        <ul className="issues" aria-label={t("Findings")}>
          {end.issues.map((issue) => (
            <IssueLine key={`${issue.code} ${issue.path} ${issue.position?.offset}`} issue={issue} />
          ))}
        </ul>
      )}
      {end.fixes.length > 0 && (
        <ul className="issues" aria-label={t("Repairs")}>
          {end.fixes.map(({ code, message, position }) => (
            <li key={`${code} ${position.offset}`} data-severity="fix">
              <Icon name="wrench" /> <code>{code}</code> {message}{" "}
              <span className="place">
                {position.line}:{position.column}
              </span>
            </li>
          ))}
        </ul>
      )}
      {calls.length > 0 ? <WorkLines calls={calls} /> : end.status === "complete" && <CorrectionView end={end} />}
      <Raw summary={calls.length === 1 ? t("The call") : t("The calls")} calls={calls} text={end.raw} />
    </div>
  );
}

function IssueLine({ issue: { severity, code, message, position } }: { issue: Issue }) {
  return (
    <li data-severity={severity}>
      <Icon name={severity === "error" ? "cross" : "warn"} /> <span className="unseen">{t(severity)}: </span>
      <code>{code}</code> {message}
      {position && (
        <span className="place" title={t("Line and column, from the first character of the JSON")}>
          {" "}
          {position.line}:{position.column}
        </span>
      )}
    </li>
  );
}

/** The calls for the host; without calls, the block as it arrived. */
function Raw({ summary, calls, text }: { summary: string; calls: readonly ToolCall[]; text: string }) {
  return (
    <details>
      <summary>{calls.length > 0 ? summary : t("The block as it arrived")}</summary>
      <ScrollBox label={calls.length > 0 ? summary : t("Block")}>
        {calls.length === 0
          ? text
          : calls.map(({ id, tool, path, content, search_replace, status }) => (
              <JsonText
                key={id}
                value={{
                  id,
                  tool,
                  ...(path !== undefined && { path }),
                  ...(content !== undefined && { content }),
                  ...(search_replace && { search_replace }),
                  status,
                }}
              />
            ))}
      </ScrollBox>
    </details>
  );
}
