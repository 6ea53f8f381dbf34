/** The public types of `genui-patch/server`. */
import type { ApprovalPolicy } from "../agent/types.js";
import type { ApproveOptions } from "../approval/inputs.js";
import type { Proposal } from "../approval/types.js";
import type { FileApproval, WorkspaceOptions } from "../files/types.js";
import type { Workspace } from "../files/workspace.js";
import type { ApproveNodeOptions, FlowStoreOptions, TaskFlow } from "../flow/types.js";
import type { PatchStore } from "../store.js";
import type { Json, PatchCall, PatchStoreOptions } from "../types.js";
import type { Approval } from "./approval.js";
import type { ExportedRoom } from "./archive.js";
import type { Repaired } from "./storage/log.js";
import type { RoomStorage } from "./storage/types.js";

/**
 * The rights of a user in a room, on every transport. `viewer`: read. `editor`: read, call, approve and refuse. `agent`: read,
 * and call by MCP; calls for which the policy of the room (`RoomContents.agent`) asks for an approval become proposals, and an
 * agent never approves.
 */
export type Role = "viewer" | "editor" | "agent";

export interface User {
  id: string;
  /** For other users to read. */
  name?: string | undefined;
}

/** Who sends a request or opens a socket. */
export interface Identity {
  user: User;
  role: Role;
}

/** The files of a room. They are kept in its log, like its documents. */
export interface RoomFilesOptions extends WorkspaceOptions {
  /** The files that a new room begins with: texts by path. */
  initial?: { readonly [path: string]: string } | undefined;
}

/** The task flows of a room. They are kept in its log, like its documents. */
export interface RoomFlowOptions extends FlowStoreOptions {
  /** The flows that a new room begins with. */
  initial?: readonly TaskFlow[] | undefined;
}

/** The contents of a room. */
export interface RoomContents {
  /** Options of the room's `PatchStore`. */
  store?: PatchStoreOptions | undefined;
  /** The documents that a new room begins with, by the name of the instance. */
  documents?: { readonly [name: string]: Json } | undefined;
  /** Gives agents the tools of files: write_file, edit_file, delete_file, read_file, list_files. Absent: the room has no files. */
  files?: RoomFilesOptions | undefined;
  /** Gives agents updateNode. Absent: the room has no task flows. */
  flow?: RoomFlowOptions | undefined;
  /** Which calls of agents wait for an approval. Default: all that change a document, a file or a node. */
  agent?: { approve?: ApprovalPolicy | undefined } | undefined;
}

/** The limits of a server. Sizes are lengths of texts, in UTF-16 units. */
export interface ServerLimits {
  /** The text of all documents, files and task flows of the rooms that are loaded. Default 256 Mi. */
  maxBytes: number;
  /** A message or a request. Default 8 Mi. */
  maxMessage: number;
  /** The instances of a room, and its files. Default 1,000. */
  maxInstances: number;
  /** The open proposals of a room. Default 100. */
  maxProposals: number;
  /** Pages of a room. Default 1,000. */
  maxPages: number;
  /** Rooms that are loaded at once. Default 10,000. */
  maxRooms: number;
  /** Messages of a page or requests of a user in one second; twice as many at once. Default 200. */
  perSecond: number;
  /** Messages of a page that have arrived and wait for their turn. Default 1,000. */
  maxWaiting: number;
  /**
   * The bytes that were sent to a page and not read yet; beyond this limit the page is disconnected, and resumes. Default 16 Mi.
   */
  maxUnread: number;
  /** Milliseconds until a socket has to be authenticated, and a request has to be read. Default 5,000. */
  deadline: number;
  /** Milliseconds that the storage has for an append. Default 10,000. */
  appendDeadline: number;
  /** Milliseconds without a page or a call until a room is unloaded. Default 60,000. */
  idle: number;
  /** Milliseconds between two pings, and between messages with the last revision and hashes of documents. Default 15,000. */
  beat: number;
}

