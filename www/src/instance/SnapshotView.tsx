import { useState } from "react";
import { useCell } from "../lib/cell";
import { JsonText } from "../lib/JsonText";
import { ScrollBox } from "../lib/ScrollBox";
import { Slider } from "../lib/Slider";
import { listOf, objectOf } from "../lib/view";
import { t } from "../words/words";
import { history } from "./history";
import { useSnapshot } from "./instances";
import { store } from "./store";

/** With more blocks than that, the text is only made when it is asked for. */
const many = 200;

/** The document as the store has it, or as it was before. */
export function SnapshotView({ name }: { name: string }) {
  const snapshot = useSnapshot(name);
  const [wanted, setWanted] = useState<{ name: string; open: boolean }>();
  const open = wanted?.name === name ? wanted.open : listOf(objectOf(snapshot).blocks).length <= many;
  return (
    <details className="snapshot" open={open}>
      {/* Not by the event of opening, which comes as well when it is not a person who opens it. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is a button */}
      <summary
        onClick={(event) => {
          event.preventDefault();
          setWanted({ name, open: !open });
        }}
      >
        <h3>{t("Snapshot")}</h3>
        <span className="hint">{t("{name}, revision {revision}", { name, revision: store.revision(name) ?? 0 })}</span>
      </summary>
      {open && <LookBack key={name} name={name} />}
    </details>
  );
}

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** A viewer: what is looked at is only shown here, and the document stays as it is. */
function LookBack({ name }: { name: string }) {
  const now = useSnapshot(name);
  const steps = useCell(history).get(name) ?? [];
  const [looked, setLooked] = useState<number>();
  const last = steps.at(-1);
  const past = steps.find(({ step }) => step === looked);
  const shown = past?.snapshot ?? now;
  return (
    <>
      {last !== undefined && steps.length > 1 && (
        <Slider
          label={t("Look back")}
          min={steps[0]?.step ?? 1}
          max={last.step}
          value={past?.step ?? last.step}
          text={
            past
              ? t("as it was at {time}, after {origin}", { time: clock.format(past.time), origin: past.origin })
              : t("as it is now")
          }
          onChange={(step) => setLooked(step === last.step ? undefined : step)}
        />
      )}
      <ScrollBox label={t("Snapshot of {name}", { name })}>
        {shown === undefined ? "" : <JsonText value={shown} />}
      </ScrollBox>
    </>
  );
}
