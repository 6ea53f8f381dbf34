/** `Sockets`: the sockets of pages, from the handshake until they are in a room. */
import { parseJson } from "../core/json.js";
import { isObject, isText } from "../core/kinds.js";
import type { RoomPaths } from "./addresses.js";
import type { Entrance } from "./entrance.js";
import { TOKEN_IN_ADDRESS } from "./http-answers.js";
import { joinRoom } from "./join-room.js";
import type { LoadedRooms } from "./loaded-rooms.js";
import { CLOSE, type Page, type Transport } from "./page.js";
import { watchSilence } from "./silence.js";
import type { NodeRequest, ServerLimits, ServerSocket, SocketHandlers } from "./types.js";

/** Characters of a first message with a token. A longer message has none. */
const MOST_AUTHENTICATION = 8_192;
/** Sockets that may wait for their first message at the same time. Further ones without credentials are closed at once. */
const MOST_STRANGERS = 1_000;

export class Sockets {
  /** The number of sockets without credentials that have not sent their first message. */
  #strangers = 0;

  constructor(
    private readonly limits: ServerLimits,
    private readonly paths: RoomPaths,
    private readonly entrance: Entrance,
    private readonly rooms: LoadedRooms,
  ) {}

  /**
   * Takes a socket. The user is identified by the request of the handshake, or by a token in the first message; then the room is
   * loaded, and the socket becomes a page of it. Messages that arrive until then are buffered. A socket that is refused is closed
   * with one of `CLOSE`.
   */
  accept(socket: ServerSocket, handshake: Request | NodeRequest): SocketHandlers {
    /** Messages that have arrived before there was a page. */
    const bufferedMessages: unknown[] = [];
    let bufferedLength = 0;
    /** Undefined until the socket is in its room. */
    let page: Page | undefined;
    /** The socket is closed. */
    let isOver = false;
    let stopPings = () => {};
    /** Resolves `firstMessage`: a message has arrived, or the socket is closed. */
    let onFirstMessage: (() => void) | undefined;
    const close = (code: number, reason: string) => {
      if (isOver) return;
      isOver = true;
      socket.close(code, reason);
    };
    const handlers: SocketHandlers = {
      message: (data) => {
        if (page !== undefined) page.receive(data);
        else if (bufferedMessages.length >= this.limits.maxWaiting || bufferedLength > this.limits.maxMessage)
          close(CLOSE.again, "too many messages at once");
        else if (!isOver) {
          bufferedMessages.push(data);
          bufferedLength += isText(data) ? data.length : 0;
          onFirstMessage?.();
        }
      },
      close: () => {
        isOver = true;
        stopPings();
        page?.leave();
        onFirstMessage?.();
      },
    };
    socket.addEventListener?.("message", ({ data }: { data?: unknown }) => handlers.message(data));
    socket.addEventListener?.("close", () => handlers.close());
    // An error is followed by a close. Without a listener, Node would end the process.
    socket.addEventListener?.("error", () => {});
    /** The first message, taken out of the buffer; `undefined` if none arrives in time. */
    const firstMessage = () =>
      new Promise<unknown>((resolve) => {
        const timer = setTimeout(() => resolve(undefined), this.limits.deadline);
        onFirstMessage = () => {
          clearTimeout(timer);
          resolve(bufferedMessages.shift());
        };
        if (bufferedMessages.length > 0 || isOver) onFirstMessage();
      });
    const cork = corkOf(handshake);
    const transport: Transport = {
      send: (text) => {
        if (isOver) return;
        cork();
        socket.send(text);
      },
      close,
      unread: () => socket.bufferedAmount ?? 0,
    };
    const enterRoom = async () => {
      const request = toRequest(handshake);
      if (request === undefined) return close(CLOSE.message, "no address");
      const { pathname, searchParams } = new URL(request.url);
      if (this.entrance.refusalOf(request) !== undefined) return close(CLOSE.forbidden, "foreign host or origin");
      const { room: name, endpoint } = this.paths.parse(pathname);
      if (searchParams.has("token")) return close(CLOSE.message, TOKEN_IN_ADDRESS.message);
      if (name === undefined || !["", "socket"].includes(endpoint)) return close(CLOSE.room, "no such room");
      const handshakeIdentity = await this.entrance.authorize(request, handshake);
      const requestWithToken = handshakeIdentity === null ? await this.#withToken(request, firstMessage) : undefined;
      const identity =
        requestWithToken === undefined ? handshakeIdentity : await this.entrance.authorize(requestWithToken, handshake);
      if (isOver) return;
      if (identity === null) {
        await this.entrance.delayRefusal(requestWithToken ?? request, handshake, name);
        return close(CLOSE.unauthorized, "unauthorized");
      }
      if (identity.role === "agent") return close(CLOSE.forbidden, "an agent has no page");
      const entered = await this.rooms.enter(name, identity);
      if (isOver) return;
      if (entered === undefined) return close(CLOSE.room, "no such room");
      const { room, core } = entered;
      if (room.pages.size >= this.limits.maxPages) return close(CLOSE.again, "the room is full");
      page = joinRoom(this.rooms, this.limits, room, core, identity, transport);
      stopPings = watchSilence(socket, this.limits.beat, () => {
        page?.end(CLOSE.again, "no answer to pings");
        socket.terminate?.();
      });
      for (const data of bufferedMessages.splice(0)) page.receive(data);
    };
    enterRoom().catch((cause) => {
      const request = toRequest(handshake);
      const address = request && this.paths.parse(new URL(request.url).pathname);
      this.rooms.report(cause, address?.room ?? "");
      close(CLOSE.again, "try again later");
    });
    return handlers;
  }

