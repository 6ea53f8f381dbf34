import { JsonText } from "../lib/JsonText";
import { ScrollBox } from "../lib/ScrollBox";
import { useSnapshot } from "./instances";
import { store } from "./store";

/** The document as the store has it. */
export function SnapshotView({ name }: { name: string }) {
  const snapshot = useSnapshot(name);
  return (
    <details className="snapshot" open>
      <summary>
        <h3>Snapshot</h3>
        <span className="hint">
          {name}, revision {store.revision(name)}
        </span>
      </summary>
      <ScrollBox label={`Snapshot of ${name}`}>{snapshot === undefined ? "" : <JsonText value={snapshot} />}</ScrollBox>
    </details>
  );
}
