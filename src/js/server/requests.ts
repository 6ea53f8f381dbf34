/**
 * `Requests`: answers HTTP requests: `/rooms/:room/mcp` of agents, `events` and `messages` of pages without a socket, and
 * `/health`.
 */
import { GenuiPatchError } from "../core/errors.js";
import { parseJson } from "../core/json.js";
import { isPageId, type RoomPaths } from "./addresses.js";
import type { Entrance } from "./entrance.js";
import { answer, NO_STREAM, PAGE_ID, problem, TOKEN_IN_ADDRESS } from "./http-answers.js";
import { joinRoom } from "./join-room.js";
import type { EnteredRoom } from "./loaded-room.js";
import type { LoadedRooms } from "./loaded-rooms.js";
import { answerMcp } from "./mcp.js";
import { roomSource } from "./mcp-room.js";
import type { Metrics } from "./metrics.js";
import { CLOSE, forbidden, type Transport } from "./page.js";
import { Buckets } from "./rate.js";
import type { Identity, RoomResult, RoomsOptions, ServerLimits } from "./types.js";

/** Characters of an idempotency key that count. The rest is ignored. */
const MOST_KEY = 200;

/** A request to a room that its sender may enter. */
interface RoomRequest extends EnteredRoom {
  identity: Identity;
  request: Request;
  /** The id that the page has chosen, from the address. Empty if none exists. */
  page: string;
}

/** The key of a page in `LoadedRoom.streams`. It has the user's id, so that no user sends messages in another's name. */
const streamKey = ({ user }: Identity, pageId: string): string => `${pageId} ${user.id}`;
const errorOf = (result: RoomResult): object => (result.status === "error" ? result.error : {});

export class Requests {
  readonly #buckets: Buckets;

  constructor(
    private readonly options: Pick<RoomsOptions, "keys" | "mcp">,
    private readonly limits: ServerLimits,
    private readonly paths: RoomPaths,
    private readonly entrance: Entrance,
    private readonly rooms: LoadedRooms,
    private readonly metrics: Metrics,
  ) {
    this.#buckets = new Buckets(limits.perSecond);
  }

