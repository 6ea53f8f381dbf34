/** `createRooms`: rooms of documents for many pages and agents, behind `Request`s and sockets. */
import { GenuiPatchError, misuse } from "../core/errors.js";
import { parseJson } from "../core/json.js";
import { isObject, isText } from "../core/kinds.js";
import { type ArgumentKind, FUNCTION, OBJECT, requireOptions, TEXT, TEXTS } from "../core/require.js";
import { requireKeys } from "./approval.js";
import { type ExportedRoom, isUnused, readExported, toExported } from "./archive.js";
import { SERVER } from "./entry.js";
import { answerMcp } from "./mcp.js";
import { roomSource } from "./mcp-room.js";
import { Metrics } from "./metrics.js";
import { CLOSE, forbidden, Page, proposalsMessage, type Transport } from "./page.js";
import { Buckets } from "./rate.js";
import { RoomCore, type RoomHost } from "./room.js";
import { callTool } from "./room-tools.js";
import { LogError, repairLog } from "./storage/log.js";
import type {
  Health,
  Identity,
  NodeRequest,
  Room,
  RoomContents,
  RoomResult,
  Rooms,
  RoomsOptions,
  ServerLimits,
  ServerSocket,
  SocketHandlers,
  User,
} from "./types.js";

const LIMITS: ServerLimits = {
  maxBytes: 256 * 2 ** 20,
  maxMessage: 8 * 2 ** 20,
  maxInstances: 1_000,
  maxProposals: 100,
  maxPages: 1_000,
  maxRooms: 10_000,
  perSecond: 200,
  maxWaiting: 1_000,
  maxUnread: 16 * 2 ** 20,
  deadline: 5_000,
  appendDeadline: 10_000,
  idle: 60_000,
  beat: 15_000,
};

/** Milliseconds for which changes of proposals and of presence are collected. */
const COLLECT = 50;
/** Milliseconds until a room that could not be written is tried again. */
const TRY_AGAIN = 1_000;

const STORAGE: ArgumentKind = [
  "a storage, such as memoryStorage()",
  (value) =>
    isObject(value) &&
    ["read", "append", "snapshot", "latest", "cut", "remove"].every((name) => typeof value[name] === "function"),
];

/** Whether a text has only characters that an address has as they are. */
const isPlain = (text: string, least: number, most: number): boolean =>
  text.length >= least && text.length <= most && /^[A-Za-z0-9._~-]+$/.test(text);

/** Names of rooms are parts of addresses, and of keys in storages. */
const isRoomName = (name: string): boolean => isPlain(name, 1, 128) && name !== "." && name !== "..";

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
  requireOptions("createRooms", options, {
    storage: STORAGE,
    authorize: FUNCTION,
    open: FUNCTION,
    path: TEXT,
    hosts: TEXTS,
    origins: TEXTS,
    keys: TEXTS,
    mcp: OBJECT,
    limits: OBJECT,
    onError: FUNCTION,
  });
  if (options.storage === undefined || options.authorize === undefined)
    throw misuse("createRooms: the options must have storage and authorize.");
  const { limits = {}, keys } = options;
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(LIMITS, name))
      throw misuse(`createRooms: the limits have no "${name}"; they have ${Object.keys(LIMITS).join(", ")}.`);
    if (value !== undefined && !(Number.isFinite(value) && value > 0))
      throw misuse(`createRooms: the limit ${name} must be a number above 0.`);
  }
  if (keys !== undefined) requireKeys("createRooms", keys);
  if (options.mcp !== undefined)
    requireOptions("createRooms: mcp", options.mcp, { answersFor: FUNCTION, app: OBJECT, surfaces: FUNCTION });
  const { html } = options.mcp?.app ?? { html: "" };
  if (!isText(html) && typeof html !== "function")
    throw misuse("createRooms: mcp.app must have html: the text of an HTML document, or a function that returns it.");
  return new RoomServer(options, { ...LIMITS, ...limits });
}

/** A room that is loaded, and its pages. */
class LoadedRoom {
  readonly pages = new Set<Page>();
  /** Pages of event streams, by the id that they chose. */
  readonly streams = new Map<string, Page>();
  core: RoomCore | undefined;
  contents: RoomContents = {};
  proposals = "";
  hasEnded = false;
  readonly timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(readonly name: string) {}

