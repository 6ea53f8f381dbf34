/** `ServerConnection`: the state machine of `connect`. It sends pending calls and applies what the server sends. */
import { GenuiPatchError } from "../core/errors.js";
import { parseJson, requireJson } from "../core/json.js";
import { Listeners } from "../core/listeners.js";
import { bindMethods } from "../core/methods.js";
import { fits, OBJECT, wrong } from "../core/require.js";
import type { PatchStore } from "../store.js";
import type { Author, Json, PatchResult, PendingCall, ServerMessage } from "../types.js";
import { isSameAuthor, SERVER, USER } from "./authors.js";
import { MessageOrder, readSnapshot } from "./message-order.js";
import { connected } from "./options.js";

/** The part of a `WebSocket` or an `EventSource` that a connection uses. */
export interface SocketLike {
  readonly readyState: number;
  // biome-ignore lint/suspicious/noExplicitAny: WebSocket, EventSource and their stand-ins have different event types.
  addEventListener(type: string, listener: (event: any) => void): void;
  /** A `WebSocket` has it. Without it the option `send` is required. */
  send?(text: string): void;
  close(): void;
}

export type ClientMessage =
  /** The last position that the page has applied. The server sends everything after it, or a snapshot. */
  | { type: "resume"; revision: number | null; session: string | null }
  /** A pending call. It is sent again, with the same `pendingId`, if no answer arrives. */
  | {
      type: "call";
      pendingId: string;
      call: PendingCall["call"];
      /** Absent for the user. */
      author?: Author;
      group?: string;
    };

export type ConnectedStore = Pick<
  PatchStore,
  "pending" | "sent" | "confirm" | "reject" | "receive" | "load" | "apply" | "batch" | "subscribe"
> & {
  /** @internal */
  [connected]?(change: 1 | -1): void;
};

export interface ConnectOptions {
  /** Sends a message where the socket only receives, as an `EventSource`. A message whose promise rejects is sent again. */
  send?: ((message: ClientMessage) => unknown) | undefined;
  /** Milliseconds without a further change before pending calls are sent: one call for a word that is typed. Default 0. */
  pause?: number | undefined;
  /** Milliseconds without an answer before a call or a `resume` is sent again. Default 10,000. */
  timeout?: number | undefined;
  /** Milliseconds before the first attempt to reconnect. Each further attempt waits twice as long, at most 30,000. Default 500. */
  backoff?: number | undefined;
  /** Called with the result of each message of the server: conflicts and errors are in it. */
  onResult?: ((result: PatchResult, message: ServerMessage) => void) | undefined;
}

export interface Connection {
  readonly status: "connecting" | "open" | "closed";
  /** Calls the listener when `status` changes. Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void;
  /** Closes the socket. Pending calls stay in the store; the next connection sends them. */
  close(): void;
  [Symbol.dispose](): void;
}

/** `readyState` of an open socket. */
const OPEN = 1;
/** `readyState` of an `EventSource` that will not reconnect. For a `WebSocket` the same number means "closing". */
const CLOSED = 2;
const MAX_BACKOFF = 30_000;
/** Milliseconds that messages may overtake each other before the server is asked for a missing one. */
const REORDER_WINDOW = 100;

type TimerName = "send" | "resend" | "resume" | "reconnect";

/**
 * `connecting` becomes `open` when the socket opens. A socket that closes leads back to `connecting`, if there is a function
 * that makes sockets, else to `closed`. `close()` leads to `closed` from everywhere.
 */
export class ServerConnection implements Connection {
  declare [Symbol.dispose]: () => void;
  #status: Connection["status"] = "connecting";
  readonly #listeners = new Listeners<void>();
  #socket!: SocketLike;
  readonly #makeSocket: (() => SocketLike) | undefined;
  readonly #stopListening: () => void;
  readonly #order = new MessageOrder();
  readonly #timers = new Map<TimerName, ReturnType<typeof setTimeout>>();
  readonly #timeout: number;
  /** When each pending call was last sent, in milliseconds since the epoch. */
  readonly #sentAt = new Map<string, number>();
  /** Names of instances that the server has. A snapshot without one of them deletes it. */
  #serverInstances = new Set<string>();
  #failedAttempts = 0;
  /** Messages through `options.send`, one after another. */
  #outbox = Promise.resolve();

