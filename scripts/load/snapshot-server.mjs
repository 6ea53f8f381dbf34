/**
 * A server without sockets, which fills a room with `COUNT` documents of `MEGABYTES`, takes a snapshot of it, or opens it, on
 * `STORAGE` at `PLACE`. It answers one message.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { createRooms } from "genui-patch/server";
import { openStorage } from "../../tests/server/storages.mjs";

const { STORAGE, PLACE } = process.env;
const [count, megabytes] = [Number(process.env.COUNT), Number(process.env.MEGABYTES)];
/** The number of the entry after which a room takes its first snapshot. */
const FIRST = 1_000;
const ROOM = "large";
const { storage } = await openStorage(STORAGE, PLACE);
const errors = [];
const rooms = createRooms({
  storage,
  authorize: () => null,
  onError: (error) => errors.push(error.message),
  limits: { maxBytes: 2 ** 30, appendDeadline: 60_000 },
});
const delay = monitorEventLoopDelay({ resolution: 1 });

/** Linux tells the peak of the memory since a reset; other systems tell that since the start. */
const onLinux = process.platform === "linux";
const resetPeak = () => onLinux && writeFileSync("/proc/self/clear_refs", "5");
function peakMegabytes() {
  if (!onLinux) return process.resourceUsage().maxRSS / 1024;
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"));
  return kilobytes / 1024;
}

async function measured(run) {
  globalThis.gc();
  await wait(50);
  resetPeak();
  const before = process.memoryUsage();
  delay.enable();
  delay.reset();
  const start = performance.now();
  const cpu = process.cpuUsage();
  await run();
  const took = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  await wait(5);
  const heldUp = delay.max / 1e6;
  return { before: before.rss / 2 ** 20, peak: peakMegabytes(), took, cpu: (user + system) / 1000, heldUp };
}

const tasks = {
  /** Fills the documents with short texts, as documents have, up to one entry before the first snapshot. */
  async fill() {
    const room = await rooms.room(ROOM);
    for (let document = 0; document < count; document++) {
      const name = `d${document}`;
      await room.write({ instance_name: "__CREATE__", new_instance_name: name, patches: [] });
      for (let part = 0; part < megabytes; part++) {
        const rows = Array.from({ length: 20_000 }, (_, at) => ({
          id: at,
          text: `row ${at} of ${part}`.padEnd(25, "."),
        }));
        await room.write({
          instance_name: name,
          patches: [{ op: "set", path: `state.params.rows${part}`, value: rows }],
        });
      }
    }
    await small(room, FIRST - 1 - room.revision);
  },
  async snapshot() {
    const room = await rooms.room(ROOM);
    return measured(async () => {
      await small(room, FIRST + 1 - room.revision);
      while ((await storage.latest(ROOM)) === undefined && errors.length === 0) await wait(20);
    });
  },
  open: () => measured(() => rooms.room(ROOM)),
};

async function small(room, calls) {
  const patches = (value) => [{ op: "set", path: "state.params.count", value }];
  for (let call = 0; call < calls; call++) await room.write({ instance_name: "d0", patches: patches(call) });
}

process.on("message", async (task) => {
  const answer = await tasks[task]().catch((error) => void errors.push(error.message));
  await rooms.close().catch(() => {});
  process.send({ ...answer, errors });
});
process.on("disconnect", () => process.exit());
process.send({});