/** Options of the MCP endpoint of rooms. Which calls wait for an approval is an option of a room (`RoomContents.agent`). */
export interface McpOptions {
  /**
   * The user in whose name a client answers forms: an agent's proposal is then shown there as a form (`input_required` with an
   * elicitation, MCP 2026-07-28), and the answer approves or refuses it as that user. The server cannot see who has answered: an
   * agent that holds the credential of its client can send any answer. So return a user only for a request of a client that
   * you trust to show forms to that user and to keep its credential from the model, never by `clientInfo`, which anybody may
   * send. Default: null for all requests: proposals are `pending`, and pages settle them.
   */
  answersFor?: ((request: Request, identity: Identity) => User | null | Promise<User | null>) | undefined;
  /**
   * The page for hosts of MCP Apps: one HTML document with all its scripts and styles, which calls `connectMcpApp`. Hosts show it in
   * a frame beside calls of `patch_ui_state` and `access_instance`. `ui`: its Content-Security-Policy and the like, as MCP Apps has it
   * in `_meta.ui`.
   */
  app?: { html: string | (() => string | Promise<string>); ui?: object | undefined } | undefined;
  /**
   * The surfaces of A2UI that a room has, for clients with a renderer: resources of the type `application/a2ui+json`. The
   * function is called for each list and each read: it returns the messages from which a client builds the surface as it is at
   * that moment.
   */
  surfaces?: ((room: string, identity: Identity) => readonly McpSurface[] | Promise<readonly McpSurface[]>) | undefined;
}

/** A surface of A2UI as a resource. */
export interface McpSurface {
  /** An address of the application's own, such as `a2ui://orders/7`. */
  uri: string;
  name: string;
  description?: string | undefined;
  /** The messages in their order, each as an object or as the text that `A2uiWriter` returns. */
  messages: readonly (string | object)[];
}

/** Options of {@link createRooms}. */
export interface RoomsOptions {
  /** Where the logs of rooms are kept. */
  storage: RoomStorage;
  /**
   * Who sends a request or opens a socket; `null` for nobody (401). It is asked for each request and each socket, so a session
   * or a token is checked here. A socket without credentials may send `{ type: "authenticate", token }` first: then the request
   * has the header `authorization: Bearer …`. `incoming`: what was passed to `fetch` or `socket` beside the request; behind
   * `nodeListener`, and for sockets of Node, that is Node's request, with the session that a handler before has added.
   */
  // biome-ignore lint/suspicious/noExplicitAny: each platform has a type of its own for it.
  authorize(request: Request, incoming?: any): Identity | null | Promise<Identity | null>;
  /**
   * Whether somebody may enter a room, and what the room has; `null` if not: the answer is 404, as for a room that does not
   * exist. It is asked for each request and each socket; what it returns is used when the room is loaded. Default: everybody
   * whom `authorize` admits may enter every room.
   */
  open?: ((room: string, identity: Identity) => RoomContents | null | Promise<RoomContents | null>) | undefined;
  /** The path before the name of a room. Default `"/rooms"`. */
  path?: string | undefined;
  /**
   * Names of the server, with the port as in the header `host`; requests for other hosts are refused (403). Default: any, for
   * servers behind a proxy that checks it.
   */
  hosts?: readonly string[] | undefined;
  /** Origins of pages that may send requests, besides the origin of the server itself. */
  origins?: readonly string[] | undefined;
  /** Keys for signed approvals, at least 32 characters each: the first one signs. Without keys approvals are not signed. */
  keys?: readonly string[] | undefined;
  /** Milliseconds for which a signed approval is valid: it has a member `expires`. Default: it does not expire. */
  approvalAge?: number | undefined;
  mcp?: McpOptions | undefined;
  limits?: Partial<ServerLimits> | undefined;
  /** Called with each error on the server's side. Default: `console.error`. */
  onError?: ((error: Error, room: string) => void) | undefined;
}

/**
 * The result of a call on a room. `revision` is the number of its entry in the log. `again`: the call was executed before, and
 * not this time. Other members depend on the call.
 */
export type RoomResult =
  | { status: "success"; revision: number; again?: true; [detail: string]: unknown }
  | { status: "error"; error: RoomError; [detail: string]: unknown };

/** Why something was refused, and what to do instead. */
export interface RoomError {
  code: string;
  message: string;
  solution: string;
}

/** A proposal of a room, with who proposed it and who settled it. */
export type RoomProposal = Proposal & RoomProposalFacts;

export interface RoomProposalFacts {
  /** Who proposed it. */
  by: User;
  /** When it was proposed, in ISO 8601. */
  time: string;
  /** The number of the log's entry that proposed it: the `revision` for `verifyApproval`. */
  entry: number;
  /** Who approved or refused it, and when, in ISO 8601. Absent while it waits. */
  settled?: { user: User; time: string } | undefined;
}

/** The part of a proposal that is approved: of a document by paths, of a file by hunks or as a text, of a node by fields. */
export type RoomApproval = ApproveOptions | FileApproval | ApproveNodeOptions;

