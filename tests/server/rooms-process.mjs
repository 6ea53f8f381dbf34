/** A server of rooms in a process of its own, to be killed: `STORAGE`, its `PLACE` (a folder or an address), `PORT`. */
import { createServer } from "node:http";
import { createRooms, nodeListener } from "genui-patch/server";
import { WebSocketServer } from "ws";
import { authorize } from "./rooms.mjs";
import { openStorage } from "./storages.mjs";

const { STORAGE, PLACE, PORT } = process.env;
const { storage } = await openStorage(STORAGE, PLACE);
// A storage that is away is reported often; what the test checks is what clients see.
const onError = process.env.VERBOSE ? undefined : () => {};
const limits = { perSecond: 10_000, appendDeadline: 3_000 };
/** Two sections far from each other, so that what an agent adds to both can be approved in part. */
const plan = ["# Kept", ...Array.from({ length: 12 }, (_, at) => `line ${at}`), "# Dropped", ""].join("\n");
const contents = {
  files: { initial: { "plan.md": plan, "notes.md": "end of notes\n" } },
  flow: { initial: [{ id: "task", nodes: [{ id: "node", data: {} }] }] },
};
const open = () => contents;
const rooms = createRooms({ storage, authorize, open, limits, ...(onError && { onError }) });
const listener = nodeListener(rooms);
const server = createServer((request, response) => {
  if (request.url !== "/metrics") return listener(request, response);
  response.end(rooms.metrics());
});
const sockets = new WebSocketServer({ noServer: true });
server.on("upgrade", (request, socket, head) =>
  sockets.handleUpgrade(request, socket, head, (page) => rooms.socket(page, request)),
);
server.listen(Number(PORT), "127.0.0.1", () => console.log("ready"));
