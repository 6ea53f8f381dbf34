import { useRef } from "react";
import { useCell } from "../lib/cell";
import { hood } from "../lib/hood";
import { Icon } from "../lib/Icon";
import { Tabs } from "../lib/Tabs";
import { Notices } from "../server/Notices";
import { ServerPanel } from "../server/ServerPanel";
import { CallEditor } from "./CallEditor";
import { Flash } from "./Flash";
import { InstanceView } from "./InstanceView";
import { loadLarge, reset, useActive, useNames } from "./instances";
import { ResultPanel } from "./ResultPanel";
import { SnapshotView } from "./SnapshotView";
import { store } from "./store";

/** As many as there are on a very large page. */
const blocks = 1000;

/** The page that an agent builds: its instances, the calls that change them, and what came of it. */
export function InstancePanel() {
  const names = useNames();
  const active = useActive();
  const stage = useRef<HTMLDivElement>(null);

  return (
    <div className="room instance-room">
      <section className="part stage-part" aria-label="Page">
        <div className="panel-head">
          <h2>Page</h2>
          <p className="hint">What you enter shows at once.</p>
          <button type="button" className="small" onClick={() => loadLarge(blocks)}>
            {blocks.toLocaleString("en")} blocks
          </button>
          <button type="button" className="small" onClick={reset}>
            <Icon name="restart" />
            Reset all
          </button>
        </div>
        <Tabs
          label="Instances"
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
      {useCell(hood) && (
        <div className="side">
          <div className="part">
            <ServerPanel instance={active} />
          </div>
          <div className="part">
            <CallEditor />
            <ResultPanel />
          </div>
          <div className="part">
            <SnapshotView name={active} />
          </div>
        </div>
      )}
    </div>
  );
}
