/** `memoryStorage`: logs that end with the process. */
import { getOrInsert } from "../../core/kinds.js";
import { type RoomStorage, type StoredEntry, type StoredSnapshot, staleAppend } from "./types.js";

interface Kept {
  entries: StoredEntry[];
  snapshot: StoredSnapshot | undefined;
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
  const rooms = new Map<string, Kept>();
  const of = (room: string) =>
    getOrInsert(rooms, room, (): Kept => ({ entries: [], snapshot: undefined, parts: new Map() }));
  const deleteParts = ({ parts }: Kept, accepts: (number: number) => boolean) => {
    for (const [id, { number }] of parts) if (accepts(number)) parts.delete(id);
  };
  const last = ({ entries, snapshot }: Kept) => entries.at(-1)?.number ?? snapshot?.number ?? 0;
  return {
    async *read(room, after) {
      for (const entry of rooms.get(room)?.entries.slice() ?? []) if (entry.number > after) yield entry;
    },
    async append(room, expected, entries) {
      const kept = of(room);
      if (last(kept) !== expected) throw staleAppend(room, expected);
      kept.entries.push(...entries);
    },
    async writePart(room, { number, id }, text) {
      of(room).parts.set(id, { number, text });
    },
    async readPart(room, { id }) {
      return rooms.get(room)?.parts.get(id)?.text;
    },
    async snapshot(room, snapshot, forget) {
      const kept = of(room);
      if (kept.snapshot !== undefined && kept.snapshot.number > snapshot.number) return;
      kept.snapshot = snapshot;
      kept.entries = kept.entries.filter(({ number }) => number > forget);
      deleteParts(kept, (number) => number < snapshot.number);
    },
    async latest(room) {
      return rooms.get(room)?.snapshot;
    },
    async cut(room, after) {
      const kept = of(room);
      kept.entries = kept.entries.filter(({ number }) => number <= after);
      if (kept.snapshot !== undefined && kept.snapshot.number > after) kept.snapshot = undefined;
      deleteParts(kept, (number) => number > after);
    },
    async remove(room) {
      rooms.delete(room);
    },
  };
}
