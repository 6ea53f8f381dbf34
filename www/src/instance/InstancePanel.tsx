import { useRef } from "react";
import { Icon } from "../lib/Icon";
import { Tabs } from "../lib/Tabs";
import { CallEditor } from "./CallEditor";
import { Flash } from "./Flash";
import { InstanceView } from "./InstanceView";
import { reset, useActive, useNames } from "./instances";
import { ResultPanel } from "./ResultPanel";
import { SnapshotView } from "./SnapshotView";
import { store } from "./store";

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
          <p className="hint">Rendered from the snapshot.</p>
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
          <div className="stage" ref={stage}>
            <InstanceView name={active} />
          </div>
        </Tabs>
        <Flash stage={stage} />
      </section>
      <div className="side">
        <div className="part">
          <CallEditor />
          <ResultPanel />
        </div>
        <div className="part">
          <SnapshotView name={active} />
        </div>
      </div>
    </div>
  );
}
