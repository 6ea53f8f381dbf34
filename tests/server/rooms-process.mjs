/** A server of rooms in a process of its own, to be killed: `DATA_DIR`, `PORT`; with `NATS_URL` its rooms are on JetStream. */
import { createServer } from "node:http";
import { createRooms, levelStorage, natsStorage, nodeListener } from "genui-patch/server";
import { WebSocketServer } from "ws";
import { authorize } from "./rooms.mjs";

async function storage() {
  if (process.env.NATS_URL === undefined) return levelStorage(process.env.DATA_DIR);
  const { connect } = await import("@nats-io/transport-node");
  return natsStorage(
    await connect({ servers: process.env.NATS_URL, maxReconnectAttempts: -1, reconnectTimeWait: 100 }),
  );
}

const rooms = createRooms({ storage: await storage(), authorize, limits: { perSecond: 10_000 } });
const server = createServer(nodeListener(rooms));
const sockets = new WebSocketServer({ noServer: true });
server.on("upgrade", (request, socket, head) =>
  sockets.handleUpgrade(request, socket, head, (page) => rooms.socket(page, request)),
);
server.listen(Number(process.env.PORT), "127.0.0.1", () => console.log("ready"));
