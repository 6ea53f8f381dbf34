import { useCell } from "./lib/cell";
import { later } from "./lib/later";
import { isRoom, type Room, room, rooms } from "./lib/room";
import { type Tab, Tabs } from "./lib/Tabs";
import { waiting } from "./proposal/waiting";
import { t } from "./words/words";

const FilesPanel = later(async () => (await import("./files/FilesPanel")).FilesPanel);
const InstancePanel = later(async () => (await import("./instance/InstancePanel")).InstancePanel);
const ProposalPanel = later(async () => (await import("./proposal/ProposalPanel")).ProposalPanel);
const SurfacePanel = later(async () => (await import("./surface/SurfacePanel")).SurfacePanel);

const panels: Readonly<Record<Room, React.ComponentType>> = {
  files: FilesPanel,
  instance: InstancePanel,
  proposal: ProposalPanel,
  surface: SurfacePanel,
};

/** The workbench: one part of the agent's work at a time. */
export function Workbench() {
  const shown = useCell(room);
  const Panel = panels[shown];
  return (
    <section className="panel workbench" id="workbench" aria-label={t("Workbench")} tabIndex={-1}>
      <Tabs
        label={t("Workbench")}
        className="rooms"
        tabs={useRooms()}
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

/** The parts, with what waits in them. */
function useRooms(): readonly Tab[] {
  const { all, files } = useCell(waiting);
  return rooms.map(({ id, label }) => {
    const tab = { id, label: t(label) };
    const count = tab.id === "proposal" ? all : tab.id === "files" ? files : 0;
    return count === 0 ? tab : { ...tab, badge: { text: String(count), meaning: t(count === 1 ? "waits" : "wait") } };
  });
}