  async fetch(request: Request, incoming?: unknown): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === this.paths.health) {
      const health = await this.rooms.health();
      return answer(health.ok ? 200 : 503, { body: health });
    }
    const refusedStatus = this.entrance.refusalOf(request);
    if (refusedStatus !== undefined) return answer(refusedStatus);
    const { room: name, endpoint } = this.paths.parse(pathname);
    if (name === undefined || !["mcp", "events", "messages"].includes(endpoint)) return answer(404);
    if (searchParams.has("token")) return problem(400, TOKEN_IN_ADDRESS);
    const method = endpoint === "events" ? "GET" : "POST";
    if (request.method !== method) return answer(405, { headers: { allow: method } });
    let identity: Identity | null;
    let enteredRoom: EnteredRoom | undefined;
    try {
      identity = await this.entrance.authorize(request, incoming);
      if (identity === null) {
        await this.entrance.delayRefusal(request, incoming, name);
        return answer(401, { headers: { "www-authenticate": "Bearer" } });
      }
      if (!this.#buckets.tryTake(identity.user.id)) return answer(429, { headers: { "retry-after": "1" } });
      enteredRoom = await this.rooms.enter(name, identity);
    } catch (cause) {
      return this.#answerToError(cause, name);
    }
    if (enteredRoom === undefined) return answer(404);
    this.metrics.add("requests");
    const roomRequest = { ...enteredRoom, identity, request, page: searchParams.get("page") ?? "" };
    try {
      if (endpoint === "mcp") return await this.#mcp(roomRequest);
      return await (endpoint === "events" ? this.#events(roomRequest) : this.#message(roomRequest));
    } catch (cause) {
      return this.#answerToError(cause, name);
    }
  }

  /** The answer after an exception. Errors of the application and unexpected ones are 500, without details for strangers. */
  #answerToError(cause: unknown, name: string): Response {
    // INVALID_ARGUMENT: what the application returned, e.g. from `authorize`, is not valid.
    if (!(cause instanceof GenuiPatchError) || cause.code === "INVALID_ARGUMENT") {
      this.rooms.report(cause, name);
      return answer(500);
    }
    // The room cannot be loaded or written now, or the request came too slowly.
    return problem(
      503,
      { code: cause.code, message: cause.message, solution: "Try again later." },
      { "retry-after": "5" },
    );
  }

  async #mcp({ room, core, identity, request }: RoomRequest): Promise<Response> {
    const text = await this.#body(request);
    if (text === undefined) return answer(413);
    const key = request.headers.get("idempotency-key")?.slice(0, MOST_KEY);
    const policy = room.contents.agent?.approve;
    const { keys, mcp } = this.options;
    const answersFor = await this.entrance.answersFor(request, identity);
    const surfaces = mcp?.surfaces && (() => mcp.surfaces?.(room.name, identity) ?? []);
    const source = roomSource({ room: core, identity, policy, key, answersFor, keys, app: mcp?.app, surfaces });
    const { status, body } = await answerMcp(source, parseJson(text), request.headers);
    return answer(status, { body });
  }

  /**
   * An event stream, for pages that use `EventSource`: the page is in the room as long as the stream is open. Its messages come
   * as separate requests with the same page id. A second stream with this id replaces the first.
   */
  async #events({ room, core, identity, request, page: id }: RoomRequest): Promise<Response> {
    if (identity.role === "agent") return problem(403, errorOf(forbidden("agent")));
    if (!isPageId(id)) return problem(400, PAGE_ID);
    if (room.pages.size >= this.limits.maxPages) return answer(503, { headers: { "retry-after": "5" } });
    let leave: () => void = () => {};
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const transport: Transport = {
            send: (text) => controller.enqueue(encoder.encode(`data: ${text}\n\n`)),
            close: () => controller.close(),
            // With a high-water mark of 0, `desiredSize` is minus the bytes that wait in the stream.
            unread: () => Math.max(0, -(controller.desiredSize ?? 0)),
          };
          const page = joinRoom(this.rooms, this.limits, room, core, identity, transport);
          const key = streamKey(identity, id);
          room.streams.get(key)?.end(CLOSE.again, "another stream has this page");
          room.streams.set(key, page);
          leave = () => {
            if (room.streams.get(key) === page) room.streams.delete(key);
            page.leave();
          };
          // The first bytes, so that the stream counts as open.
          controller.enqueue(encoder.encode(": open\n\n"));
        },
        cancel: () => leave(),
      },
      { highWaterMark: 0, size: (chunk) => chunk.length },
    );
    request.signal?.addEventListener("abort", () => leave());
    // The last header keeps nginx from buffering the stream.
    const headers = { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" };
    return new Response(body, { headers });
  }

  /** A message of a page with an event stream. */
  async #message({ room, identity, request, page: id }: RoomRequest): Promise<Response> {
    if (identity.role === "agent") return problem(403, errorOf(forbidden("agent")));
    const text = await this.#body(request);
    if (text === undefined) return answer(413);
    const page = room.streams.get(streamKey(identity, id));
    if (page === undefined) return problem(409, NO_STREAM);
    page.receive(text);
    return answer(202);
  }

  /**
   * The body of a request; `undefined` if it is too long.
   * @throws GenuiPatchError `REQUEST_TIMEOUT` if it does not arrive in time.
   */
  async #body(request: Request): Promise<string | undefined> {
    const { maxMessage, deadline } = this.limits;
    if (Number(request.headers.get("content-length") ?? 0) > maxMessage) return undefined;
    if (request.body === null) return "";
    const reader = request.body.getReader();
    const decoder = new TextDecoder();
    const timeoutError = new GenuiPatchError("REQUEST_TIMEOUT", `The request was not read within ${deadline} ms.`);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(timeoutError), deadline);
    });
    let text = "";
    let length = 0;
    try {
      for (;;) {
        const { done, value } = await Promise.race([reader.read(), timeout]);
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
}
