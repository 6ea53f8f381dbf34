/** How long a room with a long log takes to open, in a new process; and how many entries a second are read without a snapshot. */
import { createHash } from "node:crypto";
import { createRooms } from "genui-patch/server";
import { openStorage, startPlace } from "../../tests/server/storages.mjs";
import { median, startServer, table } from "./processes.mjs";

const WRITER = { id: "writer" };
const ROOM = "long";
/** Calls that are under way at a time. */
const AT_ONCE = 500;

const callOf = (number) => ({
  instance_name: "page",
  patches: [{ op: "set", path: `state.params.p${number % 100}`, value: number }],
});
const document = { state: { params: {}, runtime: {} }, layout: { type: "single" }, blocks: [] };

/** A log that a server has written, with its snapshots. */
async function written(storage, entries) {
  const rooms = createRooms({
    storage,
    authorize: () => null,
    open: () => ({ documents: { page: document } }),
    limits: { perSecond: 1e9 },
  });
  const room = await rooms.room(ROOM);
  for (let number = 0; number < entries; number += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, entries - number) }, (_, at) => room.write(callOf(number + at))),
    );
  await rooms.close();
}

/** A log of as many entries, of which no snapshot was written. */
async function withoutSnapshot(storage, entries) {
  const time = new Date().toISOString();
  let previous = "";
  const create = {
    instance_name: "__CREATE__",
    new_instance_name: "page",
    patches: [{ op: "create", value: document }],
  };
  for (let number = 1; number <= entries; ) {
    const some = [];
    for (; some.length < AT_ONCE && number <= entries; number++) {
      const call = number === 1 ? create : callOf(number);
      const text = JSON.stringify({ kind: "call", user: WRITER, id: `writer-${number}`, time, call });
      const hash = createHash("sha256").update(`${previous}\n${number}\n${text}`).digest("hex");
      some.push({ number, previous, hash, text });
      previous = hash;
    }
    await storage.append(ROOM, some[0].number - 1, some);
  }
  await storage.close?.();
}

export async function measureStart({ storage: name, entries, turns, profile }, say) {
  const rows = [];
  for (const [what, count, write] of [
    ["with snapshots", entries, written],
    ["with snapshots", Math.ceil(entries / 10), written],
    ["without a snapshot", Math.min(entries, 100_000), withoutSnapshot],
  ]) {
    const place = await startPlace(name);
    try {
      const { storage, disconnect } = await openStorage(name, place.place);
      const start = performance.now();
      await write(storage, count);
      await disconnect();
      const writing = performance.now() - start;
      const times = [];
      for (let turn = 0; turn < turns; turn++) {
        const server = await startServer(name, place.place, { profile });
        const before = await server.ask({});
        const { opened, cpu, errors } = await server.ask({ open: ROOM });
        await server.end();
        if (errors.length > 0) say(errors[0]);
        times.push({ opened, cpu: cpu - before.cpu });
      }
      const opened = median(times.map((one) => one.opened));
      const cpu = median(times.map((one) => one.cpu));
      const perSecond = (milliseconds) => Math.round(count / (milliseconds / 1000));
      rows.push(
        [what, count, perSecond(writing), opened, perSecond(opened), cpu, perSecond(cpu)].map((value) =>
          typeof value === "number" ? Math.round(value) : value,
        ),
      );
    } finally {
      await place.end();
    }
  }
  say(table(["a log", "entries", "written/s", "opened in ms", "entries/s", "CPU ms", "entries/s of CPU"], rows));
}
