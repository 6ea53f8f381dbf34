import { gulfSystemPrompt } from "genui-patch";
import { useId, useState } from "react";
import { surfaceRecordings } from "../data/surfaces";
import { catalog } from "../data/surfaces/catalog";
import { useCell } from "../lib/cell";
import { Icon } from "../lib/Icon";
import { JsonText } from "../lib/JsonText";
import { Playback } from "../lib/Playback";
import { ScrollBox } from "../lib/ScrollBox";
import type { View } from "../lib/view";
import { t } from "../words/words";
import { LiveSurface } from "./LiveSurface";
import { leave, live } from "./live";
import { SurfaceCard } from "./SurfaceCard";
import { type SurfaceState, surfaces } from "./surfaces";

const ownStream = "own";
const liveStream = "live";

/** User interfaces that an agent streams: rendered as they arrive, their inputs bound to the data. */
export function SurfacePanel() {
  const id = useId();
  const state = useCell(surfaces.state);
  const choice = useCell(surfaces.choice);
  const { writing } = useCell(live);
  const recording = surfaceRecordings.find((one) => one.id === choice);

  function choose(next: string) {
    leave();
    surfaces.choose(next, surfaceRecordings.find((one) => one.id === next)?.stream ?? "");
  }

  return (
    <div className="room surface-room">
      <section className="part" aria-label={t("Surfaces")}>
        <div className="panel-head">
          <h2>{t("Surface")}</h2>
          <p className="hint">
            {recording ? recording.protocol : t("GULF 1.0, A2UI v0.8, v0.9 and 1.0, told per message")}
          </p>
        </div>
        {state.ids.length === 0 && (
          <p className="nothing">
            {state.done
              ? t("The stream is over: no surface was in it.")
              : choice === liveStream
                ? t("Nothing has arrived. Say what you would like to see.")
                : t("Nothing has arrived. Play the stream.")}
          </p>
        )}
        {state.ids.map((surface) => (
          <SurfaceCard key={surface} id={surface} ended={state.done} />
        ))}
      </section>
      <div className="side">
        <div className="part">
          <div className="source">
            <label htmlFor={id}>{t("Stream")}</label>
            <select id={id} value={choice} onChange={(event) => choose(event.target.value)}>
              {surfaceRecordings.map(({ id: value, title }) => (
                <option key={value} value={value}>
                  {t(title)}
                </option>
              ))}
              <option value={ownStream}>{t("Your own stream…")}</option>
              <option value={liveStream}>{t("A live model…")}</option>
            </select>
          </div>
          {choice === ownStream && <OwnStream />}
          {choice === liveStream && <LiveSurface />}
          {/* What is being written has a pace of its own. */}
          {!(choice === liveStream && writing) && (
            <Playback player={surfaces} playing={state.playing} done={state.done} empty={state.total === 0} />
          )}
          <p className="hint">
            {t("{position} of {total} characters", {
              position: state.position.toLocaleString("en"),
              total: state.total.toLocaleString("en"),
            })}
          </p>
        </div>
        <Diagnostics state={state} />
        <Sent state={state} />
        <Data state={state} />
        <Prompt />
      </div>
    </div>
  );
}

function OwnStream() {
  const id = useId();
  const [text, setText] = useState("");
  return (
    <div className="own-text">
      <label htmlFor={id}>JSON Lines</label>
      <textarea
        id={id}
        className="mono"
        rows={5}
        spellCheck={false}
        placeholder='{"componentUpdate": {"components": […]}}'
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          surfaces.load(event.target.value);
        }}
      />
    </div>
  );
}

function Diagnostics({ state: { diagnostics } }: { state: SurfaceState }) {
  if (diagnostics.length === 0) return null;
  return (
    <div className="part">
      <h3>{t("Diagnostics")}</h3>
      <ul className="issues" aria-label={t("Diagnostics")}>
        {diagnostics.map(({ severity, code, message, line }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are only added to
          <li key={at} data-severity={severity}>
            <Icon name={severity === "error" ? "cross" : "warn"} /> <code>{code}</code> {message}
            {line !== undefined && <span className="place"> {t("line {line}", { line })}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Sent({ state: { sent } }: { state: SurfaceState }) {
  const last = sent.at(-1);
  return (
    <div className="part">
      <h3>{t("Client events")}</h3>
      <p role="status" className="hint">
        {last === undefined ? t("Press a button of the surface: what would be sent to the agent stands here.") : ""}
      </p>
      {last !== undefined && (
        <ScrollBox label={t("Last client event")} className="boxed">
          <JsonText value={last.event as View} />
        </ScrollBox>
      )}
    </div>
  );
}

/** The system prompt of the protocol and of this page's components, with which a model can write a stream. */
function Prompt() {
  const [open, setOpen] = useState(false);
  return (
    <details className="snapshot part" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h3>{t("What a model is told")}</h3>
      </summary>
      {open && <ScrollBox label={t("What a model is told")}>{gulfSystemPrompt(catalog)}</ScrollBox>}
    </details>
  );
}

/** The data model of the first surface: what inputs write is in it at once. */
function Data({ state: { ids } }: { state: SurfaceState }) {
  const [first] = ids;
  const data = first === undefined ? undefined : surfaces.stream?.dataModel(first);
  if (data === undefined) return null;
  return (
    <details className="snapshot part" open>
      <summary>
        <h3>{t("Data model")}</h3>
        <span className="hint">{first}</span>
      </summary>
      <ScrollBox label={t("Data model of {name}", { name: first ?? "" })}>
        <JsonText value={data as View} />
      </ScrollBox>
    </details>
  );
}