/** A room, for the application itself: nothing of it is checked against roles. */
export interface Room {
  readonly name: string;
  /** The documents. Read them here; change them by `write`, which keeps the log and the pages in step. */
  readonly store: Pick<PatchStore, "snapshot" | "confirmed" | "names" | "get" | "subscribe">;
  /** The files, to be read; `undefined` for a room without files. */
  readonly files: Pick<Workspace, "read" | "list" | "exists" | "snapshot"> | undefined;
  /** The task flows by id, to be read: copies. */
  readonly flows: { readonly [taskId: string]: Json };
  /** The number of the last entry of the log. */
  readonly revision: number;
  /** Executes a call, in the name of a user. With a `key` it is executed once, however often it is sent. */
  write(call: PatchCall, by?: { user?: User | undefined; key?: string | undefined }): Promise<RoomResult>;
  /** Calls a tool for files or nodes, such as write_file, in the name of a user. */
  callTool(name: string, args: object, by?: User): Promise<RoomResult>;
  /** Makes a proposal of a call, which waits until a user approves it. */
  propose(call: PatchCall, by?: User): Promise<RoomResult & { proposal?: RoomProposal | undefined }>;
  /** The proposals that wait, and the last that were settled. */
  proposals(): readonly RoomProposal[];
  approve(id: string, options?: RoomApproval, by?: User): Promise<RoomResult>;
  refuse(id: string, reason?: string, by?: User): Promise<RoomResult>;
  /**
   * The signed decision on a proposal; `undefined` if it waits, is old or unknown, or the server has no {@link
   * RoomsOptions.keys}.
   */
  approval(id: string): Promise<Approval | undefined>;
  /** Sends a message to the pages of the room. It is not kept: `connect` hands it to `onMessage`. */
  broadcast(message: { readonly type: string; readonly [key: string]: Json }): void;
  /** Disconnects the pages, and unloads the room. */
  close(): Promise<void>;
}

/** A page's socket: that of `ws`, Deno, Bun, a Durable Object, or an object that stands in for one. */
export interface ServerSocket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  /** The length of what was sent and has not left yet, for `maxUnread`. Absent: taken as 0. */
  readonly bufferedAmount?: number | undefined;
  /** Sockets of `ws` are pinged, and those that do not answer are ended. Other platforms ping by themselves. */
  ping?(): void;
  terminate?(): void;
  // biome-ignore lint/suspicious/noExplicitAny: the sockets of platforms have different listeners.
  on?(type: string, listener: (...args: any[]) => void): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: the sockets of platforms have different event types.
  addEventListener?(type: string, listener: (event: any) => void): void;
}

/** For platforms whose sockets have no events, such as Bun: call these from the platform's own handlers. */
export interface SocketHandlers {
  message(data: unknown): void;
  close(): void;
}

/** A request of Node, which `rooms.socket` takes as well as a `Request`. */
export interface NodeRequest {
  url?: string | undefined;
  headers: { readonly [name: string]: string | readonly string[] | undefined };
}

export interface Health {
  /** Whether no room is failing. */
  ok: boolean;
  /** The rooms that cannot be opened or written, each with the reason. */
  failing: { readonly [room: string]: string };
}

export interface Rooms {
  /** Answers requests below the path of rooms, and `/health` beside it; others get 404. `incoming` is passed on to `authorize`. */
  fetch(request: Request, incoming?: unknown): Promise<Response>;
  /** Whether `fetch` is responsible for an address, such as `/rooms/lobby/mcp`: an absolute path, with or without a query. */
  serves(address: string): boolean;
  /** Takes a page's socket. The request is that of its handshake; it is passed on to `authorize` if it is Node's. */
  socket(socket: ServerSocket, request: Request | NodeRequest): SocketHandlers;
  /** A room, loaded if need be, for the application itself. */
  room(name: string): Promise<Room>;
  /** Cuts the log of a room back to the last entry that is sound, and returns what is lost. The room must not be in use. */
  repair(name: string): Promise<Repaired>;
  /** A room as JSON: for a backup while the server runs, or to move it to another server or storage. */
  export(name: string): Promise<ExportedRoom>;
  /**
   * Creates a room from what `export` has returned.
   * @throws GenuiPatchError `INVALID_ARGUMENT` if there is a room of this name, or the value was changed since.
   */
  import(name: string, exported: unknown): Promise<Room>;
  /** Deletes a room: its documents and its log. */
  remove(name: string): Promise<void>;
  /** Closes the sockets and streams of a user on this server, when their session ends or their role changes. Returns how many. */
  disconnect(userId: string): number;
  health(): Promise<Health>;
  /** Counters, in Prometheus's text format. */
  metrics(): string;
  /** Disconnects all pages, and closes the storage. */
  close(): Promise<void>;
}
