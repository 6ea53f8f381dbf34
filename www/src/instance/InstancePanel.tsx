import { useRef } from "react";
import { useCell } from "../lib/cell";
import { hood } from "../lib/hood";
import { Icon } from "../lib/Icon";
import { later } from "../lib/later";
import { Tabs } from "../lib/Tabs";
import { Notices } from "../server/Notices";
import { rich } from "../words/rich";
import { t } from "../words/words";
import { Flash } from "./Flash";
import { InstanceView } from "./InstanceView";
import { loadLarge, reset, useActive, useNames } from "./instances";
import { store } from "./store";
import { announced } from "./undo";
import { useUndoKeys } from "./useUndoKeys";

const Drawer = later(async () => (await import("./Drawer")).Drawer);

/** The number of blocks of the large page. */
const blocks = 1000;

/** The page that an agent builds: its instances, the calls that change them, and their results. */
export function InstancePanel() {
  const names = useNames();
  const active = useActive();
  const stage = useRef<HTMLDivElement>(null);
  const undone = useCell(announced);
  useUndoKeys(active, stage);

  return (
    <div className="room instance-room">
      <section className="part stage-part" aria-label={t("Page")}>
        <div className="panel-head">
          <h2>{t("Page")}</h2>
          <p className="hint">{rich("What you enter shows at once. {keys} undoes it.", { keys: <kbd>Ctrl+Z</kbd> })}</p>
          <p className="unseen" role="status">
            {undone()}
          </p>
          <button type="button" className="small" onClick={() => loadLarge(blocks)}>
            {t("1,000 blocks")}
          </button>
          <button type="button" className="small" onClick={reset}>
            <Icon name="restart" />
            {t("Reset all")}
          </button>
        </div>
        <Tabs
          label={t("Instances")}
          tabs={names.map((name) => ({ id: name, label: name }))}
          selected={active}
          onSelect={(name) => {
            store.active = name;
          }}
        >
          <Notices />
          <div className="stage" ref={stage}>
            <InstanceView name={active} />
          </div>
        </Tabs>
        <Flash instance={active} stage={stage} />
      </section>
      {useCell(hood) && <Drawer instance={active} />}
    </div>
  );
}
