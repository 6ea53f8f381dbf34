/** `memoryStorage`: logs in memory, which are gone when the process ends. */
import { getOrInsert } from "../../core/kinds.js";
import { type RoomStorage, type StoredEntry, type StoredSnapshot, staleAppend } from "./types.js";

interface RoomData {
  entries: StoredEntry[];
  snapshot: StoredSnapshot | undefined;
  /** Parts of snapshots by `PartKey.id`, which is unique over all snapshots. `number` is that of the snapshot. */
  parts: Map<string, { number: number; text: string }>;
}

/**
 * A storage in memory, for tests and for rooms that need not survive the process.
 *
 * ```ts
 * const rooms = createRooms({ storage: memoryStorage(), authorize: () => ({ user: { id: "ann" }, role: "editor" }) });
 * ```
 */
export function memoryStorage(): RoomStorage {
  const rooms = new Map<string, RoomData>();
  const dataOf = (room: string) =>
    getOrInsert(rooms, room, (): RoomData => ({ entries: [], snapshot: undefined, parts: new Map() }));
  const deleteParts = ({ parts }: RoomData, isDeleted: (number: number) => boolean) => {
    for (const [id, { number }] of parts) if (isDeleted(number)) parts.delete(id);
  };
  // A snapshot may have replaced all entries.
  const lastNumber = ({ entries, snapshot }: RoomData) => entries.at(-1)?.number ?? snapshot?.number ?? 0;
  return {
    async *read(room, after) {
      // A copy, since entries may be appended while the caller reads.
      for (const entry of rooms.get(room)?.entries.slice() ?? []) if (entry.number > after) yield entry;
    },
    async append(room, expected, entries) {
      const data = dataOf(room);
      if (lastNumber(data) !== expected) throw staleAppend(room, expected);
      data.entries.push(...entries);
    },
    async writePart(room, { number, id }, text) {
      dataOf(room).parts.set(id, { number, text });
    },
    async readPart(room, { id }) {
      return rooms.get(room)?.parts.get(id)?.text;
    },
    async snapshot(room, snapshot, forget) {
      const data = dataOf(room);
      if (data.snapshot !== undefined && data.snapshot.number > snapshot.number) return;
      data.snapshot = snapshot;
      data.entries = data.entries.filter(({ number }) => number > forget);
      deleteParts(data, (number) => number < snapshot.number);
    },
    async latest(room) {
      return rooms.get(room)?.snapshot;
    },
    async cut(room, after) {
      const data = dataOf(room);
      data.entries = data.entries.filter(({ number }) => number <= after);
      if (data.snapshot !== undefined && data.snapshot.number > after) data.snapshot = undefined;
      deleteParts(data, (number) => number > after);
    },
    async remove(room) {
      rooms.delete(room);
    },
  };
}
