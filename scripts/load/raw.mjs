/** A page without a document: a socket whose calls resolve once they are in the room's log, or with the refusal. */
import { once } from "node:events";
import WebSocket from "ws";
import { bearer } from "../../tests/server/rooms.mjs";

let clients = 0;

export async function joinRaw({ ws }, room, token) {
  const client = `raw${process.pid}x${clients++}`;
  const socket = new WebSocket(`${ws}/rooms/${room}`, {
    headers: bearer(token),
    perMessageDeflate: false,
    maxPayload: 0,
  });
  const sent = new Map();
  let number = 0;
  socket.on("message", (data) => {
    const text = data.length < 10_000 ? data.toString() : data.toString("latin1", data.length - 2_000);
    const [, id] = /"(?:patch_id|pendingId)":"([^"]+)"/.exec(text) ?? [];
    const [, reason] = text.startsWith('{"type":"reject"') ? (/"reason":"([^"]+)/.exec(text) ?? []) : [];
    sent.get(id)?.(reason ?? "made");
    sent.delete(id);
  });
  socket.on("error", () => {});
  await once(socket, "open");
  const send = (message) => socket.send(JSON.stringify(message));
  const resume = () => send({ type: "resume", revision: null, session: "", pending: [], request: 1, histories: false });
  resume();
  await once(socket, "message");
  return {
    socket,
    send,
    resume,
    call(call) {
      number += 1;
      const id = `${client}-${number}`;
      return new Promise((resolve) => {
        sent.set(id, resolve);
        send({ type: "call", pendingId: id, call });
      });
    },
    end: () => socket.terminate(),
  };
}
