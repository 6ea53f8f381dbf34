import { lazy, Suspense } from "react";
import { InstancePanel } from "./instance/InstancePanel";
import { useCell } from "./lib/cell";
import { isRoom, type Room, room, rooms } from "./lib/room";
import { type Tab, Tabs } from "./lib/Tabs";
import { isOpen, useProposals } from "./proposal/desk";
import { ProposalPanel } from "./proposal/ProposalPanel";

const FilesPanel = lazy(async () => ({ default: (await import("./files/FilesPanel")).FilesPanel }));
const SurfacePanel = lazy(async () => ({ default: (await import("./surface/SurfacePanel")).SurfacePanel }));

const panels: Readonly<Record<Room, React.ComponentType>> = {
  files: FilesPanel,
  instance: InstancePanel,
  proposal: ProposalPanel,
  surface: SurfacePanel,
};

/** What the agent works on, one part at a time. */
export function Workbench() {
  const shown = useCell(room);
  const Panel = panels[shown];
  return (
    <section className="panel workbench" id="workbench" aria-label="Workbench" tabIndex={-1}>
      <Tabs
        label="Workbench"
        className="rooms"
        tabs={useRooms()}
        selected={shown}
        onSelect={(id) => {
          if (isRoom(id)) room.set(id);
        }}
      >
        <Suspense fallback={<p className="nothing">Loading…</p>}>
          <Panel />
        </Suspense>
      </Tabs>
    </section>
  );
}

/** The parts, with what waits in them. */
function useRooms(): readonly Tab[] {
  const waiting = useProposals().filter(isOpen);
  const files = waiting.filter(({ kind }) => kind === "file").length;
  return rooms.map((tab) => {
    const count = tab.id === "proposal" ? waiting.length : tab.id === "files" ? files : 0;
    return count === 0 ? tab : { ...tab, badge: { text: String(count), meaning: count === 1 ? "waits" : "wait" } };
  });
}
