import { ServerPanel } from "../server/ServerPanel";
import { CallEditor } from "./CallEditor";
import { ResultPanel } from "./ResultPanel";
import { SnapshotView } from "./SnapshotView";

/** The drawer of a page: the server, calls and their results, the document. */
export function Drawer({ instance }: { instance: string }) {
  return (
    <div className="side">
      <div className="part">
        <ServerPanel instance={instance} />
      </div>
      <div className="part">
        <CallEditor />
        <ResultPanel />
      </div>
      <div className="part">
        <SnapshotView name={instance} />
      </div>
    </div>
  );
}