  constructor(
    private readonly store: ConnectedStore,
    socket: SocketLike | (() => SocketLike),
    private readonly options: ConnectOptions,
  ) {
    this.#timeout = options.timeout ?? 10_000;
    this.#makeSocket = typeof socket === "function" ? socket : undefined;
    this.#open(typeof socket === "function" ? socket() : socket);
    const send = () => this.#sendPending();
    store[connected]?.(1);
    this.#stopListening = store.subscribe(() => this.#later("send", options.pause ?? 0, send));
    bindMethods(this);
    // Not every platform has the symbol yet.
    if (Symbol.dispose) this[Symbol.dispose] = this.close;
  }

  get status(): Connection["status"] {
    return this.#status;
  }

  subscribe(listener: () => void): () => void {
    return this.#listeners.subscribe(() => listener());
  }

  close(): void {
    if (this.#status === "closed") return;
    this.#stopListening();
    this.store[connected]?.(-1);
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#setStatus("closed");
    this.#socket.close();
  }

  #setStatus(next: Connection["status"]): void {
    if (this.#status === next) return;
    this.#status = next;
    this.#listeners.emit();
  }

  /** Starts a timer, in place of the running one of this name. */
  #later(name: TimerName, milliseconds: number, run: () => void): void {
    this.#cancel(name);
    if (this.#status === "closed") return;
    const timer = setTimeout(() => {
      this.#timers.delete(name);
      run();
    }, milliseconds);
    this.#timers.set(name, timer);
  }

  #cancel(name: TimerName): void {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }

  // The socket.

  #open(socket: SocketLike): void {
    if (typeof socket?.addEventListener !== "function") throw wrong("connect", "socket", "a socket", socket);
    const isReceiveOnly = typeof socket.send !== "function";
    if (isReceiveOnly && this.options.send === undefined)
      throw new GenuiPatchError("INVALID_ARGUMENT", "connect: a socket without send needs the option send.");
    this.#socket = socket;
    const handlers: { [type: string]: (event: { data?: unknown }) => void } = {
      open: () => this.#onOpen(),
      message: ({ data }) => this.#onMessage(data),
      close: () => this.#onClose(),
      // An EventSource has no close event. It reconnects by itself unless it is CLOSED.
      error: () => {
        if (isReceiveOnly && socket.readyState === CLOSED) this.#onClose();
        else if (socket.readyState !== OPEN) this.#setStatus("connecting");
      },
    };
    for (const [type, handle] of Object.entries(handlers)) {
      socket.addEventListener(type, (event: { data?: unknown }) => {
        if (this.#socket === socket && this.#status !== "closed") handle(event);
      });
    }
    if (socket.readyState === OPEN) this.#onOpen();
  }

  #onOpen(): void {
    this.#failedAttempts = 0;
    this.#setStatus("open");
    this.#order.restart();
    this.#sentAt.clear();
    this.#resume();
    this.#sendPending();
  }

