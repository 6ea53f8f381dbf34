/** `connect`: what goes between a store and its server. The store settles what is pending; this sends, resends and resumes. */
import { GenuiPatchError } from "../core/errors.js";
import { parseJson, requireJson } from "../core/json.js";
import { Listeners } from "../core/listeners.js";
import { type ArgumentKind, FUNCTION, OBJECT, requireOptions, TEXTS, wrong } from "../core/require.js";
import type { PatchStore } from "../store.js";
import type { Json, PatchResult, PendingCall, ServerMessage } from "../types.js";

/** What the wire is asked for: a `WebSocket`, an `EventSource`, or anything like one of them. */
export interface SocketLike {
  readonly readyState: number;
  // biome-ignore lint/suspicious/noExplicitAny: the events of a WebSocket, an EventSource and of what stands in for them differ.
  addEventListener(type: string, listener: (event: any) => void): void;
  /** A `WebSocket`'s. Without it the option `send` is needed. */
  send?(text: string): void;
  close(): void;
}

export type ClientMessage =
  /** What the page has heard last; the server sends what came since, or a snapshot. */
  | { type: "resume"; revision: number | null; session: string | null }
  /** A call of the person. One that comes again, by its `pendingId`, was lost or its answer was. */
  | { type: "call"; pendingId: string; call: PendingCall["call"] };

type ConnectedStore = Pick<
  PatchStore,
  "pending" | "sent" | "confirm" | "reject" | "receive" | "load" | "apply" | "batch" | "subscribe"
>;

export interface ConnectOptions {
  /** How a message is sent where the socket only listens, as an `EventSource`: by `fetch`. One that rejects is sent again. */
  send?: ((message: ClientMessage) => unknown) | undefined;
  /** Milliseconds without a further change before what is pending is sent: while a person types. Default 0. */
  pause?: number | undefined;
  /** Milliseconds without an answer before a call, or the question for what is missing, is sent again. Default 10,000. */
  timeout?: number | undefined;
  /** Milliseconds before the first try to connect again; each further one waits twice as long, up to 30,000. Default 500. */
  backoff?: number | undefined;
  /** Told what each message of the server came to: conflicts, errors. */
  onResult?: ((result: PatchResult, message: ServerMessage) => void) | undefined;
}

export interface Connection {
  readonly status: "connecting" | "open" | "closed";
  /** Tells a listener of another status. The function that comes back ends that. */
  subscribe(listener: () => void): () => void;
  /** Ends it. What is pending stays in the store, and another connection sends it. */
  close(): void;
  [Symbol.dispose](): void;
}

/** All that the server has, for a page that knows nothing of it. */
interface Snapshot {
  revision?: number;
  session?: string;
  instances?: { [name: string]: Json };
  settles?: string[];
}

const OPEN = 1;
/** Of an `EventSource`; a `WebSocket` is closing then. */
const CLOSED = 2;
const TIME: ArgumentKind = ["a number of milliseconds", (value) => Number.isFinite(value) && Number(value) >= 0];
const LONGEST_BACKOFF = 30_000;
const MOST_EARLY = 1_000;
/** Milliseconds that messages may overtake each other before the server is asked for the one that is missing. */
const OVERTAKING = 100;

/**
 * Connects a store to its server: sends what is pending, takes what comes, and after a break asks for what was missed.
 *
 * ```ts
 * const connection = connect(store, () => new WebSocket("wss://example.com/page"));
 * ```
 * The server answers a call by a push that carries its id (`patch_id`), or by `{ type: "confirm" | "reject", pendingId }`;
 * see docs/store.md for all messages. A function that makes sockets is asked for another one when one closes; a socket
 * itself is used until it closes, and an `EventSource` connects again by itself.
 * @throws GenuiPatchError `INVALID_ARGUMENT` for a socket that cannot send, or options that are not understood.
 */
