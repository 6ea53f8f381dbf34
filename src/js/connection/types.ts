/** The types of `connect`: the socket, the messages that a page sends, the options, and the connection. */

import type { Proposal } from "../approval/types.js";
import type { TaskFlow } from "../flow/types.js";
import type { connected } from "../store/options.js";
import type { PatchStore } from "../store.js";
import type { Author, PatchResult, PendingCall, ServerMessage } from "../types.js";
import type { Decision, DecisionResult, RemoteApproval } from "./remote-proposals.js";
import type { PendingStorage } from "./saved-calls.js";

/** The part of a `WebSocket` or an `EventSource` that a connection uses. */
export interface SocketLike {
  /** 1 while it is open, above 1 once it closes or has closed. */
  readonly readyState: number;
  // biome-ignore lint/suspicious/noExplicitAny: WebSocket, EventSource and their stand-ins have different event types.
  addEventListener(type: string, listener: (event: any) => void): void;
  /** A `WebSocket` has this method. For a socket without it, as an `EventSource`, the option `send` is required. */
  send?(text: string): void;
  close(): void;
}

/** A message of a page to the server. */
export type ClientMessage =
  /** Asks for everything that the page has missed. The server answers with its messages, or with a snapshot. */
  | {
      type: "resume";
      /** The last position in the server's log that the page has applied; null: none yet. */
      revision: number | null;
      /** The id of that log; null: none yet. */
      session: string | null;
      /** The number of the message. A snapshot that answers it repeats the number as its `answers`. */
      request?: number;
      /** Ids of calls that were sent without an answer. A snapshot that contains some of them names these in `settles`. */
      pending?: readonly string[];
      /** The page can read the histories of the instances in a snapshot, so that users can undo earlier changes. */
      histories?: true;
      /** The page can read a snapshot in parts. */
      parts?: true;
    }
  /** A pending call. It is sent again, with the same `pendingId`, if no answer arrives. */
  | {
      type: "call";
      pendingId: string;
      call: PendingCall["call"];
      /** Absent for the user. */
      author?: Author;
      /** The group of the history to which the call belongs, if the caller has named one. */
      group?: string;
    }
  /** The first message of a socket, with the option `token`. */
  | { type: "authenticate"; token: string }
  /** What the user decides about a proposal of the server, or a tool call of the user. */
  | Decision;

/** The part of a `PatchStore` that a connection uses. */
export type ConnectedStore = Pick<
  PatchStore,
  | "applyOptimistic"
  | "pending"
  | "sent"
  | "confirm"
  | "reject"
  | "receive"
  | "load"
  | "apply"
  | "batch"
  | "subscribe"
  | "confirmed"
> & {
  /** @internal Called when a connection begins (1) and when it ends (-1). */
  [connected]?(change: 1 | -1): void;
};

/** The options of `connect`. */
export interface ConnectOptions {
  /** Sends a message where the socket only receives, as an `EventSource`. A message whose promise rejects is sent again. */
  send?: ((message: ClientMessage) => unknown) | undefined;
  /** Milliseconds without a further change before pending calls are sent, so that a typed word is one call. Default 0. */
  pause?: number | undefined;
  /** Milliseconds without an answer before a call or a `resume` is sent again. Default 10,000. */
  timeout?: number | undefined;
  /**
   * Milliseconds before the first attempt to reconnect. Each further attempt waits twice as long, at most 30,000. Default 500.
   */
  backoff?: number | undefined;
  /** The token that is sent as the first message of each socket, for servers that ask for it. */
  token?: (() => string | Promise<string>) | undefined;
  /**
   * Keeps pending calls across a reload: `localStorage`, or an object with `getItem` and `setItem`, which may be asynchronous.
   * Use another key for each tab that is open at once; see {@link ConnectOptions.persistKey}.
   */
  persist?: PendingStorage | undefined;
  /** The key under which `persist` keeps the calls. Default `"genui-patch"`. */
  persistKey?: string | undefined;
  /** Called with messages that are not about documents: `presence`, and those that the application broadcasts. */
  onMessage?: ((message: ServerMessage) => void) | undefined;
  /** Called with the result of each message of the server: conflicts and errors are in it. */
  onResult?: ((result: PatchResult, message: ServerMessage) => void) | undefined;
}

/**
 * Why a page is not connected.
 *
 * - `unauthorized`: the server does not know the user (401, close code 4401). Sign in, then `retry()`.
 * - `refused`: the server does not let the user in (403, the other codes from 4000 to 4999).
 * - `offline`: the device has no network. The connection tries again when it has.
 * - `retrying`: the server cannot be reached. The next try is at `nextTry`, in milliseconds since the epoch.
 */
export interface ConnectionProblem {
  reason: "unauthorized" | "refused" | "offline" | "retrying";
  /** The code with which the socket was closed, or the status of the response. */
  code?: number;
  /** The server's message. */
  message?: string;
  /** Set with `offline` and `retrying`. */
  nextTry?: number;
}

/** A connection of a store to its server, from `connect`. */
export interface Connection {
  /** `closed` after `close()`, and after a problem that trying again does not solve. */
  readonly status: "connecting" | "open" | "closed";
  /** Why the page is not connected; `undefined` while it is, and before the first attempt has failed. */
  readonly problem: ConnectionProblem | undefined;
  /** Connects again now: while it waits for the next try, and after `unauthorized` or `refused`. Not after `close()`. */
  retry(): void;
  /**
   * The pending proposals of the server: the same list until it changes. The component `ProposalList` takes a connection as
   * source.
   */
  proposals(): readonly Proposal[];
  /**
   * Approves a proposal of the server: all of it, or some `paths` of a document, `hunks` of a file or `fields` of a flow's node.
   * `edits` are the user's changes of the proposal. The server checks and executes the result.
   */
  approve(proposalId: string, options?: RemoteApproval): Promise<DecisionResult>;
  /** Refuses a proposal of the server. */
  refuse(proposalId: string, reason?: string): Promise<DecisionResult>;
  /** The files of the room, by path: the same object until one changes. */
  files(): { readonly [path: string]: string };
  /** The task flows of the room: the same list until one changes. A `FlowStore` loads them. */
  flows(): readonly TaskFlow[];
  /**
   * Calls a tool for files of the room or nodes of its flows, as the user of this connection: `write_file`, `edit_file`,
   * `delete_file`, `updateNode`.
   */
  callTool(name: string, args: object): Promise<DecisionResult>;
  /**
   * Calls the listener when `status`, `problem`, `proposals()`, `files()` or `flows()` changes. Returns a function that ends the
   * subscription.
   */
  subscribe(listener: () => void): () => void;
  /** Closes the socket for good. Pending calls stay in the store; the next connection sends them. */
  close(): void;
  [Symbol.dispose](): void;
}
