import { useEffect, useId, useState } from "react";
import { useCell } from "../lib/cell";
import { Icon } from "../lib/Icon";
import { Slider } from "../lib/Slider";
import { Switch } from "../lib/Switch";
import { rich } from "../words/rich";
import { type Plain, t } from "../words/words";
import { conditions, setConditions } from "./link";
import { isLive, mcpAddress, setOffline, status } from "./live";
import { type Edit, editElsewhere, edits } from "./otherClient";
import { PendingList } from "./PendingList";
import type { Conditions } from "./SimulatedServer";

type Share = Exclude<keyof Conditions, "offline">;

const sliders: readonly { name: Share; label: Plain; max: number; step: number; unit: string }[] = [
  { name: "delay", label: "Delay, one way", max: 5000, step: 100, unit: "ms" },
  { name: "loss", label: "Requests lost", max: 100, step: 5, unit: "%" },
  { name: "refusal", label: "Requests refused", max: 100, step: 5, unit: "%" },
];

/** Milliseconds between the edits of the other client, when it goes on by itself. */
const beat = 3000;

export const ServerPanel = isLive ? Backend : PlayedServer;

/** The state of the backend, and how agents connect to it. */
function Backend() {
  const id = useId();
  const now = useCell(status);
  return (
    <section className="server" aria-labelledby={`${id}-title`}>
      <div className="panel-head">
        <h3 id={`${id}-title`}>{t("Server")}</h3>
        <p className="hint" role="status">
          {now === "open"
            ? t("Connected.")
            : now === "offline"
              ? t("Offline: what you enter waits.")
              : now === "closed"
                ? t("Not signed in. Open the address of the page that the backend has printed last.")
                : t("Connecting…")}
        </p>
        <Switch label={t("Offline")} on={now === "offline"} onChange={setOffline} />
      </div>
      <p className="hint">
        {rich("Agents connect by MCP to {address}, with the token that the backend has printed as {header}.", {
          address: <code>{mcpAddress}</code>,
          header: <code>Authorization: Bearer</code>,
        })}
      </p>
      <PendingList />
    </section>
  );
}

/** The server that the page plays, what it does to your calls, and the other client. */
function PlayedServer({ instance }: { instance: string }) {
  const id = useId();
  const now = useCell(conditions);
  return (
    <section className="server" aria-labelledby={`${id}-title`}>
      <div className="panel-head">
        <h3 id={`${id}-title`}>{t("Server")}</h3>
        <p className="hint">{t("Simulated in this page, with its own store.")}</p>
        <Switch label={t("Offline")} on={now.offline} onChange={(offline) => setConditions({ offline })} />
      </div>
      <div className="server-sliders">
        {sliders.map(({ name, label, max, step, unit }) => (
          <Slider
            key={name}
            label={t(label)}
            min={0}
            max={max}
            step={step}
            value={now[name]}
            text={`${now[name].toLocaleString("en")} ${unit}`}
            onChange={(value) => setConditions({ [name]: value })}
          />
        ))}
      </div>
      <OtherClient instance={instance} />
      <PendingList />
    </section>
  );
}

/** A second client, whose edits arrive as pushes. */
function OtherClient({ instance }: { instance: string }) {
  const id = useId();
  const [edit, setEdit] = useState<Edit>("field");
  const [goesOn, setGoesOn] = useState(false);

  useEffect(() => {
    if (!goesOn) return;
    const timer = setInterval(() => editElsewhere(instance, edit), beat);
    return () => clearInterval(timer);
  }, [goesOn, instance, edit]);

  return (
    <div className="other-client">
      <label htmlFor={id}>{t("Another client")}</label>
      <select id={id} value={edit} onChange={(event) => setEdit(event.target.value as Edit)}>
        {edits.map((one) => (
          <option key={one.id} value={one.id}>
            {t(one.label)}
          </option>
        ))}
      </select>
      <button type="button" className="small" onClick={() => editElsewhere(instance, edit)}>
        <Icon name="send" />
        {t("Now")}
      </button>
      <label>
        <input type="checkbox" checked={goesOn} onChange={(event) => setGoesOn(event.target.checked)} />
        {t("every {number} s", { number: beat / 1000 })}
      </label>
    </div>
  );
}