  get isUsed(): boolean {
    return this.pages.size > 0 || this.core?.isIdle === false || this.core?.failing !== undefined;
  }

  broadcast(text: string): void {
    for (const page of this.pages) page.send(text);
  }

  /** Runs a function once, after a while. */
  later(name: string, milliseconds: number, run: () => void): void {
    if (this.timers.has(name) || this.hasEnded) return;
    const timer = setTimeout(() => {
      this.timers.delete(name);
      if (!this.hasEnded) run();
    }, milliseconds);
    this.timers.set(name, timer);
    if (isObject<unknown>(timer) && typeof timer.unref === "function") timer.unref();
  }

  end(code: number, reason: string): void {
    this.hasEnded = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
    for (const page of [...this.pages]) page.end(code, reason);
  }
}

type Entered = { room: LoadedRoom; core: RoomCore };

class RoomServer implements Rooms {
  readonly #rooms = new Map<string, Promise<Entered>>();
  readonly #loaded = new Set<LoadedRoom>();
  readonly #metrics = new Metrics();
  readonly #buckets: Buckets;
  readonly #path: string;
  readonly #origins: readonly string[];
  readonly #hosts: readonly string[] | undefined;
  readonly #broken = new Map<string, string>();
  /** Sockets that have not said who they are. */
  #strangers = 0;
  #isClosed = false;

  constructor(
    private readonly options: RoomsOptions,
    private readonly limits: ServerLimits,
  ) {
    this.#buckets = new Buckets(limits.perSecond);
    const path = options.path ?? "/rooms";
    this.#path = path.endsWith("/") ? path.slice(0, -1) : path;
    this.#origins = (options.origins ?? []).map((origin) => origin.toLowerCase());
    this.#hosts = options.hosts?.map((host) => host.toLowerCase());
    // Hosts pass these methods on as functions.
    for (const name of ["fetch", "serves", "socket", "room"] as const)
      Object.defineProperty(this, name, { value: this[name].bind(this) });
  }