  /** The request with the token of the first message as a header; `undefined` if the first message has no token. */
  async #withToken(request: Request, firstMessage: () => Promise<unknown>): Promise<Request | undefined> {
    if (this.#strangers >= MOST_STRANGERS) return undefined;
    this.#strangers += 1;
    try {
      const text = await firstMessage();
      const message = isText(text) && text.length <= MOST_AUTHENTICATION ? parseJson(text) : undefined;
      if (!isObject<unknown>(message) || message.type !== "authenticate" || !isText(message.token)) return undefined;
      const headers = new Headers(request.headers);
      headers.set("authorization", `Bearer ${message.token}`);
      return new Request(request.url, { headers });
    } finally {
      this.#strangers -= 1;
    }
  }
}

/**
 * A function to be called before each message is sent. It corks the connection until the next microtask, so that all messages
 * until then leave in one write: the calls of one append go to each page of a room, and a write for each of them costs more than
 * all else. It does nothing without the request of Node, which has the connection.
 */
function corkOf(handshake: Request | NodeRequest): () => void {
  const connection = "socket" in handshake ? handshake.socket : undefined;
  if (!isObject(connection)) return () => {};
  const { cork, uncork } = connection;
  if (typeof cork !== "function" || typeof uncork !== "function") return () => {};
  let isCorked = false;
  return () => {
    if (isCorked) return;
    isCorked = true;
    cork.call(connection);
    queueMicrotask(() => {
      isCorked = false;
      uncork.call(connection);
    });
  };
}

/** The handshake as a `Request`; `undefined` if its address is not a URL, or a header is invalid. */
function toRequest(handshake: Request | NodeRequest): Request | undefined {
  if (handshake instanceof Request) return handshake;
  const headers = new Headers();
  try {
    for (const [name, value] of Object.entries(handshake.headers)) {
      if (isText(value)) headers.set(name, value);
      else for (const item of value ?? []) headers.append(name, item);
    }
    return new Request(new URL(handshake.url ?? "/", `http://${headers.get("host") ?? "localhost"}`), { headers });
  } catch {
    return undefined;
  }
}
