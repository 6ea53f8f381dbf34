/**
 * A server of rooms in a process of its own: `STORAGE`, its `PLACE` (a folder or an address), `LIMITS` as JSON. It tells its port,
 * and answers each message with what it has used and counted.
 */
import { createServer } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createRooms, nodeListener } from "genui-patch/server";
import { WebSocketServer } from "ws";
import { authorize } from "../../tests/server/rooms.mjs";
import { openStorage } from "../../tests/server/storages.mjs";

const { STORAGE, PLACE, LIMITS = "{}" } = process.env;
const { storage } = await openStorage(STORAGE, PLACE);
const errors = [];
const rooms = createRooms({
  storage,
  authorize,
  limits: JSON.parse(LIMITS),
  onError: (error, room) => errors.push(`${room}: ${error.message}`),
});
const server = createServer(nodeListener(rooms));
const sockets = new WebSocketServer({ noServer: true, maxPayload: 2 ** 26, perMessageDeflate: false });
server.on("upgrade", (request, socket, head) =>
  sockets.handleUpgrade(request, socket, head, (page) => rooms.socket(page, request)),
);
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

const counters = () =>
  Object.fromEntries(
    [...rooms.metrics().matchAll(/^genui_patch_(\w+) (\d+)$/gm)].map(([, name, value]) => [name, Number(value)]),
  );

process.on("message", async ({ collect = false, reset = false, open }) => {
  if (collect) globalThis.gc?.();
  const start = performance.now();
  if (open !== undefined) await rooms.room(open);
  const opened = performance.now() - start;
  const { user, system } = process.cpuUsage();
  process.send({
    cpu: (user + system) / 1000,
    ...process.memoryUsage(),
    peak: process.resourceUsage().maxRSS * 1024,
    heldUp: delay.max / 1e6,
    opened,
    sockets: sockets.clients.size,
    errors,
    ...counters(),
  });
  if (reset) delay.reset();
});
process.on("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
