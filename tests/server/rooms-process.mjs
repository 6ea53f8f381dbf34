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
const rooms = createRooms({ storage, authorize, limits, ...(onError && { onError }) });
const server = createServer(nodeListener(rooms));
const sockets = new WebSocketServer({ noServer: true });
server.on("upgrade", (request, socket, head) =>
  sockets.handleUpgrade(request, socket, head, (page) => rooms.socket(page, request)),
);
server.listen(Number(PORT), "127.0.0.1", () => console.log("ready"));