export function connect(
  store: ConnectedStore,
  socket: SocketLike | (() => SocketLike),
  options: ConnectOptions = {},
): Connection {
  const times = { pause: TIME, timeout: TIME, backoff: TIME };
  requireOptions("connect", options, { send: FUNCTION, ...times, onResult: FUNCTION });
  const { timeout = 10_000 } = options;
  const make = typeof socket === "function" ? socket : undefined;
  const listeners = new Listeners<void>();
  let status: Connection["status"] = "connecting";
  let wire!: SocketLike;
  /** The number of the last message that was taken, and whose numbers they are. */
  let taken: number | null = null;
  let takenSession: string | null = null;
  /** Messages that came before one that is missing. */
  const early = new Map<number, ServerMessage>();
  let heard = 0;
  /** Confirmations that wait for what the server did before them. */
  let confirmations: ServerMessage[] = [];
  const sentAt = new Map<string, number>();
  let known = new Set<string>();
  let tries = 0;
  /** Whether the server has said what was missed since this socket opened. Until then numbers may be another session's. */
  let isResumed = false;
  /** Messages by `options.send`, one after another. */
  let outbox = Promise.resolve();
  const timers = new Map<string, ReturnType<typeof setTimeout>>();

  open(typeof socket === "function" ? socket() : socket);
  const stopListening = store.subscribe(() => later("send", options.pause ?? 0, sendPending));
  return {
    get status() {
      return status;
    },
    subscribe: (listener) => listeners.subscribe(() => listener()),
    close,
    // Not every platform has the symbol yet.
    ...(Symbol.dispose && { [Symbol.dispose]: close }),
  } as Connection;

  function close(): void {
    if (status === "closed") return;
    stopListening();
    for (const timer of timers.values()) clearTimeout(timer);
    timers.clear();
    become("closed");
    wire.close();
  }

  function become(next: Connection["status"]): void {
    if (status === next) return;
    status = next;
    listeners.tell();
  }

  /** Runs something after a while, once, however often it is asked for. */
  function later(name: string, after: number, run: () => void): void {
    cancel(name);
    if (status === "closed") return;
    const timer = setTimeout(() => {
      timers.delete(name);
      run();
    }, after);
    timers.set(name, timer);
  }

  function cancel(name: string): void {
    clearTimeout(timers.get(name));
    timers.delete(name);
  }

  function open(socket: SocketLike): void {
    if (typeof socket?.addEventListener !== "function") throw wrong("connect", "socket", "a socket", socket);
    if (typeof socket.send !== "function" && options.send === undefined)
      throw new GenuiPatchError("INVALID_ARGUMENT", "connect: a socket without send needs the option send.");
    wire = socket;
    const events: { [type: string]: (event: { data?: unknown }) => void } = {
      open: begin,
      message: ({ data }) => take(data),
      close: end,
      // An EventSource tells of a break so, and connects again unless it is closed, of which no other event tells.
      error: () => {
        if (socket.readyState === CLOSED && typeof socket.send !== "function") end();
        else if (socket.readyState !== OPEN) become("connecting");
      },
    };
    for (const [type, run] of Object.entries(events)) {
      socket.addEventListener(type, (event: { data?: unknown }) => {
        if (wire === socket && status !== "closed") run(event);
      });
    }
    if (socket.readyState === OPEN) begin();
  }

  function begin(): void {
    tries = 0;
    become("open");
    early.clear();
    confirmations = [];
    heard = 0;
    sentAt.clear();
    isResumed = false;
    resume();
    sendPending();
  }

  function end(): void {
    become("connecting");
    if (make === undefined) return void close();
    const after = Math.min((options.backoff ?? 500) * 2 ** tries, LONGEST_BACKOFF);
    tries += 1;
    // Not all pages at once, after a server was away.
    later("connect", after * (0.5 + Math.random() / 2), () => {
      try {
        open(make());
      } catch {
        end();
      }
    });
  }

  function resume(): void {
    if (status !== "open") return;
    sendMessage({ type: "resume", revision: taken, session: takenSession });
    later("resume", timeout, resume);
  }

  /** Sends what was not sent, and again what has had no answer for too long. */
  function sendPending(): void {
    if (status !== "open") return;
    const now = Date.now();
    const waiting = store.pending().filter(({ confirmed }) => !confirmed);
    const ids = new Set(waiting.map(({ pendingId }) => pendingId));
    for (const id of sentAt.keys()) if (!ids.has(id)) sentAt.delete(id);
    for (const { pendingId, call, sent } of waiting) {
      if (now - (sentAt.get(pendingId) ?? Number.NEGATIVE_INFINITY) < timeout) continue;
      sentAt.set(pendingId, now);
      if (!sent) store.sent(pendingId);
      sendMessage({ type: "call", pendingId, call });
    }
    if (sentAt.size > 0) later("again", timeout, sendPending);
  }

  function sendMessage(message: ClientMessage): void {
    const again = () => {
      if (message.type === "call") sentAt.delete(message.pendingId);
      later("again", timeout, sendPending);
    };
    const { send } = options;
    if (send) {
      outbox = outbox.then(async () => void (await send(message))).catch(again);
      return;
    }
    try {
      wire.send?.(JSON.stringify(message));
    } catch {
      again();
    }
  }

  function take(data: unknown): void {
    let message: ServerMessage;
    try {
      message = requireJson((typeof data === "string" ? parseJson(data) : data) as Json, "message") as ServerMessage;
    } catch {
      return;
    }
    // What is no message says nothing; if one was damaged, its number is missing.
    if (!OBJECT[1](message)) return;
    const { revision, type } = message;
    if (type === "snapshot") takeSnapshot(message);
    else if (type === "resumed") takeResumed(message);
    else if (typeof revision === "number") inOrder(revision, message);
    // The call took its place among the others when the server made it: not before what the page has still to hear.
    else if (type === "confirm" && isBehind()) confirmations.push(message);
    else takeOne(message);
  }

  /** What was missed has been sent, up to a number: all of it has come, or is asked for again. */
  function takeResumed({ revision, session }: ServerMessage): void {
    // Of another session, or before anything is known, only a snapshot tells what there is.
    const isOurs = typeof revision !== "number" || (taken !== null && (session ?? null) === takenSession);
    if (isOurs) {
      heard = Math.max(heard, Number(revision ?? 0));
      isResumed = true;
      cancel("resume");
      takeEarly();
    }
    if (isOurs && !isBehind()) settled();
    else ask();
  }

  function isBehind(): boolean {
    return heard > (taken ?? 0) || (taken !== null && !isResumed);
  }

  /** Messages with numbers are taken in their order: what came before is passed over, what comes too early waits. */
  function inOrder(revision: number, message: ServerMessage): void {
    if (isResumed && taken !== null && revision <= taken) return;
    heard = Math.max(heard, revision);
    if (early.size < MOST_EARLY) early.set(revision, message);
    takeEarly();
    if (isBehind()) ask();
  }

  function ask(): void {
    if (!timers.has("resume")) later("resume", Math.min(OVERTAKING, timeout), resume);
  }

  function takeEarly(): void {
    if (taken === null || !isResumed) return;
    for (const number of early.keys()) if (number <= taken) early.delete(number);
    for (let next = taken + 1; early.has(next); next++) {
      const message = early.get(next) as ServerMessage;
      early.delete(next);
      taken = next;
      takeOne(message);
    }
    if (!isBehind()) settled();
  }

  function settled(): void {
    cancel("resume");
    for (const message of confirmations.splice(0)) takeOne(message);
  }

  function takeOne(message: ServerMessage): void {
    const { type, pendingId, reason } = message;
    const own = type === "confirm" || type === "reject" ? String(pendingId) : undefined;
    if (own !== undefined && !store.pending().some((call) => call.pendingId === pendingId)) return;
    const why = typeof reason === "string" ? reason : undefined;
    const settle = (id: string) => (type === "confirm" ? store.confirm(id) : store.reject(id, why));
    const result = own === undefined ? store.receive(message) : settle(own);
    if (result.status === "success") known.add(result.instance_name);
    options.onResult?.(result, message);
  }

  function takeSnapshot(message: ServerMessage): void {
    const { revision = null, session = null, instances = {}, settles = [] } = message as Snapshot;
    if (!OBJECT[1](instances) || !TEXTS[1](settles)) return;
    // An older answer to a question that was asked twice.
    if (session === takenSession && revision !== null && taken !== null && revision < taken) return;
    if (session !== takenSession && isResumed) early.clear();
    taken = revision;
    takenSession = session;
    heard = Math.max(revision ?? 0, ...early.keys());
    isResumed = true;
    const results: PatchResult[] = [];
    store.batch(() => {
      for (const [name, document] of Object.entries(instances)) results.push(store.load(name, document, { settles }));
      for (const name of known) {
        if (Object.hasOwn(instances, name)) continue;
        const gone = { instance_name: "__DELETE__", target_instance_name: name };
        if (!store.pending().some((call) => call.instance_name === name)) results.push(store.apply(gone));
      }
      // Calls that no document is there for any more.
      for (const { pendingId } of store.pending()) {
        if (settles.includes(pendingId)) results.push(store.reject(pendingId));
      }
    });
    known = new Set(Object.keys(instances));
    settled();
    takeEarly();
    for (const result of results) options.onResult?.(result, message);
    sendPending();
  }
}
