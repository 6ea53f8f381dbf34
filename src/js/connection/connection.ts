/** `ServerConnection`: the state machine of `connect`. It sends pending calls and applies the server's messages. */

import type { Proposal } from "../approval/types.js";
import { GenuiPatchError } from "../core/errors.js";
import { parseJson, requireJson } from "../core/json.js";
import { Listeners } from "../core/listeners.js";
import { bindMethods } from "../core/methods.js";
import { fits, OBJECT, wrong } from "../core/require.js";
import type { TaskFlow } from "../flow/types.js";
import { isSameAuthor, SERVER, USER } from "../store/authors.js";
import { connected } from "../store/options.js";
import type { Json, PatchResult, ServerMessage } from "../types.js";
import { Divergence } from "./divergence.js";
import { isRevision, MessageOrder, readSnapshot } from "./message-order.js";
import { Outbox } from "./outbox.js";
import { RemoteContents } from "./remote-contents.js";
import { type Decision, type DecisionResult, type RemoteApproval, RemoteProposals } from "./remote-proposals.js";
import { SavedCalls } from "./saved-calls.js";
import { SentCalls } from "./sent-calls.js";
import { SnapshotParts } from "./snapshot-parts.js";
import { Timers } from "./timers.js";
import type {
  ClientMessage,
  ConnectedStore,
  Connection,
  ConnectionProblem,
  ConnectOptions,
  SocketLike,
} from "./types.js";

/** The beginning of the error of a refused handshake in the package `ws`. The HTTP status follows. */
const REFUSAL_PREFIX = "Unexpected server response: ";
/** `readyState` of an open socket. */
const OPEN = 1;
/** `readyState` of an `EventSource` that will not reconnect. For a `WebSocket` the same number means "closing". */
const CLOSED = 2;
/** The most milliseconds between two attempts to reconnect. */
const MAX_BACKOFF = 30_000;
/** Milliseconds that a message may be late, after others have overtaken it, before the server is asked for it. */
const REORDER_WINDOW = 100;

/**
 * `send`: sends pending calls after the option `pause`. `resend`: sends calls again that have no answer. `resume`: asks again
 * unless the answer, or a missing message, arrives before. `reconnect`: opens the next socket.
 */
type TimerName = "send" | "resend" | "resume" | "reconnect";

/**
 * `connecting` becomes `open` when the socket opens. A socket that closes leads back to `connecting`, if there is a function
 * that makes sockets, else to `closed`. A refusal by the server leads to `closed` too, and `retry()` from there to
 * `connecting`. `close()` leads to `closed` for good.
 */
export class ServerConnection implements Connection {
  /** Set by `bindMethods`: calls `dispose`. */
  declare [Symbol.dispose]: () => void;
  #status: Connection["status"] = "connecting";
  readonly #listeners = new Listeners<void>();
  #socket!: SocketLike;
  /** Undefined if `connect` was given one socket, which cannot be opened again. */
  readonly #makeSocket: (() => SocketLike) | undefined;
  readonly #stopListening: () => void;
  readonly #order = new MessageOrder();
  readonly #parts = new SnapshotParts();
  readonly #timers = new Timers<TimerName>();
  /** Milliseconds. */
  readonly #timeout: number;
  readonly #sentCalls: SentCalls;
  /** Names of instances that the server has. A snapshot without one of them deletes it. */
  #serverInstances = new Set<string>();
  /** Attempts to connect since the last message of the server, or since `retry()`. */
  #failedAttempts = 0;
  #problem: ConnectionProblem | undefined;
  /**
   * The HTTP status with which the server refused the handshake of the socket; 0 if it did not, or the platform does not tell.
   */
  #refusedStatus = 0;
  /** Closed for good: by `close()`, or because the only socket was closed or refused. */
  #isOver = false;
  /** The number of `resume` messages that were sent. The last one has it as its `request`. */
  #resumeCount = 0;
  /** Set if the option `send` sends the messages. */
  readonly #outbox: Outbox | undefined;
  readonly #proposals = new RemoteProposals();
  /** Set with the option `persist`. */
  readonly #savedCalls: SavedCalls | undefined;
  readonly #divergence: Divergence;
  readonly #contents = new RemoteContents();

