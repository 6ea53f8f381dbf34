import type { ToolBlockEndEvent } from "genui-patch";
import { useCell } from "../lib/cell";
import { Icon } from "../lib/Icon";
import { ScrollBox } from "../lib/ScrollBox";
import { endpoint, isSet } from "../model/endpoint";
import { t } from "../words/words";
import { type Correction, correct, liveModel, recordedModel, useCorrection } from "./corrections";
import { WorkLines } from "./WorkLines";

/** For a block without a call: a model may be asked for it anew. */
export function CorrectionView({ end }: { end: ToolBlockEndEvent }) {
  const correction = useCorrection(end);
  const live = useCell(endpoint);
  const recorded = recordedModel(end);
  const asking = correction?.state === "asking";
  return (
    <div className="correction">
      <div className="buttons">
        {recorded && (
          <button
            type="button"
            className="small"
            disabled={asking}
            onClick={() => void correct(end, undefined, recorded)}
          >
            <Icon name="spark" />
            {t("Correct by a recorded model")}
          </button>
        )}
        <button
          type="button"
          className="small"
          disabled={asking || !isSet(live)}
          title={isSet(live) ? undefined : t("Enter an endpoint below first")}
          onClick={() => void correct(end, live.model, liveModel)}
        >
          <Icon name="spark" />
          {isSet(live) ? t("Correct by {by}", { by: live.model }) : t("Correct by your own model")}
        </button>
      </div>
      <p role="status" className="correction-state" data-tone={toneOf(correction)}>
        {sentence(correction)}
      </p>
      {correction?.state === "over" && correction.result.corrected && (
        <>
          <ScrollBox label={t("The corrected block")}>{correction.result.content}</ScrollBox>
          <WorkLines calls={callsOf(correction.result.report)} />
        </>
      )}
      {correction?.state === "over" && !correction.result.corrected && (
        <ul className="issues" aria-label={t("What is still wrong")}>
          {correction.result.report.issues.map(({ code, message, severity }) => (
            <li key={`${code} ${message}`} data-severity={severity}>
              <code>{code}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const callsOf = ({ call, calls }: Extract<Correction, { state: "over" }>["result"]["report"]) =>
  calls ?? (call ? [call] : []);

function toneOf(correction: Correction | undefined): string | undefined {
  if (correction === undefined || correction.state === "asking") return undefined;
  return correction.state === "over" && correction.result.corrected ? "good" : "bad";
}

function sentence(correction: Correction | undefined): string {
  if (correction === undefined) return "";
  const { state } = correction;
  const by = correction.by ?? t("a recorded model");
  if (state === "asking") return t("Asking {by}…", { by });
  if (state === "failed") return t("No answer from {by}: {why}", { by, why: correction.why() });
  const { corrected, attempts } = correction.result;
  const times = attempts === 1 ? t("one attempt") : t("{number} attempts", { number: attempts });
  return corrected
    ? t("Corrected by {by} in {times}, and valid now.", { by, times })
    : t("Still refused after {times} by {by}.", { by, times });
}
