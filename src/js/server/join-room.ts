/** `joinRoom`: makes the `Page` of a client that connects to a room, over a socket or an event stream. */
import type { LoadedRoom } from "./loaded-room.js";
import type { LoadedRooms } from "./loaded-rooms.js";
import { Page, type Transport } from "./page.js";
import type { RoomCore } from "./room.js";
import type { Identity, ServerLimits } from "./types.js";

/**
 * Makes a page, and keeps the room informed of it: its pages, who is present, and when the room may be unloaded. `core`: the core
 * of `room`, which is loaded.
 */
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
    pageLeft: (leaving) => {
      room.pages.delete(leaving);
      rooms.sendPresenceLater(room);
      rooms.unloadLater(room);
    },
    presenceChanged: () => rooms.sendPresenceLater(room),
  });
  room.pages.add(page);
  rooms.sendPresenceLater(room);
  return page;
}