  #report(cause: unknown, room: string): void {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    if (this.options.onError) this.options.onError(error, room);
    else console.error(`genui-patch: room ${room}: ${error.message}`);
  }

  /** The identity of a request's sender, reduced to what logs keep and other pages see. */
  async #authorize(request: Request, incoming: unknown): Promise<Identity | null> {
    const identity = await this.options.authorize(request, incoming);
    if (identity === null) return null;
    const { user, role } = identity;
    if (!isUser(user) || !ROLES.includes(role))
      throw misuse(
        `authorize: return null, or { user: { id }, role }: an id of 1 to ${MOST_USER_ID} characters, and one of ${ROLES.join(", ")}.`,
      );
    return { user: reduced(user), role };
  }

  /** The user in whose name an MCP client answers forms; null if it may not answer. */
  async #answersFor(request: Request, identity: Identity): Promise<User | null> {
    const { mcp } = this.options;
    if (identity.role !== "agent" || mcp?.answersFor === undefined) return null;
    const user = await mcp.answersFor(request, identity);
    if (user === null) return null;
    if (!isUser(user))
      throw misuse(`mcp.answersFor: return null, or { id }: an id of 1 to ${MOST_USER_ID} characters.`);
    return reduced(user);
  }

  // Rooms.

  /** The room, if this identity may enter it. */
  async #enter(name: string, identity: Identity): Promise<Entered | undefined> {
    if (!isRoomName(name)) return undefined;
    const { open } = this.options;
    const contents = open === undefined ? {} : await open(name, identity);
    return contents === null ? undefined : this.#load(name, contents);
  }

  #load(name: string, contents: RoomContents): Promise<Entered> {
    return this.#rooms.get(name) ?? this.#loadBy(name, () => this.#open(name, contents));
  }

  #loadBy(name: string, open: () => Promise<Entered>): Promise<Entered> {
    if (this.#isClosed) return Promise.reject(new GenuiPatchError("ROOM_CLOSED", "The server ends."));
    if (this.#rooms.size >= this.limits.maxRooms)
      return Promise.reject(
        new GenuiPatchError("LIMIT_EXCEEDED", `${this.limits.maxRooms} rooms are in use. Try again later.`),
      );
    const loading = open();
    this.#rooms.set(name, loading);
    loading.catch((cause) => {
      this.#rooms.delete(name);
      if (cause instanceof LogError || isStorageFault(cause)) this.#broken.set(name, String(cause.message));
      this.#report(cause, name);
    });
    return loading;
  }

  async #open(name: string, contents: RoomContents): Promise<Entered> {
    const room = new LoadedRoom(name);
    room.contents = contents;
    const host: RoomHost = {
      storage: this.options.storage,
      limits: this.limits,
      keys: this.options.keys ?? [],
      used: () => this.#used(),
      deliver: (text) => {
        for (const page of room.pages) page.deliver(text);
        room.later("proposals", COLLECT, () => this.#tellProposals(room));
      },
      broadcast: (text) => room.broadcast(text),
      report: (error) => this.#report(error, name),
      count: (counter, by) => this.#metrics.add(counter, by),
      failed: (cause) => {
        this.#broken.set(name, cause.message);
        this.#forget(room);
        this.#report(cause, name);
        room.end(CLOSE.again, "the room is loaded anew");
      },
    };
    const core = await RoomCore.load(name, contents, host);
    room.core = core;
    room.proposals = proposalsMessage(core);
    this.#broken.delete(name);
    this.#loaded.add(room);
    this.#unloadLater(room);
    this.#beatLater(room);
    return { room, core };
  }

  #used(): number {
    let used = 0;
    for (const { core } of this.#loaded) used += core?.size ?? 0;
    return used;
  }

  #forget(room: LoadedRoom): void {
    this.#loaded.delete(room);
    this.#rooms.delete(room.name);
  }

  #unloadLater(room: LoadedRoom): void {
    room.later("unload", this.limits.idle, () => {
      if (room.isUsed) this.#unloadLater(room);
      else void this.#unload(room);
    });
  }

  async #unload(room: LoadedRoom): Promise<void> {
    this.#forget(room);
    room.end(CLOSE.again, "the room is closed");
    await room.core?.close();
  }

  #beatLater(room: LoadedRoom): void {
    room.later("beat", this.limits.beat, () => {
      // Shows a page that it has missed the last message, or has made another document of its messages.
      if (room.core !== undefined && room.pages.size > 0) {
        const text = room.core.beat();
        for (const page of room.pages) page.deliver(text);
      }
      this.#beatLater(room);
    });
  }

  #tellProposals(room: LoadedRoom): void {
    if (room.core === undefined) return;
    const text = proposalsMessage(room.core);
    if (text === room.proposals) return;
    room.proposals = text;
    room.broadcast(text);
  }

  #tellPresence(room: LoadedRoom): void {
    const people = [...room.pages].map(({ identity: { user, role }, presence: state }) => ({ user, role, state }));
    room.broadcast(JSON.stringify({ type: "presence", people }));
  }

  // Requests.

  serves(address: string): boolean {
    const [pathname = ""] = address.split("?", 1);
    return pathname === this.#healthPath || pathname.startsWith(`${this.#path}/`);
  }

  get #healthPath(): string {
    return `${this.#path.slice(0, this.#path.lastIndexOf("/"))}/health`;
  }

  async fetch(request: Request, incoming?: unknown): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === this.#healthPath) {
      const health = await this.health();
      return answer(health.ok ? 200 : 503, health);
    }
    const refusedStatus = this.#refusalOf(request);
    if (refusedStatus !== undefined) return answer(refusedStatus);
    const { room: name, door } = this.#place(pathname);
    if (name === undefined || !["mcp", "events", "messages"].includes(door)) return answer(404);
    if (searchParams.has("token")) return problem(400, TOKEN_IN_ADDRESS);
    const method = door === "events" ? "GET" : "POST";
    if (request.method !== method) return answer(405, undefined, { allow: method });
    let identity: Identity | null;
    let entered: Entered | undefined;
    try {
      identity = await this.#authorize(request, incoming);
      if (identity === null) return answer(401, undefined, { "www-authenticate": "Bearer" });
      if (!this.#buckets.tryTake(identity.user.id)) return answer(429, undefined, { "retry-after": "1" });
      entered = await this.#enter(name, identity);
    } catch (cause) {
      return this.#failed(cause, name);
    }
    if (entered === undefined) return answer(404);
    this.#metrics.add("requests");
    const about = { ...entered, identity, request, page: searchParams.get("page") ?? "" };
    try {
      if (door === "mcp") return await this.#mcp(about);
      return await (door === "events" ? this.#events(about) : this.#message(about));
    } catch (cause) {
      return this.#failed(cause, name);
    }
  }

  #failed(cause: unknown, name: string): Response {
    if (!(cause instanceof GenuiPatchError) || cause.code === "INVALID_ARGUMENT") {
      this.#report(cause, name);
      return answer(500);
    }
    // The room has been told to the operator; its documents are not served.
    return problem(
      503,
      { code: cause.code, message: cause.message, solution: "Try again later." },
      { "retry-after": "5" },
    );
  }

  #refusalOf({ url, headers }: Request): number | undefined {
    const own = new URL(url).host.toLowerCase();
    const host = (headers.get("host") ?? own).toLowerCase();
    // A foreign name that resolves to this address (DNS rebinding) is refused.
    if (this.#hosts !== undefined && !this.#hosts.includes(host)) return 403;
    const origin = headers.get("origin")?.toLowerCase();
    if (origin === undefined || this.#origins.includes(origin)) return undefined;
    return ["http://", "https://"].some((scheme) => origin === scheme + host) ? undefined : 403;
  }

  /** The room and what is asked of it: `/rooms/<room>/<door>`. */
  #place(pathname: string): { room: string | undefined; door: string } {
    if (!pathname.startsWith(`${this.#path}/`)) return { room: undefined, door: "" };
    const [room, door = "", ...rest] = pathname.slice(this.#path.length + 1).split("/");
    return { room: rest.length === 0 ? room : undefined, door };
  }

  async #mcp({ room, core, identity, request }: Asked): Promise<Response> {
    const text = await this.#body(request);
    if (text === undefined) return answer(413);
    const key = request.headers.get("idempotency-key")?.slice(0, 200);
    const policy = room.contents.agent?.approve;
    const { keys, mcp } = this.options;
    const answersFor = await this.#answersFor(request, identity);
    const surfaces = mcp?.surfaces && (() => mcp.surfaces?.(room.name, identity) ?? []);
    const source = roomSource({ room: core, identity, policy, key, answersFor, keys, app: mcp?.app, surfaces });
    const { status, body } = await answerMcp(source, parseJson(text), request.headers);
    return answer(status, body);
  }

  /** An event stream, for pages that use `EventSource`. */
  async #events({ room, core, identity, request, page: id }: Asked): Promise<Response> {
    if (identity.role === "agent") return problem(403, errorOf(forbidden("agent")));
    if (!isPageId(id)) return problem(400, PAGE_ID);
    if (room.pages.size >= this.limits.maxPages) return answer(503, undefined, { "retry-after": "5" });
    let unread = 0;
    let end: () => void = () => {};
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const transport: Transport = {
            send: (text) => controller.enqueue(encoder.encode(`data: ${text}\n\n`)),
            close: () => controller.close(),
            unread: () => {
              unread = -(controller.desiredSize ?? 0);
              return Math.max(0, unread);
            },
          };
          const page = this.#join(room, core, identity, transport);
          room.streams.get(streamKey(identity, id))?.end(CLOSE.again, "another stream has this page");
          room.streams.set(streamKey(identity, id), page);
          end = () => {
            if (room.streams.get(streamKey(identity, id)) === page) room.streams.delete(streamKey(identity, id));
            page.leave();
          };
          // The first bytes, so that the stream counts as open.
          controller.enqueue(encoder.encode(": open\n\n"));
        },
        cancel: () => end(),
      },
      { highWaterMark: 0, size: (chunk) => chunk.length },
    );
    request.signal?.addEventListener("abort", () => end());
    const headers = { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" };
    return new Response(body, { headers });
  }

  /** A message of a page with an event stream. */
  async #message({ room, identity, request, page: id }: Asked): Promise<Response> {
    if (identity.role === "agent") return problem(403, errorOf(forbidden("agent")));
    const text = await this.#body(request);
    if (text === undefined) return answer(413);
    const page = room.streams.get(streamKey(identity, id));
    if (page === undefined) return problem(409, NO_STREAM);
    page.receive(text);
    return answer(202);
  }

  /** The body of a request; `undefined` if it is too long. A request that is not read in time throws. */
  async #body(request: Request): Promise<string | undefined> {
    const { maxMessage, deadline } = this.limits;
    if (Number(request.headers.get("content-length") ?? 0) > maxMessage) return undefined;
    if (request.body === null) return "";
    const reader = request.body.getReader();
    const decoder = new TextDecoder();
    const slow = new GenuiPatchError("REQUEST_TIMEOUT", `The request was not read within ${deadline} ms.`);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(slow), deadline);
    });
    let text = "";
    let length = 0;
    try {
      for (;;) {
        const { done, value } = await Promise.race([reader.read(), late]);
        if (done) return text + decoder.decode();
        length += value.length;
        if (length > maxMessage) {
          void reader.cancel().catch(() => {});
          return undefined;
        }
        text += decoder.decode(value, { stream: true });
      }
    } catch (cause) {
      void reader.cancel().catch(() => {});
      throw cause;
    } finally {
      clearTimeout(timer);
    }
  }

  // Pages.

  #join(room: LoadedRoom, core: RoomCore, identity: Identity, transport: Transport): Page {
    const page = new Page(core, identity, transport, {
      limits: this.limits,
      report: (cause) => this.#report(cause, room.name),
      left: (gone) => {
        room.pages.delete(gone);
        room.later("presence", COLLECT, () => this.#tellPresence(room));
        this.#unloadLater(room);
      },
      presenceChanged: () => room.later("presence", COLLECT, () => this.#tellPresence(room)),
    });
    room.pages.add(page);
    room.later("presence", COLLECT, () => this.#tellPresence(room));
    return page;
  }

  socket(socket: ServerSocket, handshake: Request | NodeRequest): SocketHandlers {
    // Messages that arrive while it is found out whose they are, and while the room is loaded.
    const buffered: unknown[] = [];
    let bufferedLength = 0;
    let page: Page | undefined;
    let isOver = false;
    const close = (code: number, reason: string) => {
      if (isOver) return;
      isOver = true;
      socket.close(code, reason);
    };
    const handlers: SocketHandlers = {
      message: (data) => {
        if (page !== undefined) page.receive(data);
        else if (buffered.length >= this.limits.maxWaiting || bufferedLength > this.limits.maxMessage)
          close(CLOSE.again, "too many messages at once");
        else if (!isOver) {
          buffered.push(data);
          bufferedLength += isText(data) ? data.length : 0;
          next?.();
        }
      },
      close: () => {
        isOver = true;
        page?.leave();
        next?.();
      },
    };
    let next: (() => void) | undefined;
    socket.addEventListener?.("message", ({ data }: { data?: unknown }) => handlers.message(data));
    socket.addEventListener?.("close", () => handlers.close());
    // An error is followed by a close.
    socket.addEventListener?.("error", () => {});
    const firstMessage = () =>
      new Promise<unknown>((resolve) => {
        const timer = setTimeout(() => resolve(undefined), this.limits.deadline);
        next = () => {
          clearTimeout(timer);
          resolve(buffered.shift());
        };
        if (buffered.length > 0 || isOver) next();
      });
    const transport: Transport = {
      send: (text) => {
        if (!isOver) socket.send(text);
      },
      close,
      unread: () => socket.bufferedAmount ?? 0,
    };
    const welcome = async () => {
      const request = toRequest(handshake);
      if (request === undefined) return close(CLOSE.message, "no address");
      const { pathname, searchParams } = new URL(request.url);
      if (this.#refusalOf(request) !== undefined) return close(CLOSE.forbidden, "foreign host or origin");
      const { room: name, door } = this.#place(pathname);
      if (searchParams.has("token")) return close(CLOSE.message, TOKEN_IN_ADDRESS.message);
      if (name === undefined || !["", "socket"].includes(door)) return close(CLOSE.room, "no such room");
      const identity =
        (await this.#authorize(request, handshake)) ?? (await this.#authenticate(request, handshake, firstMessage));
      if (isOver) return;
      if (identity === null) return close(CLOSE.unauthorized, "unauthorized");
      if (identity.role === "agent") return close(CLOSE.forbidden, "an agent has no page");
      const entered = await this.#enter(name, identity);
      if (isOver) return;
      if (entered === undefined) return close(CLOSE.room, "no such room");
      const { room, core } = entered;
      if (room.pages.size >= this.limits.maxPages) return close(CLOSE.again, "the room is full");
      page = this.#join(room, core, identity, transport);
      for (const data of buffered.splice(0)) page.receive(data);
    };
    welcome().catch((cause) => {
      this.#report(cause, this.#place(toRequest(handshake)?.url ?? "").room ?? "");
      close(CLOSE.again, "try again later");
    });
    return handlers;
  }

  /** A socket without credentials has a while to send a token. */
  async #authenticate(
    request: Request,
    incoming: unknown,
    firstMessage: () => Promise<unknown>,
  ): Promise<Identity | null> {
    if (this.#strangers >= MOST_STRANGERS) return null;
    this.#strangers += 1;
    try {
      const text = await firstMessage();
      const message = isText(text) && text.length <= MOST_AUTHENTICATION ? parseJson(text) : undefined;
      if (!isObject<unknown>(message) || message.type !== "authenticate" || !isText(message.token)) return null;
      const headers = new Headers(request.headers);
      headers.set("authorization", `Bearer ${message.token}`);
      return await this.#authorize(new Request(request.url, { headers }), incoming);
    } finally {
      this.#strangers -= 1;
    }
  }

  // The application.

  async #contentsFor(method: string, name: string): Promise<RoomContents> {
    if (!isRoomName(name))
      throw misuse(`${method}: the name must have 1 to 128 letters, digits and . _ ~ -, not ${JSON.stringify(name)}.`);
    return (await this.options.open?.(name, { user: SERVER, role: "editor" })) ?? {};
  }

  async room(name: string): Promise<Room> {
    const { room, core } = await this.#load(name, await this.#contentsFor("room", name));
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
      write: (call, { user = SERVER, key } = {}) => core.write(call, { user, key }),
      propose: async (call, by = SERVER) => {
        const result: RoomResult = await core.propose(call, by);
        if (result.status === "error") return { ...result, proposal: undefined };
        const proposal = core.proposal(String(result.proposal));
        return proposal === undefined ? { ...result, proposal: undefined } : { ...result, proposal };
      },
      proposals: () => core.proposals(),
      approve: (id, options = {}, by = SERVER) => core.approve(id, options, by),
      refuse: (id, reason, by = SERVER) => core.refuse(id, reason, by),
      approval: (id) => core.approval(id),
      broadcast: (message) => room.broadcast(JSON.stringify(message)),
      close: () => this.#unload(room),
    };
  }

  async repair(name: string) {
    const entered = await this.#rooms.get(name)?.catch(() => undefined);
    if (entered !== undefined) throw misuse(`repair: the room "${name}" is in use, so its log is whole.`);
    const repaired = await repairLog(this.options.storage, name);
    this.#broken.delete(name);
    return repaired;
  }

  async export(name: string): Promise<ExportedRoom> {
    const { core } = await this.#load(name, await this.#contentsFor("export", name));
    return toExported(name, await core.export());
  }

  async import(name: string, exported: unknown): Promise<Room> {
    const snapshot = readExported(exported);
    const contents = await this.#contentsFor("import", name);
    const { storage } = this.options;
    const isFree = !this.#rooms.has(name) && (await isUnused(storage, name));
    // Somebody may have entered it meanwhile.
    if (!isFree || this.#rooms.has(name))
      throw misuse(`import: there is a room "${name}" already. Choose another name, or remove it first.`);
    const used = this.#used() + snapshot.text.length;
    if (used > this.limits.maxBytes)
      throw new GenuiPatchError(
        "LIMIT_EXCEEDED",
        `import: the documents of this server would have ${used} characters.`,
      );
    await this.#loadBy(name, async () => {
      await storage.snapshot(name, snapshot, 0);
      return this.#open(name, contents);
    });
    return this.room(name);
  }

  async remove(name: string): Promise<void> {
    const entered = await this.#rooms.get(name)?.catch(() => undefined);
    if (entered !== undefined) await this.#unload(entered.room);
    await this.options.storage.remove(name);
    this.#broken.delete(name);
  }

  disconnect(userId: string): number {
    let count = 0;
    for (const { pages } of this.#loaded) {
      for (const page of [...pages]) {
        if (page.identity.user.id !== userId) continue;
        page.end(CLOSE.unauthorized, "signed out");
        count += 1;
      }
    }
    return count;
  }

  /** Rooms that could not be written are tried again, at most once a second. */
  async health(): Promise<Health> {
    const failing: { [room: string]: string } = Object.fromEntries(this.#broken);
    for (const room of this.#loaded) {
      const { core, name } = room;
      if (core?.failing === undefined) continue;
      failing[name] = core.failing.message;
      room.later("recover", TRY_AGAIN, () => void core.recover().catch(() => {}));
    }
    return { ok: Object.keys(failing).length === 0, failing };
  }

  metrics(): string {
    let pages = 0;
    for (const room of this.#loaded) pages += room.pages.size;
    return this.#metrics.text({ rooms: this.#loaded.size, pages, bytes: this.#used(), failing: this.#broken.size });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#loaded].map((room) => this.#unload(room)));
    await this.options.storage.close?.();
  }
}

interface Asked extends Entered {
  identity: Identity;
  request: Request;
  page: string;
}

const ROLES: readonly string[] = ["viewer", "editor", "agent"];
const MOST_USER_ID = 256;

const isUser = (user: User | undefined): user is User =>
  isText(user?.id) && user.id !== "" && user.id.length <= MOST_USER_ID;
const reduced = ({ id, name }: User): User => ({ id, ...(isText(name) && { name }) });

const MOST_AUTHENTICATION = 8_192;
const MOST_STRANGERS = 1_000;

const isPageId = (id: string): boolean => isPlain(id, 8, 64);
const streamKey = ({ user }: Identity, id: string): string => `${id} ${user.id}`;

const isStorageFault = (cause: unknown): cause is GenuiPatchError =>
  cause instanceof GenuiPatchError && ["LOG_DAMAGED", "STORAGE_FAILED", "STORAGE_IN_USE"].includes(cause.code);

const TOKEN_IN_ADDRESS = {
  code: "TOKEN_IN_ADDRESS",
  message: "a token does not belong into an address",
  solution: 'Send a cookie, the header "authorization", or { "type": "authenticate", "token" } as the first message.',
};
const PAGE_ID = {
  code: "INVALID_ARGUMENT",
  message: "The address names no page.",
  solution: "Add ?page=… with 8 to 64 letters and digits of your choice, the same for /events and /messages.",
};
const NO_STREAM = {
  code: "NO_STREAM",
  message: "The page has no open event stream.",
  solution: "Open /events with the same ?page=… first.",
};

const errorOf = (result: RoomResult): object => (result.status === "error" ? result.error : {});

function answer(status: number, body?: unknown, headers: { [name: string]: string } = {}): Response {
  const about = { "cache-control": "no-store", "x-content-type-options": "nosniff", ...headers };
  if (body === undefined) return new Response(null, { status, headers: about });
  return new Response(JSON.stringify(body), { status, headers: { ...about, "content-type": "application/json" } });
}

const problem = (status: number, error: object, headers?: { [name: string]: string }): Response =>
  answer(status, { error }, headers);

/** The request of a handshake; `undefined` if its address is not a URL. */
function toRequest(handshake: Request | NodeRequest): Request | undefined {
  if (handshake instanceof Request) return handshake;
  const headers = new Headers();
  try {
    for (const [name, value] of Object.entries(handshake.headers)) {
      if (isText(value)) headers.set(name, value);
      else for (const one of value ?? []) headers.append(name, one);
    }
    return new Request(new URL(handshake.url ?? "/", `http://${headers.get("host") ?? "localhost"}`), { headers });
  } catch {
    return undefined;
  }
}
