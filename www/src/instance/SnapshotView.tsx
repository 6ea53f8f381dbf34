import { useState } from "react";
import { JsonText } from "../lib/JsonText";
import { ScrollBox } from "../lib/ScrollBox";
import { listOf, objectOf } from "../lib/view";
import { useSnapshot } from "./instances";
import { store } from "./store";

/** With more blocks than that, the text is only made when it is asked for. */
const many = 200;

/** The document as the store has it. */
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
        <h3>Snapshot</h3>
        <span className="hint">
          {name}, revision {store.revision(name)}
        </span>
      </summary>
      {open && (
        <ScrollBox label={`Snapshot of ${name}`}>
          {snapshot === undefined ? "" : <JsonText value={snapshot} />}
        </ScrollBox>
      )}
    </details>
  );
}