  constructor(
    private readonly store: ConnectedStore,
    socket: SocketLike | (() => SocketLike),
    private readonly options: ConnectOptions,
  ) {
    this.#timeout = options.timeout ?? 10_000;
    this.#sentCalls = new SentCalls(this.#timeout);
    if (options.send) this.#outbox = new Outbox(options.send, this.#timeout, this.#onSendFailed.bind(this));
    this.#divergence = new Divergence(store);
    this.#makeSocket = typeof socket === "function" ? socket : undefined;
    const { persist, persistKey = "genui-patch" } = options;
    if (persist !== undefined) this.#savedCalls = new SavedCalls(persist, persistKey, () => this.#resume());
    // Throws for what is no socket, so the subscriptions, which only `close` ends, come after it.
    this.#open(typeof socket === "function" ? socket() : socket);
    const send = () => this.#sendPending();
    store[connected]?.(1);
    const stopListening = store.subscribe(() => {
      this.#later("send", options.pause ?? 0, send);
      this.#savedCalls?.saveSoon(store);
    });
    const onOnline = () => this.#problem?.reason === "offline" && this.retry();
    globalThis.addEventListener?.("online", onOnline);
    this.#stopListening = () => {
      stopListening();
      globalThis.removeEventListener?.("online", onOnline);
    };
    bindMethods(this);
    // `bindMethods` makes `using` call `dispose`, which a connection has not. Not every platform has the symbol yet.
    if (Symbol.dispose) this[Symbol.dispose] = this.close;
  }

  get status(): Connection["status"] {
    return this.#status;
  }

  subscribe(listener: () => void): () => void {
    return this.#listeners.subscribe(() => listener());
  }

  get problem(): ConnectionProblem | undefined {
    return this.#problem;
  }

  close(): void {
    if (this.#isOver) return;
    this.#stop();
    this.#end();
  }

  /** Ends the connection for good: no `retry` may follow. */
  #end(): void {
    this.#isOver = true;
    this.#stopListening();
    this.store[connected]?.(-1);
    this.#savedCalls?.close(this.store);
    this.#socket.close();
  }

  retry(): void {
    if (this.#isOver || this.#status === "open" || this.#makeSocket === undefined) return;
    // A socket that is being opened may still succeed.
    if (this.#status === "connecting" && !this.#timers.has("reconnect")) return;
    this.#timers.cancel("reconnect");
    this.#failedAttempts = 0;
    this.#setStatus("connecting", this.#problem);
    this.#reconnect();
  }

  /** Sends nothing more and forgets the timers. `retry` may follow. */
  #stop(problem?: ConnectionProblem): void {
    this.#timers.clear();
    this.#outbox?.clear();
    this.#proposals.connectionLost();
    this.#setStatus("closed", problem);
  }

  #setStatus(next: Connection["status"], problem?: ConnectionProblem): void {
    const isChange = this.#status !== next || this.#problem !== problem;
    this.#status = next;
    this.#problem = problem;
    if (isChange) this.#listeners.emit();
  }

  // Proposals of the server.

  proposals(): readonly Proposal[] {
    return this.#proposals.all();
  }

  approve(proposalId: string, options: RemoteApproval = {}): Promise<DecisionResult> {
    // The revision that the user has seen: hunks are named by their index in its diff.
    const revision = this.proposals().find(({ id }) => id === proposalId)?.revision;
    return this.#decide((request) => ({ type: "approve", proposal: proposalId, request, seen: revision, ...options }));
  }

  files(): { readonly [path: string]: string } {
    return this.#contents.files;
  }

  flows(): readonly TaskFlow[] {
    return this.#contents.flows;
  }

  callTool(tool: string, args: object): Promise<DecisionResult> {
    return this.#decide((request) => ({ type: "tool", tool, arguments: args, request }));
  }

  refuse(proposalId: string, reason?: string): Promise<DecisionResult> {
    return this.#decide((request) => ({ type: "refuse", proposal: proposalId, request, reason }));
  }

  /** Sends the message for a request number, and resolves with the server's answer to that request. */
  #decide(message: (request: number) => Decision): Promise<DecisionResult> {
    return this.#proposals.decide((request) => {
      if (this.#status !== "open") return false;
      this.#send(message(request));
      return true;
    });
  }

  /** Starts a timer, but not after the end: it would keep a Node process alive. */
  #later(name: TimerName, milliseconds: number, run: () => void): void {
    if (this.#status !== "closed") this.#timers.start(name, milliseconds, run);
  }

  // The socket.

  /** Makes a socket the current one, and listens to its events. */
  #open(socket: SocketLike): void {
    if (typeof socket?.addEventListener !== "function") throw wrong("connect", "socket", "a socket", socket);
    const isReceiveOnly = typeof socket.send !== "function";
    if (isReceiveOnly && this.options.send === undefined)
      throw new GenuiPatchError("INVALID_ARGUMENT", "connect: a socket without send needs the option send.");
    this.#socket = socket;
    this.#refusedStatus = 0;
    const handlers: { [type: string]: (event: SocketEvent) => void } = {
      open: () => this.#onOpen(),
      message: ({ data }) => this.#onMessage(data),
      close: (event) => this.#onClose(event),
      error: ({ message }) => {
        // The package "ws" has the status of a refused handshake in this text. Browsers do not tell it.
        this.#refusedStatus = Number(message?.startsWith(REFUSAL_PREFIX) ? message.slice(REFUSAL_PREFIX.length) : 0);
        // An EventSource has no close event. It reconnects by itself unless it is CLOSED.
        if (isReceiveOnly && socket.readyState === CLOSED) this.#onClose();
        else if (socket.readyState !== OPEN) this.#setStatus("connecting", this.#problem);
      },
    };
    for (const [type, handle] of Object.entries(handlers)) {
      socket.addEventListener(type, (event: SocketEvent) => {
        // A socket that was replaced or given up may still have events.
        if (this.#socket === socket && !this.#isOver && this.#status !== "closed") handle(event);
      });
    }
    if (socket.readyState === OPEN) this.#onOpen();
  }

  /** Forgets what was sent and received on the socket before, sends the token if there is one, and begins. */
  #onOpen(): void {
    this.#order.restart();
    this.#parts.clear();
    this.#divergence.restart();
    this.#sentCalls.clear();
    this.#outbox?.clear();
    const { token } = this.options;
    if (token === undefined) {
      this.#begin();
      return;
    }
    const socket = this.#socket;
    const send = (text: string) => {
      // While the page waited for the token, the socket may have been closed or replaced.
      if (this.#socket !== socket || socket.readyState !== OPEN) return;
      this.#send({ type: "authenticate", token: text });
      this.#begin();
    };
    // The promise also catches an exception of `token` itself.
    Promise.resolve()
      .then(token)
      .then(send, (cause: unknown) => {
        if (this.#socket === socket) this.#giveUp({ reason: "unauthorized", message: String(cause) });
      });
  }

  /** Asks for missed messages and sends pending calls. The socket is open, and the token is sent. */
  #begin(): void {
    if (this.#isOver) return;
    this.#setStatus("open");
    this.#resume();
    this.#sendPending();
  }

  /**
   * The socket was closed, or could not be opened: gives up if the server has refused the page, else reconnects after a pause.
   */
  #onClose({ code = 0, reason = "" }: SocketEvent = {}): void {
    this.#proposals.connectionLost();
    const statusOrCode = this.#refusedStatus || code;
    const details = { ...(statusOrCode > 0 && { code: statusOrCode }), ...(reason !== "" && { message: reason }) };
    const isUnauthorized = statusOrCode === 401 || statusOrCode === 4401;
    // Servers choose the close codes from 4000 to 4999 themselves.
    const isRefused = statusOrCode === 403 || (statusOrCode >= 4000 && statusOrCode < 5000);
    if (isUnauthorized || isRefused) {
      this.#giveUp({ reason: isUnauthorized ? "unauthorized" : "refused", ...details });
      return;
    }
    if (this.#makeSocket === undefined) {
      // Listeners hear of the lost connection first, then of the end.
      this.#setStatus("connecting");
      return void this.close();
    }
    const pause = Math.min((this.options.backoff ?? 500) * 2 ** this.#failedAttempts, MAX_BACKOFF);
    this.#failedAttempts += 1;
    // Between half the pause and all of it, so that not all pages reconnect at once after a server was down.
    const milliseconds = pause * (0.5 + Math.random() / 2);
    const isOffline = globalThis.navigator?.onLine === false;
    const nextTry = Date.now() + milliseconds;
    this.#setStatus("connecting", { reason: isOffline ? "offline" : "retrying", ...details, nextTry });
    this.#later("reconnect", milliseconds, () => this.#reconnect());
  }

  /** Opens another socket. A function that throws counts as a socket that could not be opened. */
  #reconnect(): void {
    if (this.#makeSocket === undefined) return;
    try {
      this.#open(this.#makeSocket());
    } catch {
      this.#onClose();
    }
  }

  /** Stops: trying again would be refused again. Pending calls stay in the store; the page may call `retry` after a sign-in. */
  #giveUp(problem: ConnectionProblem): void {
    // A listener of the status may call `retry`, which makes another socket.
    const socket = this.#socket;
    this.#stop(problem);
    if (this.#makeSocket === undefined) this.#end();
    else if (socket.readyState <= OPEN) socket.close();
  }

  // From the page to the server.

  /** Asks for everything after the last applied message. It waits for saved calls, whose ids are part of the message. */
  #resume(): void {
    if (this.#status !== "open" || this.#savedCalls?.isLoading) return;
    this.#resumeCount += 1;
    // The ids of the calls that the server may have, with `persist` also those that were sent before a reload.
    const pending =
      this.#savedCalls?.ids(this.store) ??
      this.store
        .pending()
        .filter(({ sent }) => sent)
        .map(({ pendingId }) => pendingId);
    this.#send({
      type: "resume",
      ...this.#order.ask(),
      request: this.#resumeCount,
      ...(pending.length > 0 && { pending }),
      histories: true,
      parts: true,
    });
    this.#resumeLater();
  }

  /** Asks again if the answer does not arrive. */
  #resumeLater(): void {
    this.#later("resume", this.#timeout, () => this.#resume());
  }

  /** Sends each pending call that was not sent, or was sent `timeout` ago and is not answered. */
  #sendPending(): void {
    if (this.#status !== "open") return;
    for (const { pendingId, call, sent, author, group } of this.#sentCalls.due(this.store.pending())) {
      if (!sent) this.store.sent(pendingId);
      const isByUser = author === undefined || isSameAuthor(author, USER);
      this.#send({
        type: "call",
        pendingId,
        call,
        ...(!isByUser && { author }),
        ...(group !== undefined && { group }),
      });
    }
    if (this.#sentCalls.isWaiting) this.#resendLater();
  }

  #resendLater(): void {
    this.#later("resend", this.#timeout, () => this.#sendPending());
  }

  /** Sends a message through the option `send`, or else through the socket. */
  #send(message: ClientMessage): void {
    if (this.#outbox) {
      this.#outbox.add(message);
      return;
    }
    try {
      this.#socket.send?.(JSON.stringify(message));
    } catch {
      this.#onSendFailed([message]);
    }
  }

  /** Sends the calls among the messages again later, and gives up if the HTTP status in `cause` is a refusal. */
  #onSendFailed(messages: readonly ClientMessage[], cause?: unknown): void {
    for (const message of messages) if (message.type === "call") this.#sentCalls.forget(message.pendingId);
    if (this.#status === "open") this.#resendLater();
    const status = statusOf(cause);
    if (status === 401) this.#giveUp({ reason: "unauthorized", code: status });
    else if (status === 403) this.#giveUp({ reason: "refused", code: status });
  }

  // From the server to the page.

  /**
   * Messages with a revision are applied in the order of these numbers; the server is asked for a missing one. Other messages are
   * applied at once, but a `confirm` waits for the messages that were sent before it.
   */
  #onMessage(data: unknown): void {
    const message = readMessage(data);
    // A damaged message is ignored. A later message then shows that its revision is missing.
    if (message === undefined) return;
    this.#failedAttempts = 0;
    const { revision, type } = message;
    if (type === "snapshot" || type === "snapshot-part") this.#onSnapshot(message);
    else if (type === "resumed") this.#onResumed(message);
    else if (isRevision(revision)) {
      if (!this.#order.addNumbered(revision, message)) return;
      this.#applyReady();
      if (this.#order.isBehind) this.#resumeSoon();
    } else if (type === "confirm" && this.#order.isBehind) this.#order.addConfirmation(message);
    else this.#apply(message);
  }

  /** The server has sent what the page missed. If its documents still differ from the server's, a snapshot is requested. */
  #onResumed(message: ServerMessage): void {
    const isAccepted = this.#order.resumed(message);
    if (isAccepted) {
      this.#timers.cancel("resume");
      this.#applyReady();
    }
    if (!isAccepted || this.#order.isBehind) this.#resumeSoon();
    // The hashes are those of the documents at `message.revision`.
    else if (this.#order.revision === message.revision && this.#divergence.differs(message.hashes)) {
      this.#order.forget();
      this.#resume();
    }
  }

  /** A message is missing. It may only be late, so the server is asked for it after a moment. */
  #resumeSoon(): void {
    if (this.#timers.has("resume")) return;
    this.#later("resume", Math.min(REORDER_WINDOW, this.#timeout), () => this.#resume());
  }

  /** Applies the buffered messages up to the first that is missing. */
  #applyReady(): void {
    for (let message = this.#order.next(); message !== undefined; message = this.#order.next()) this.#apply(message);
    if (!this.#order.isBehind) this.#timers.cancel("resume");
  }

  /** Applies a message to the connection itself, to proposals, files or flows, or to the store. */
  #apply(message: ServerMessage): void {
    const { type, session } = message;
    // These two types have a revision, but no content for the store.
    if (type === "session" && typeof session === "string") this.#order.rename(session);
    if (type === "session" || type === "nothing") return;
    if (this.#proposals.receive(message) || this.#contents.receive(message)) {
      this.#listeners.emit();
      return;
    }
    const result = this.#settleOrReceive(message);
    if (result === undefined) return;
    if (result.status === "success") this.#serverInstances.add(result.instance_name);
    // A message that the store does not know belongs to the application.
    const { onMessage, onResult } = this.options;
    if (result.error?.code === "UNKNOWN_MESSAGE" && onMessage) onMessage(message);
    else onResult?.(result, message);
  }

  /** The result of a message; `undefined` for the answer to a call that is not pending any more. */
  #settleOrReceive(message: ServerMessage): PatchResult | undefined {
    const { type, pendingId, reason } = message;
    const { store } = this;
    if (type !== "confirm" && type !== "reject") return store.receive(message);
    const call = store.pending().find((pending) => pending.pendingId === pendingId);
    if (call === undefined) return undefined;
    if (type === "confirm" && isRevision(message.at)) {
      // The message `at` contains the call. If it has been applied here, the pending copy is dropped, which is what `reject`
      // does; else that message will settle the call.
      const { revision } = this.#order;
      return revision !== null && message.at <= revision ? store.reject(call.pendingId) : undefined;
    }
    if (type === "confirm") return store.confirm(call.pendingId);
    return store.reject(call.pendingId, typeof reason === "string" ? reason : undefined);
  }

  /**
   * Loads the documents of a snapshot, or of its last part, and deletes instances that it lacks. It settles the pending calls
   * that the documents contain; calls from before a reload that it does not settle are applied and sent again.
   */
  #onSnapshot(received: ServerMessage): void {
    const message = this.#parts.receive(received);
    // Each part postpones the next `resume`.
    if (message === undefined) {
      this.#resumeLater();
      return;
    }
    const snapshot = readSnapshot(message);
    if (snapshot === undefined || !this.#order.skipTo(snapshot, this.#resumeCount)) return;
    const { instances, settles } = snapshot;
    if (this.#contents.reset(message)) this.#listeners.emit();
    const { store } = this;
    const savedCalls = this.#savedCalls?.drain(settles) ?? [];
    const results: PatchResult[] = [];
    store.batch(() => {
      for (const [name, document] of Object.entries(instances))
        results.push(store.load(name, document, { settles, author: SERVER, history: snapshot.historyOf(name) }));
      for (const name of this.#serverInstances) {
        // An instance with pending calls stays until the server has answered them.
        if (Object.hasOwn(instances, name) || store.pending(name).length > 0) continue;
        results.push(store.apply({ instance_name: "__DELETE__", target_instance_name: name }, { author: SERVER }));
      }
      // `load` has settled the calls of the instances in the snapshot. The others are of instances that the server has deleted.
      for (const { pendingId } of store.pending()) {
        if (settles.includes(pendingId)) results.push(store.reject(pendingId));
      }
      for (const call of savedCalls) results.push(store.applyOptimistic(call));
    });
    this.#serverInstances = new Set(Object.keys(instances));
    this.#applyReady();
    for (const result of results) this.options.onResult?.(result, message);
    this.#sendPending();
  }
}

/** The members that events of sockets may have. */
interface SocketEvent {
  data?: unknown;
  code?: number;
  reason?: string;
  message?: string;
}

/** The HTTP status of what the option `send` has thrown: a `Response`, or an error with a `status`. 0 if none exists. */
function statusOf(cause: unknown): number {
  return typeof cause === "object" && cause !== null && "status" in cause ? Number(cause.status) : 0;
}

/** Reads a message from JSON text, or from an object that JSON can represent; returns `undefined` for anything else. */
function readMessage(data: unknown): ServerMessage | undefined {
  try {
    const message = requireJson((typeof data === "string" ? parseJson(data) : data) as Json, "message");
    return fits(OBJECT, message) ? (message as ServerMessage) : undefined;
  } catch {
    return undefined;
  }
}
