/** `createRooms`: rooms of documents for many pages and agents, behind `Request`s and sockets. */
import { RoomPaths } from "./addresses.js";
import type { ExportedRoom } from "./archive.js";
import { Entrance } from "./entrance.js";
import { SERVER } from "./entry.js";
import { LoadedRooms } from "./loaded-rooms.js";
import { Metrics } from "./metrics.js";
import { CLOSE } from "./page.js";
import { Requests } from "./requests.js";
import { callTool } from "./room-tools.js";
import { checkedLimits } from "./rooms-options.js";
import { Sockets } from "./sockets.js";
import type { Repaired } from "./storage/log.js";
import type {
  Health,
  NodeRequest,
  Room,
  RoomResult,
  Rooms,
  RoomsOptions,
  ServerLimits,
  ServerSocket,
  SocketHandlers,
} from "./types.js";

/**
 * Rooms for a team's own server: documents that pages and agents change together, kept in a log.
 *
 * ```ts
 * const rooms = createRooms({
 *   storage: memoryStorage(),
 *   authorize: (request) => (request.headers.get("cookie")?.includes("session=1") ? { user: { id: "ann" }, role: "editor" } : null),
 * });
 * const response = await rooms.fetch(new Request("http://localhost/rooms/lobby/mcp", { method: "POST" }));
 * response.status; // 401
 * ```
 * @throws GenuiPatchError `INVALID_ARGUMENT` for unknown options, a storage without its methods, and keys that are too short.
 */
export function createRooms(options: RoomsOptions): Rooms {
  return new RoomServer(options, checkedLimits(options));
}

class RoomServer implements Rooms {
  readonly #metrics = new Metrics();
  readonly #rooms: LoadedRooms;
  readonly #paths: RoomPaths;
  readonly #requests: Requests;
  readonly #sockets: Sockets;

  constructor(options: RoomsOptions, limits: ServerLimits) {
    this.#paths = new RoomPaths(options.path);
    this.#rooms = new LoadedRooms(options, limits, this.#metrics);
    const entrance = new Entrance(options, (error, room) => this.#rooms.report(error, room));
    this.#requests = new Requests(options, limits, this.#paths, entrance, this.#rooms, this.#metrics);
    this.#sockets = new Sockets(limits, this.#paths, entrance, this.#rooms);
    // Applications pass these methods on as functions, such as `Deno.serve(rooms.fetch)`.
    for (const name of ["fetch", "serves", "socket", "room"] as const)
      Object.defineProperty(this, name, { value: this[name].bind(this) });
  }

  serves(address: string): boolean {
    return this.#paths.serves(address);
  }

  fetch(request: Request, incoming?: unknown): Promise<Response> {
    return this.#requests.fetch(request, incoming);
  }

  socket(socket: ServerSocket, handshake: Request | NodeRequest): SocketHandlers {
    return this.#sockets.accept(socket, handshake);
  }

  async room(name: string): Promise<Room> {
    const { room, core } = await this.#rooms.load(name, await this.#rooms.contentsForServer("room", name));
    return {
      name,
      get store() {
        return core.store;
      },
      get revision() {
        return core.revision;
      },
      files: core.files?.workspace,
      get flows() {
        const ids = core.flow?.store.taskIds() ?? [];
        return Object.fromEntries(ids.map((id) => [id, core.flow?.flow(id) ?? null]));
      },
      callTool: (tool, args, user = SERVER) => callTool(core, { user, role: "editor" }, tool, args),
      write: (call, { user = SERVER, key } = {}) => core.calls.write(call, { user, key }),
      propose: async (call, by = SERVER) => {
        const result: RoomResult = await core.calls.propose(call, by);
        if (result.status === "error") return { ...result, proposal: undefined };
        const proposal = core.proposals.get(String(result.proposal));
        return proposal === undefined ? { ...result, proposal: undefined } : { ...result, proposal };
      },
      proposals: () => core.proposals.all(),
      approve: (id, options = {}, by = SERVER) => core.calls.approve(id, options, by),
      refuse: (id, reason, by = SERVER) => core.calls.refuse(id, reason, by),
      approval: (id) => core.proposals.approval(id),
      broadcast: (message) => room.broadcast(JSON.stringify(message)),
      close: () => this.#rooms.unload(room),
    };
  }

  repair(name: string): Promise<Repaired> {
    return this.#rooms.repair(name);
  }

  export(name: string): Promise<ExportedRoom> {
    return this.#rooms.export(name);
  }

  async import(name: string, exported: unknown): Promise<Room> {
    await this.#rooms.import(name, exported);
    return this.room(name);
  }

  remove(name: string): Promise<void> {
    return this.#rooms.remove(name);
  }

  disconnect(userId: string): number {
    let count = 0;
    for (const { pages } of this.#rooms) {
      for (const page of [...pages]) {
        if (page.identity.user.id !== userId) continue;
        page.end(CLOSE.unauthorized, "signed out");
        count += 1;
      }
    }
    return count;
  }

  health(): Promise<Health> {
    return this.#rooms.health();
  }

  metrics(): string {
    const rooms = [...this.#rooms];
    return this.#metrics.text({
      rooms: rooms.length,
      pages: rooms.reduce((sum, { pages }) => sum + pages.size, 0),
      bytes: this.#rooms.usedLength(),
      waiting: rooms.reduce((sum, { core }) => sum + (core?.waitingCount ?? 0), 0),
      failing: this.#rooms.failing,
    });
  }

  close(): Promise<void> {
    return this.#rooms.close();
  }
}
