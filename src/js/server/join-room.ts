/** `joinRoom`: a page that enters a room, over whichever transport. */
import type { LoadedRoom } from "./loaded-room.js";
import type { LoadedRooms } from "./loaded-rooms.js";
import { Page, type Transport } from "./page.js";
import type { RoomCore } from "./room.js";
import type { Identity, ServerLimits } from "./types.js";

/** Makes a page of a room, and tells the others. */
export function joinRoom(
  rooms: LoadedRooms,
  limits: ServerLimits,
  room: LoadedRoom,
  core: RoomCore,
  identity: Identity,
  transport: Transport,
): Page {
  const page = new Page(core, identity, transport, {
    limits,
    report: (cause) => rooms.report(cause, room.name),
    left: (gone) => {
      room.pages.delete(gone);
      rooms.tellPresenceLater(room);
      rooms.unloadLater(room);
    },
    presenceChanged: () => rooms.tellPresenceLater(room),
  });
  room.pages.add(page);
  rooms.tellPresenceLater(room);
  return page;
}
