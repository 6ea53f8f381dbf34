/** `connect`: keeps a store and its server in step. */

import { isObject } from "../core/kinds.js";
import { type ArgumentKind, FUNCTION, requireOptions, TEXT } from "../core/require.js";
import { ServerConnection } from "./connection.js";
import type {
  ClientMessage,
  ConnectedStore,
  Connection,
  ConnectionProblem,
  ConnectOptions,
  SocketLike,
} from "./types.js";

export type { DecisionResult } from "./remote-proposals.js";
export type { PendingStorage } from "./saved-calls.js";
export type { ClientMessage, Connection, ConnectionProblem, ConnectOptions, SocketLike };

const MILLISECONDS: ArgumentKind = [
  "a number of milliseconds",
  (value) => Number.isFinite(value) && Number(value) >= 0,
];

const STORAGE: ArgumentKind = [
  "localStorage, or an object with getItem and setItem",
  (value) => isObject(value) && typeof value.getItem === "function" && typeof value.setItem === "function",
];

/**
 * Connects a store to its server: sends pending calls, applies the server's messages, and after a disconnection asks for
 * the messages that the page has missed.
 *
 * ```ts
 * const connection = connect(store, () => new WebSocket("wss://example.com/page"));
 * ```
 * The server answers a call with a message whose `patch_id` is the id of the call, or with `{ type: "confirm" | "reject",
 * pendingId }`. docs/agent.md lists all messages. `socket` is a function that makes sockets, which is called again when a socket
 * closes, or one socket, which is used until it closes; an `EventSource` reconnects by itself.
 * @throws GenuiPatchError `INVALID_ARGUMENT` for a socket that cannot send, and for unknown options.
 */
export function connect(
  store: ConnectedStore,
  socket: SocketLike | (() => SocketLike),
  options: ConnectOptions = {},
): Connection {
  requireOptions("connect", options, {
    send: FUNCTION,
    pause: MILLISECONDS,
    timeout: MILLISECONDS,
    backoff: MILLISECONDS,
    token: FUNCTION,
    persist: STORAGE,
    persistKey: TEXT,
    onMessage: FUNCTION,
    onResult: FUNCTION,
  });
  return new ServerConnection(store, socket, options);
}
