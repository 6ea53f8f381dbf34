import { FilesPanel } from "./files/FilesPanel";
import { InstancePanel } from "./instance/InstancePanel";
import { useCell } from "./lib/cell";
import { isRoom, type Room, room, rooms } from "./lib/room";
import { Tabs } from "./lib/Tabs";
import { SurfacePanel } from "./surface/SurfacePanel";

const panels: Readonly<Record<Room, () => React.ReactNode>> = {
  files: FilesPanel,
  instance: InstancePanel,
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
        tabs={rooms}
        selected={shown}
        onSelect={(id) => {
          if (isRoom(id)) room.set(id);
        }}
      >
        <Panel />
      </Tabs>
    </section>
  );
}