  #onClose(): void {
    this.#setStatus("connecting");
    const makeSocket = this.#makeSocket;
    if (makeSocket === undefined) return void this.close();
    const pause = Math.min((this.options.backoff ?? 500) * 2 ** this.#failedAttempts, MAX_BACKOFF);
    this.#failedAttempts += 1;
    // Random, so that not all pages reconnect at once after a server was down.
    this.#later("reconnect", pause * (0.5 + Math.random() / 2), () => {
      try {
        this.#open(makeSocket());
      } catch {
        this.#onClose();
      }
    });
  }

  // From the page to the server.

  #resume(): void {
    if (this.#status !== "open") return;
    this.#send({ type: "resume", ...this.#order.position });
    this.#later("resume", this.#timeout, () => this.#resume());
  }

  /** Sends each pending call that was not sent, or was sent `timeout` ago and is not answered. */
  #sendPending(): void {
    if (this.#status !== "open") return;
    const now = Date.now();
    const unanswered = this.store.pending().filter(({ confirmed }) => !confirmed);
    const ids = new Set(unanswered.map(({ pendingId }) => pendingId));
    for (const id of this.#sentAt.keys()) if (!ids.has(id)) this.#sentAt.delete(id);
    for (const { pendingId, call, sent, author, group } of unanswered) {
      if (now - (this.#sentAt.get(pendingId) ?? Number.NEGATIVE_INFINITY) < this.#timeout) continue;
      this.#sentAt.set(pendingId, now);
      if (!sent) this.store.sent(pendingId);
      const isPlain = author === undefined || isSameAuthor(author, USER);
      this.#send({ type: "call", pendingId, call, ...(!isPlain && { author }), ...(group !== undefined && { group }) });
    }
    if (this.#sentAt.size > 0) this.#resendLater();
  }

  #resendLater(): void {
    this.#later("resend", this.#timeout, () => this.#sendPending());
  }

  #send(message: ClientMessage): void {
    const onFailure = () => {
      if (message.type === "call") this.#sentAt.delete(message.pendingId);
      this.#resendLater();
    };
    const { send } = this.options;
    if (send) {
      this.#outbox = this.#outbox.then(async () => void (await send(message))).catch(onFailure);
      return;
    }
    try {
      this.#socket.send?.(JSON.stringify(message));
    } catch {
      onFailure();
    }
  }

  // From the server to the page.

  #onMessage(data: unknown): void {
    const message = readMessage(data);
    // Other data is ignored. If a message was damaged, its revision is missing, so that the server is asked for it.
    if (message === undefined) return;
    const { revision, type } = message;
    if (type === "snapshot") this.#onSnapshot(message);
    else if (type === "resumed") this.#onResumed(message);
    else if (typeof revision === "number") {
      if (!this.#order.addNumbered(revision, message)) return;
      this.#applyReady();
      if (this.#order.isBehind) this.#resumeSoon();
    } else if (type === "confirm" && this.#order.isBehind) this.#order.addConfirmation(message);
    else this.#apply(message);
  }

  #onResumed(message: ServerMessage): void {
    const isKnown = this.#order.resumed(message);
    if (isKnown) {
      this.#cancel("resume");
      this.#applyReady();
    }
    if (!isKnown || this.#order.isBehind) this.#resumeSoon();
  }

  #resumeSoon(): void {
    if (this.#timers.has("resume")) return;
    this.#later("resume", Math.min(REORDER_WINDOW, this.#timeout), () => this.#resume());
  }

  #applyReady(): void {
    for (let message = this.#order.next(); message !== undefined; message = this.#order.next()) this.#apply(message);
    if (!this.#order.isBehind) this.#cancel("resume");
  }

  #apply(message: ServerMessage): void {
    const result = this.#settleOrReceive(message);
    if (result === undefined) return;
    if (result.status === "success") this.#serverInstances.add(result.instance_name);
    this.options.onResult?.(result, message);
  }

  /** The result of a message; `undefined` for the answer to a call that is not pending any more. */
  #settleOrReceive(message: ServerMessage): PatchResult | undefined {
    const { type, pendingId, reason } = message;
    const { store } = this;
    if (type !== "confirm" && type !== "reject") return store.receive(message);
    const call = store.pending().find((call) => call.pendingId === pendingId);
    if (call === undefined) return undefined;
    if (type === "confirm") return store.confirm(call.pendingId);
    return store.reject(call.pendingId, typeof reason === "string" ? reason : undefined);
  }

  #onSnapshot(message: ServerMessage): void {
    const snapshot = readSnapshot(message);
    if (snapshot === undefined || !this.#order.skipTo(snapshot)) return;
    const { instances, settles } = snapshot;
    const { store } = this;
    const results: PatchResult[] = [];
    store.batch(() => {
      for (const [name, document] of Object.entries(instances))
        results.push(store.load(name, document, { settles, author: SERVER }));
      for (const name of this.#serverInstances) {
        if (Object.hasOwn(instances, name) || store.pending(name).length > 0) continue;
        results.push(store.apply({ instance_name: "__DELETE__", target_instance_name: name }, { author: SERVER }));
      }
      // Calls of instances that the server has deleted.
      for (const { pendingId } of store.pending()) {
        if (settles.includes(pendingId)) results.push(store.reject(pendingId));
      }
    });
    this.#serverInstances = new Set(Object.keys(instances));
    this.#applyReady();
    for (const result of results) this.options.onResult?.(result, message);
    this.#sendPending();
  }
}

/** A message as text, or as a value that JSON can carry; `undefined` for anything else. */
function readMessage(data: unknown): ServerMessage | undefined {
  try {
    const message = requireJson((typeof data === "string" ? parseJson(data) : data) as Json, "message");
    return fits(OBJECT, message) ? (message as ServerMessage) : undefined;
  } catch {
    return undefined;
  }
}
