/** Asks too much of a server of rooms: documents of 47 MB, resumes that are not read, sockets that say nothing, bodies that never end. */
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import WebSocket from "ws";
import { bearer } from "../../tests/server/rooms.mjs";
import { joinRaw } from "./raw.mjs";

/** Characters of one call: the server takes messages of 8 Mi. */
const PART = 7 * 1_000_000;

/** The page that made the documents: while it is there, their room is loaded. */
let maker;

/** Opens documents until the server refuses more. Returns what it says then. */
async function openDocuments(server, { documents, megabytes }) {
  maker = await joinRaw(server, "large", "eve:editor");
  const answers = [];
  for (let at = 0; at < documents; at++) {
    const made = { instance_name: "__CREATE__", new_instance_name: `doc${at}`, patches: [] };
    answers.push(await maker.call(made));
    for (let left = megabytes * 1_000_000, part = 0; left > 0; left -= PART, part++) {
      const value = "x".repeat(Math.min(left, PART));
      const call = { instance_name: `doc${at}`, patches: [{ op: "set", path: `state.params.part${part}`, value }] };
      answers.push(await maker.call(call));
    }
  }
  return answers;
}

/** Each begins an attack, and returns a function that ends it, and what the server has answered. */
const attacks = {
  async documents(server, { documents, megabytes }) {
    const answers = await openDocuments(server, { documents, megabytes });
    const made = answers.filter((answer) => answer === "made").length;
    const refusal = answers.find((answer) => answer !== "made");
    return { answer: refusal === undefined ? `${made} made` : `${made} calls made, then ${refusal}`, end() {} };
  },
  async resumes(server, { resumes }) {
    const socket = new WebSocket(`${server.ws}/rooms/large`, { headers: bearer("eve:editor") });
    socket.on("error", () => {});
    const closed = new Promise((resolve) => socket.on("close", (code, reason) => resolve(`${code} ${reason}`)));
    await once(socket, "open");
    // This end reads nothing.
    socket._socket.pause();
    for (let sent = 0; sent < resumes; sent++) socket.send('{"type":"resume"}');
    let answer = "is connected";
    closed.then((reason) => {
      answer = reason;
    });
    return { answer: () => answer, end: () => socket.terminate() };
  },
  async "half-open sockets"(server, { sockets }) {
    const open = [];
    const closed = [];
    for (let at = 0; at < sockets; at++) {
      const socket = new WebSocket(`${server.ws}/rooms/other`);
      socket.on("error", () => {});
      socket.on("close", (code) => closed.push(code));
      open.push(socket);
      if (at % 100 === 99) await wait(10);
    }
    return {
      answer: () => `${closed.length} of ${sockets} closed, with ${[...new Set(closed)].join(", ")}`,
      end: () => open.map((socket) => socket.terminate()),
    };
  },
  async "slow bodies"(server, { bodies }) {
    const { port } = new URL(server.http);
    const statuses = [];
    const open = Array.from({ length: bodies }, (_, at) => {
      const sent = request({
        port,
        path: "/rooms/other/mcp",
        method: "POST",
        agent: false,
        headers: { ...bearer(`slow${at}:editor`), "content-type": "application/json", "content-length": 100_000 },
      });
      sent.on("error", () => {});
      sent.on("response", (response) => statuses.push(response.statusCode) && response.resume());
      const timer = setInterval(() => sent.write(" "), 500);
      return { sent, timer };
    });
    return {
      answer: () => `${statuses.length} of ${bodies} answered, with ${[...new Set(statuses)].join(", ")}`,
      end() {
        for (const { sent, timer } of open) {
          clearInterval(timer);
          sent.destroy();
        }
      },
    };
  },
  async "silent connections"(server, { sockets }) {
    const { port } = new URL(server.http);
    const open = Array.from({ length: sockets }, () => {
      const socket = connect(Number(port), "127.0.0.1");
      socket.on("error", () => {});
      return socket;
    });
    return { answer: "are open", end: () => open.map((socket) => socket.destroy()) };
  },
};

let running;

process.on("message", async ({ attack, server, sizes, end }) => {
  if (end) {
    const { answer } = running;
    process.send(typeof answer === "function" ? answer() : answer);
    running.end();
  } else {
    running = await attacks[attack](server, sizes);
    process.send("begun");
  }
});
process.on("disconnect", () => process.exit());
