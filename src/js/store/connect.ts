/** `connect`: what goes between a store and its server. The store settles what is pending; this sends, resends and resumes. */
import { GenuiPatchError } from "../core/errors.js";
import { Listeners } from "../core/listeners.js";
import { type ArgumentKind, FUNCTION, requireObject, requireOptions, wrong } from "../core/require.js";
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
  return new Link(store, socket, options);
}

class Link implements Connection {
  status: Connection["status"] = "connecting";
  readonly #store: ConnectedStore;
  readonly #make: (() => SocketLike) | undefined;
  readonly #options: ConnectOptions;
  readonly #listeners = new Listeners<void>();
  readonly #stopListening: () => void;
  #socket!: SocketLike;
  /** The number of the last message that was taken, and whose numbers they are. */
  #revision: number | null = null;
  #session: string | null = null;
  /** Messages that came before one that is missing. */
  readonly #early = new Map<number, ServerMessage>();
  #heard = 0;
  /** Confirmations that wait for what the server did before them. */
  #confirmed: ServerMessage[] = [];
  readonly #sent = new Map<string, number>();
  #known = new Set<string>();
  #tries = 0;
  /** Whether the server has said what was missed since this socket opened. Until then numbers may be another session's. */
  #isResumed = false;
  /** Messages by `options.send`, one after another. */
  #outbox = Promise.resolve();
  #timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(store: ConnectedStore, socket: SocketLike | (() => SocketLike), options: ConnectOptions) {
    const times = { pause: TIME, timeout: TIME, backoff: TIME };
    requireOptions("connect", options, { send: FUNCTION, ...times, onResult: FUNCTION });
    this.#store = store;
    this.#options = options;
    this.#make = typeof socket === "function" ? socket : undefined;
    this.#open(typeof socket === "function" ? socket() : socket);
    this.#stopListening = store.subscribe(() => this.#later("send", options.pause ?? 0, () => this.#sendPending()));
  }

  subscribe = (listener: () => void): (() => void) => this.#listeners.subscribe(() => listener());

  close = (): void => {
    if (this.status === "closed") return;
    this.#stopListening();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#become("closed");
    this.#socket.close();
  };

  [Symbol.dispose](): void {
    this.close();
  }

  #become(status: Connection["status"]): void {
    if (this.status === status) return;
    this.status = status;
    this.#listeners.tell();
  }

  /** Runs something after a while, once, however often it is asked for. */
  #later(name: string, after: number, run: () => void): void {
    this.#cancel(name);
    if (this.status === "closed") return;
    const timer = setTimeout(() => {
      this.#timers.delete(name);
      run();
    }, after);
    this.#timers.set(name, timer);
  }

  #cancel(name: string): void {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }

  #open(socket: SocketLike): void {
    if (typeof socket?.addEventListener !== "function") throw wrong("connect", "socket", "a socket", socket);
    if (typeof socket.send !== "function" && this.#options.send === undefined)
      throw new GenuiPatchError("INVALID_ARGUMENT", "connect: a socket without send needs the option send.");
    this.#socket = socket;
    const events: { [type: string]: (event: { data?: unknown }) => void } = {
      open: () => this.#begin(),
      message: ({ data }) => this.#take(data),
      close: () => this.#end(),
      // An EventSource tells of a break so, and connects again unless it is closed.
      error: () => (socket.readyState === OPEN ? undefined : this.#become("connecting")),
    };
    for (const [type, run] of Object.entries(events)) {
      socket.addEventListener(type, (event: { data?: unknown }) => {
        if (this.#socket === socket && this.status !== "closed") run(event);
      });
    }
    if (socket.readyState === OPEN) this.#begin();
  }

  #begin(): void {
    this.#tries = 0;
    this.#become("open");
    this.#early.clear();
    this.#confirmed = [];
    this.#heard = 0;
    this.#sent.clear();
    this.#isResumed = false;
    this.#resume();
    this.#sendPending();
  }

  #end(): void {
    this.#become("connecting");
    const make = this.#make;
    if (make === undefined) {
      this.close();
      return;
    }
    const after = Math.min((this.#options.backoff ?? 500) * 2 ** this.#tries, LONGEST_BACKOFF);
    this.#tries += 1;
    // Not all pages at once, after a server was away.
    this.#later("connect", after * (0.5 + Math.random() / 2), () => {
      try {
        this.#open(make());
      } catch {
        this.#end();
      }
    });
  }

  #timeout(): number {
    return this.#options.timeout ?? 10_000;
  }

  #resume(): void {
    if (this.status !== "open") return;
    this.#send({ type: "resume", revision: this.#revision, session: this.#session });
    this.#later("resume", this.#timeout(), () => this.#resume());
  }

  /** Sends what was not sent, and again what has had no answer for too long. */
  #sendPending(): void {
    if (this.status !== "open") return;
    const now = Date.now();
    const waiting = this.#store.pending().filter(({ confirmed }) => !confirmed);
    const ids = new Set(waiting.map(({ pendingId }) => pendingId));
    for (const id of this.#sent.keys()) if (!ids.has(id)) this.#sent.delete(id);
    for (const { pendingId, call, sent } of waiting) {
      if (now - (this.#sent.get(pendingId) ?? Number.NEGATIVE_INFINITY) < this.#timeout()) continue;
      this.#sent.set(pendingId, now);
      if (!sent) this.#store.sent(pendingId);
      this.#send({ type: "call", pendingId, call });
    }
    if (this.#sent.size > 0) this.#later("again", this.#timeout(), () => this.#sendPending());
  }

  #send(message: ClientMessage): void {
    const again = () => {
      if (message.type === "call") this.#sent.delete(message.pendingId);
      this.#later("again", this.#timeout(), () => this.#sendPending());
    };
    const { send } = this.#options;
    if (send) {
      this.#outbox = this.#outbox.then(async () => void (await send(message))).catch(again);
      return;
    }
    try {
      this.#socket.send?.(JSON.stringify(message));
    } catch {
      again();
    }
  }

  #take(data: unknown): void {
    let message: ServerMessage;
    try {
      message = (typeof data === "string" ? JSON.parse(data) : data) as ServerMessage;
      requireObject("connect", "message", message);
    } catch {
      // What is no message says nothing; if one was damaged, its number is missing.
      return;
    }
    const { revision, type } = message;
    if (type === "snapshot") this.#takeSnapshot(message);
    else if (type === "resumed") this.#takeResumed(message);
    else if (typeof revision === "number") this.#inOrder(revision, message);
    // The call took its place among the others when the server made it: not before what the page has still to hear.
    else if (type === "confirm" && this.#isBehind()) this.#confirmed.push(message);
    else this.#takeOne(message);
  }

  /** What was missed has been sent, up to a number: all of it has come, or is asked for again. */
  #takeResumed({ revision, session }: ServerMessage): void {
    // Of another session, or before anything is known, only a snapshot tells what there is.
    const isOurs = typeof revision !== "number" || (this.#revision !== null && (session ?? null) === this.#session);
    if (isOurs) {
      this.#heard = Math.max(this.#heard, Number(revision ?? 0));
      this.#isResumed = true;
      this.#cancel("resume");
      this.#takeEarly();
    }
    if (isOurs && !this.#isBehind()) this.#settled();
    else this.#ask();
  }

  #isBehind(): boolean {
    return this.#heard > (this.#revision ?? 0) || (this.#revision !== null && !this.#isResumed);
  }

  /** Messages with numbers are taken in their order: what came before is passed over, what comes too early waits. */
  #inOrder(revision: number, message: ServerMessage): void {
    if (this.#isResumed && this.#revision !== null && revision <= this.#revision) return;
    this.#heard = Math.max(this.#heard, revision);
    if (this.#early.size < MOST_EARLY) this.#early.set(revision, message);
    this.#takeEarly();
    if (this.#isBehind()) this.#ask();
  }

  #ask(): void {
    if (!this.#timers.has("resume")) this.#later("resume", Math.min(OVERTAKING, this.#timeout()), () => this.#resume());
  }

  #takeEarly(): void {
    if (this.#revision === null || !this.#isResumed) return;
    for (const early of this.#early.keys()) if (early <= this.#revision) this.#early.delete(early);
    for (let next = this.#revision + 1; this.#early.has(next); next++) {
      const message = this.#early.get(next) as ServerMessage;
      this.#early.delete(next);
      this.#revision = next;
      this.#takeOne(message);
    }
    if (!this.#isBehind()) this.#settled();
  }

  #settled(): void {
    this.#cancel("resume");
    for (const message of this.#confirmed.splice(0)) this.#takeOne(message);
  }

  #takeOne(message: ServerMessage): void {
    const { type, pendingId, reason } = message;
    const own = type === "confirm" || type === "reject" ? String(pendingId) : undefined;
    if (own !== undefined && !this.#store.pending().some((call) => call.pendingId === pendingId)) return;
    const why = typeof reason === "string" ? reason : undefined;
    const settle = (id: string) => (type === "confirm" ? this.#store.confirm(id) : this.#store.reject(id, why));
    const result = own === undefined ? this.#store.receive(message) : settle(own);
    if (result.status === "success") this.#known.add(result.instance_name);
    this.#options.onResult?.(result, message);
  }

  #takeSnapshot(message: ServerMessage): void {
    const { revision = null, session = null, instances = {}, settles = [] } = message as Snapshot;
    // An older answer to a question that was asked twice.
    if (session === this.#session && revision !== null && this.#revision !== null && revision < this.#revision) return;
    if (session !== this.#session && this.#isResumed) this.#early.clear();
    this.#revision = revision;
    this.#session = session;
    this.#heard = Math.max(revision ?? 0, ...this.#early.keys());
    this.#isResumed = true;
    const results: PatchResult[] = [];
    this.#store.batch(() => {
      for (const [name, document] of Object.entries(instances)) {
        results.push(this.#store.load(name, document, { settles }));
      }
      for (const name of this.#known) {
        if (Object.hasOwn(instances, name)) continue;
        const gone = { instance_name: "__DELETE__", target_instance_name: name };
        if (!this.#store.pending().some((call) => call.instance_name === name)) results.push(this.#store.apply(gone));
      }
      // Calls that no document is there for any more.
      for (const { pendingId } of this.#store.pending()) {
        if (settles.includes(pendingId)) results.push(this.#store.reject(pendingId));
      }
    });
    this.#known = new Set(Object.keys(instances));
    this.#settled();
    this.#takeEarly();
    for (const result of results) this.#options.onResult?.(result, message);
    this.#sendPending();
  }
}
