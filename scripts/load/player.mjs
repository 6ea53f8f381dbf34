/**
 * Plays pages, in a process of its own. A page is a socket without a document: it sends calls, and waits until it hears of each in
 * the room's log, as `connect` does. `waiting` calls of each page are under way at a time.
 */
import WebSocket from "ws";

const INSTANCE = "page";
const document = {
  instance_name: "__CREATE__",
  new_instance_name: INSTANCE,
  patches: [{ op: "set", path: "state.params", value: {} }],
};

/** Sockets that are opened at a time. */
const MOST_OPENING = 50;

class Player {
  times = [];
  #sent = new Map();
  #number = 0;
  #isOver = false;

  constructor(address, room, at, prefix) {
    this.client = `${prefix}c${at}`;
    this.field = `state.params.p${at}`;
    this.needle = Buffer.from(`"patch_id":"${this.client}-`);
    const headers = { authorization: `Bearer user${at}:editor` };
    this.socket = new WebSocket(`${address}/rooms/${room}`, { headers, perMessageDeflate: false });
    this.joined = new Promise((resolve, reject) => {
      this.socket.on("error", reject);
      this.socket.on("open", () =>
        this.#send({ type: "resume", revision: null, session: "", pending: [], request: 1, histories: false }),
      );
      this.socket.on("message", (data) => {
        this.#hear(data);
        resolve();
      });
      this.socket.on("close", (code, reason) => {
        if (!this.#isOver) throw new Error(`a page was disconnected: ${code} ${reason}`);
      });
    });
  }

  #send(message) {
    this.socket.send(JSON.stringify(message));
  }

  #hear(data) {
    const at = data.indexOf(this.needle);
    if (at >= 0) {
      const start = at + this.needle.length;
      this.#settle(Number(data.toString("latin1", start, data.indexOf(0x22, start))));
    } else if (data.indexOf('{"type":"reject"') === 0) throw new Error(`a call was rejected: ${data}`);
  }

  #settle(number) {
    const { start, resolve } = this.#sent.get(number);
    this.#sent.delete(number);
    this.times.push(performance.now() - start);
    resolve();
  }

  call(call) {
    this.#number += 1;
    const number = this.#number;
    return new Promise((resolve) => {
      this.#sent.set(number, { start: performance.now(), resolve });
      this.#send({ type: "call", pendingId: `${this.client}-${number}`, call });
    });
  }

  create() {
    return this.call(document);
  }

  /** One call after the other. */
  async press() {
    while (!this.#isOver)
      await this.call({ instance_name: INSTANCE, patches: [{ op: "set", path: this.field, value: this.#number }] });
  }

  end() {
    this.#isOver = true;
    this.socket.close();
  }
}

let players = [];

/** Numbers of a sorted list at some shares of its length. */
function summary(times) {
  const sorted = Float64Array.from(times).sort();
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { calls: sorted.length, median: at(0.5), slowest: at(0.99) };
}

const tasks = {
  /** Opens pages, and a document in each room. */
  async join({ servers, pages, rooms, prefix }) {
    players = [];
    for (let at = 0; at < pages; at++) {
      const room = at % rooms;
      // All pages of a room are on one server if there are several rooms.
      const server = servers[(rooms === 1 ? at : room) % servers.length];
      players.push(new Player(server, `${prefix}-${room}`, at, prefix));
      if (players.length % MOST_OPENING === 0) await Promise.all(players.map(({ joined }) => joined));
    }
    await Promise.all(players.map(({ joined }) => joined));
    await Promise.all(players.slice(0, rooms).map((player) => player.create()));
  },
  press({ waiting }) {
    for (const player of players) for (let count = 0; count < waiting; count++) void player.press();
  },
  mark() {
    for (const player of players) player.times = [];
  },
  result() {
    const { user, system } = process.cpuUsage();
    return { cpu: (user + system) / 1000, ...summary(players.flatMap(({ times }) => times)) };
  },
  async leave() {
    for (const player of players) player.end();
    await Promise.all(players.map(({ socket }) => new Promise((resolve) => socket.on("close", resolve))));
    players = [];
  },
};

process.on("message", async ({ task, ...about }) => process.send((await tasks[task](about)) ?? {}));
process.on("disconnect", () => process.exit());
