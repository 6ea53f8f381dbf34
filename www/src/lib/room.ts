/** The open part of the workbench. It is in the page's address, so that a reload opens it again. */
import { cell } from "./cell";

export const rooms = [
  { id: "files", label: "Files" },
  { id: "instance", label: "Instance" },
  { id: "proposal", label: "Proposal" },
  { id: "surface", label: "Surface" },
] as const;

export type Room = (typeof rooms)[number]["id"];

export const isRoom = (id: string): id is Room => rooms.some((one) => one.id === id);

const named = () => {
  const id = location.hash.slice(1);
  return isRoom(id) ? id : undefined;
};

export const room = cell<Room>(named() ?? "instance");

/** Opens a part and, where it stands below the chat, brings it into view. */
export function show(id: Room): void {
  room.set(id);
  document.getElementById("workbench")?.scrollIntoView({ block: "start" });
}

room.subscribe(() => {
  if (named() !== room.get()) history.replaceState(null, "", `#${room.get()}`);
});
addEventListener("hashchange", () => {
  const id = named();
  if (id !== undefined && id !== room.get()) room.set(id);
});
