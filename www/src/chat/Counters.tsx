import { t } from "../words/words";
import type { PlayerState } from "./Player";

const whole = (value: number) => value.toLocaleString("en");

/** The browser's clock is coarse: only the mean of many pushes says something. */
const enough = 50;

export function Counters({ state: { position, total, chunks, events, busy } }: { state: PlayerState }) {
  const mean = chunks >= enough ? `${((busy * 1000) / chunks).toFixed(1)} µs` : "–";
  return (
    <dl className="counters">
      <div>
        <dt>{t("Characters")}</dt>
        <dd>
          {whole(position)} / {whole(total)}
        </dd>
      </div>
      <div>
        <dt>{t("Chunks")}</dt>
        <dd data-count="chunks">{whole(chunks)}</dd>
      </div>
      <div>
        <dt>{t("Events")}</dt>
        <dd data-count="events">{whole(events)}</dd>
      </div>
      <div
        title={t(
          "Time inside push and end, divided by the chunks; measured here, in this browser, from {number} chunks on",
          { number: enough },
        )}
      >
        <dt>{t("Mean per push")}</dt>
        <dd>{mean}</dd>
      </div>
    </dl>
  );
}
