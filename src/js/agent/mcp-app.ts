/** `connectMcpApp`: a page inside of an MCP host (MCP Apps), in the frame that the host opens for a tool's `ui://` resource. */
import type { PatchProposal } from "../approval/types.js";
import { GenuiPatchError, misuse } from "../core/errors.js";
import { parseJson } from "../core/json.js";
import { isObject, isText } from "../core/kinds.js";
import { ANY, FLAG, FUNCTION, requireOptions, TEXT } from "../core/require.js";
import { version } from "../generated/facts.js";
import type { Draft } from "../store/drafts.js";
import type { PatchStore } from "../store.js";
import type { Json, PatchCall, PatchOperation } from "../types.js";

/** The version of the MCP Apps specification that this file implements. */
const PROTOCOL = "2026-01-26";

/** The media type of surfaces of A2UI (a UI as a list of components), and the one that agents of A2UI before v0.9.1 write. */
const SURFACE_TYPE = /^application\/(?:a2ui\+json|json\+a2ui)\s*(?:;|$)/;

/** The window of the host: `window.parent`; tests pass a stand-in. */
export interface McpAppHost {
  postMessage(message: unknown, targetOrigin: string): void;
}

/** Options of {@link connectMcpApp}. */
export interface McpAppOptions {
  /** The name of the app, for the host. Default `"genui-patch"`. */
  name?: string | undefined;
  /** Default: `window.parent`. */
  host?: McpAppHost | undefined;
  /** Shows the arguments of a call as drafts while they still arrive. Default true. */
  drafts?: boolean | undefined;
  /** Called with the host's context at the beginning, and with what has changed of it later: theme, locale, sizes. */
  onContext?: ((context: { readonly [name: string]: unknown }) => void) | undefined;
  /**
   * Called with the messages of A2UI, as text for `SurfaceStream.push`, of each resource of the type `application/a2ui+json` in a
   * tool's result, or that the result links.
   */
  onSurface?: ((messages: string, uri: string) => void) | undefined;
  /** Called when a document could not be read, or an edit of the user could not be sent. Default: `console.error`. */
  onError?: ((error: Error) => void) | undefined;
}

/** A page in the frame of an MCP host. It is a source of proposals for `ProposalList` and `useProposals`. */
export interface McpApp {
  /** The instance of the model's last call; `undefined` before the first call. */
  readonly instance: string | undefined;
  /** Calls a tool of the server, through the host. */
  callTool(name: string, args: object): Promise<{ readonly [member: string]: unknown }>;
  /**
   * Reads a surface of A2UI from the server, through the host, for `onSurface`.
   * @throws GenuiPatchError `REJECTED` if none exists.
   */
  readSurface(uri: string): Promise<void>;
  /**
   * The proposals that wait for the user: the same list until it changes. Empty if the server does not let this client's user
   * decide.
   */
  proposals(): readonly PatchProposal[];
  /**
   * Approves a proposal: all of it, only the changes at or below some `paths`, or with the user's own values (`edits`, by path).
   * Returns the server's result.
   */
  approve(
    id: string,
    options?: { paths?: readonly string[]; edits?: { readonly [path: string]: Json } },
  ): Promise<object>;
  /** Refuses a proposal, and returns the server's result. */
  refuse(id: string, reason?: string): Promise<object>;
  /** Calls the listener when `instance` or `proposals()` changes. */
  subscribe(listener: () => void): () => void;
  /** Ends the connection; the documents stay. */
  close(): void;
}

/**
 * Connects a store with the host of the frame that the page is in. When the model calls a tool, the document of the call is
 * loaded and shown, as a draft while the call still arrives. What the user enters is sent as calls of the server's tools. The
 * server must be a room with `mcp.app`.
 *
 * ```ts
 * const app = await connectMcpApp(store);
 * app.subscribe(() => app.instance && show(app.instance));
 * ```
 * @throws GenuiPatchError `INVALID_ARGUMENT` outside of a frame; `REJECTED` if the host refuses.
 */
export async function connectMcpApp(store: PatchStore, options: McpAppOptions = {}): Promise<McpApp> {
  requireOptions("connectMcpApp", options, {
    name: TEXT,
    host: ANY,
    drafts: FLAG,
    onContext: FUNCTION,
    onSurface: FUNCTION,
    onError: FUNCTION,
  });
  const host = options.host ?? (typeof window === "object" && window.parent !== window ? window.parent : undefined);
  if (host === undefined) throw misuse("connectMcpApp: the page must be in the frame of an MCP host.");
  const app = new FrameApp(store, host, options);
  await app.begin();
  return app;
}

/** A request to the host that has no answer yet. */
interface OpenRequest {
  resolve(result: { [member: string]: unknown }): void;
  reject(cause: Error): void;
}

/** The `params` of a message, and other objects whose members are not checked yet. */
type Params = { [member: string]: unknown };

const isPatch = (value: unknown): value is PatchOperation => isObject(value) && isText(value.op);

/** The name of the instance that a call with these arguments changes or creates; `undefined` if they name none. */
function targetOf({ instance_name: name, new_instance_name: newName }: Params): string | undefined {
  const target = name === "__CREATE__" ? newName : name;
  return isText(target) && target !== "" ? target : undefined;
}

class FrameApp implements McpApp {
  instance: string | undefined;
  /** The requests without an answer, by id. */
  #requests = new Map<number, OpenRequest>();
  /** The id of the latest request: ids count from 1. */
  #lastId = 0;
  #listeners = new Set<() => void>();
  #proposals: readonly PatchProposal[] = [];
  /** The draft of the call that arrives, for the instance `target`; `added` is how many patches of the call the draft has. */
  #draft: { target: string; draft: Draft; added: number } | undefined;
  /** The tool by which the user's edits are sent: `patch_ui_state` once the server has refused this one. */
  #editTool = "edit_as_user";
  /** The end of the queue of notifications and edits, which are handled one after the other: some wait for a document. */
  #tasks: Promise<void> = Promise.resolve();
  /** The arguments of the last call that arrived completely: they name the instance where the result does not. */
  #arguments: Params = {};
  /** Ends what `begin` has started, which sets it. */
  #stop: () => void = () => {};

  constructor(
    private readonly store: PatchStore,
    private readonly host: McpAppHost,
    private readonly options: McpAppOptions,
  ) {}

  /** Starts to listen, and introduces the app to the host. */
  async begin(): Promise<void> {
    const listen = (event: MessageEvent) => {
      // Pages in other frames may send messages too, so the source must be the host. A stand-in of a test cannot be a source.
      if (event.source === this.host || this.options.host !== undefined) this.#receive(event.data);
    };
    window.addEventListener("message", listen);
    const unlisten = this.store.subscribe(() => this.#sendEdits());
    const observer = typeof ResizeObserver === "function" ? new ResizeObserver(() => this.#notifySize()) : undefined;
    this.#stop = () => {
      window.removeEventListener("message", listen);
      unlisten();
      observer?.disconnect();
      for (const { reject } of this.#requests.values()) reject(new GenuiPatchError("CLOSED", "The app is closed."));
      this.#requests.clear();
    };
    try {
      const { hostContext } = await this.#request("ui/initialize", {
        appInfo: { name: this.options.name ?? "genui-patch", version },
        appCapabilities: {},
        protocolVersion: PROTOCOL,
      });
      if (isObject(hostContext)) this.options.onContext?.(hostContext);
    } catch (cause) {
      this.#stop();
      throw cause;
    }
    this.#notify("ui/notifications/initialized", {});
    observer?.observe(document.documentElement);
  }

  close(): void {
    this.#stop();
  }

  /** Bound, since hooks take it as a function. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Notifies the listeners. */
  #emit(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** Passes an error to `onError`. */
  #report(cause: unknown): void {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    if (this.options.onError) this.options.onError(error);
    else console.error(`genui-patch: ${error.message}`);
  }

  // Messages.

  #post(message: object): void {
    // "*": the origin of the host is unknown, and any host may embed the page.
    this.host.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  #notify(method: string, params: object): void {
    this.#post({ method, params });
  }

  /** Sends a request. Rejects with `REJECTED` if the host answers with an error, with `CLOSED` if the app is closed. */
  #request(method: string, params: object): Promise<{ [member: string]: unknown }> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#requests.set(id, { resolve, reject });
      this.#post({ id, method, params });
    });
  }

  /** A message of the host: the answer to a request (without a method), a request (with an id), or a notification. */
  #receive(message: unknown): void {
    if (!isObject(message) || message.jsonrpc !== "2.0") return;
    const { id, method, params, result, error } = message;
    if (!isText(method)) {
      if (typeof id !== "number") return;
      const request = this.#requests.get(id);
      this.#requests.delete(id);
      if (isObject(error)) request?.reject(new GenuiPatchError("REJECTED", String(error.message)));
      else request?.resolve(isObject(result) ? result : {});
      return;
    }
    if (id !== undefined) {
      this.#answer(id, method);
      return;
    }
    const details = isObject(params) ? params : {};
    if (method === "ui/notifications/host-context-changed") {
      this.options.onContext?.(details);
      return;
    }
    this.#tasks = this.#tasks.then(() => this.#onNotification(method, details)).catch((cause) => this.#report(cause));
  }

  /** Answers a request of the host. -32601 is the code of JSON-RPC for an unknown method. */
  #answer(id: unknown, method: string): void {
    const isKnown = method === "ping" || method === "ui/resource-teardown";
    this.#post(
      isKnown ? { id, result: {} } : { id, error: { code: -32601, message: `There is no method ${method}.` } },
    );
    if (method === "ui/resource-teardown") this.close();
  }

  async #onNotification(method: string, params: Params): Promise<void> {
    const args = isObject(params.arguments) ? params.arguments : {};
    switch (method) {
      case "ui/notifications/tool-input-partial":
      case "ui/notifications/tool-input": {
        const isComplete = method === "ui/notifications/tool-input";
        if (isComplete) this.#arguments = args;
        return this.#showDraft(args, isComplete);
      }
      case "ui/notifications/tool-cancelled":
        this.#endDraft();
        return;
      case "ui/notifications/tool-result":
        return this.#showResult(params);
    }
  }

  /**
   * Shows a call as a draft, with the patches that have arrived so far. If the call is for an instance that exists, the document
   * is first loaded from the server. The last patch of an incomplete call may be incomplete too, so it is left out.
   */
  async #showDraft(args: Params, isComplete: boolean): Promise<void> {
    const target = targetOf(args);
    const { patches, ...call } = args;
    if (this.options.drafts === false || target === undefined || !isCall(call) || !Array.isArray(patches)) return;
    const completePatches: unknown[] = patches.slice(0, isComplete ? patches.length : -1);
    if (completePatches.length === 0 || !completePatches.every(isPatch)) return;
    if (this.#draft?.target !== target) {
      this.#endDraft();
      if (call.instance_name !== "__CREATE__") await this.#load(target);
      this.#draft = { target, draft: this.store.draft({ ...call, patches: [] }), added: 0 };
      this.#setInstance(target);
    }
    const openDraft = this.#draft;
    for (const patch of completePatches.slice(openDraft.added)) {
      openDraft.draft.add(patch);
      openDraft.added += 1;
    }
  }

  #endDraft(): void {
    this.#draft?.draft.discard();
    this.#draft = undefined;
  }

  #setInstance(target: string): void {
    if (this.instance === target) return;
    this.instance = target;
    this.#emit();
  }

  /** Replaces the draft by the document as the server now has it. Reads the proposals if the call has become one. */
  async #showResult({ structuredContent, content }: Params): Promise<void> {
    const result = isObject(structuredContent) ? structuredContent : {};
    const target = targetOf(result) ?? targetOf(this.#arguments);
    // Read before the draft is discarded, so that the page does not vanish in between.
    const document = target === undefined || result.status === "error" ? undefined : await this.#read(target);
    this.store.batch(() => {
      this.#endDraft();
      if (target !== undefined && document !== undefined) this.store.load(target, document);
    });
    if (target !== undefined && document !== undefined) this.#setInstance(target);
    if (result.status === "pending") await this.#readProposals();
    await this.#showSurfaces(content);
  }

  /** Passes the surfaces in a tool's result to `onSurface`: embedded ones, and those that the result links. */
  async #showSurfaces(content: unknown): Promise<void> {
    if (this.options.onSurface === undefined || !Array.isArray(content)) return;
    for (const part of content) {
      if (!isObject(part)) continue;
      try {
        if (part.type === "resource") this.#showSurface(part.resource);
        else if (part.type === "resource_link" && isSurface(part) && isText(part.uri)) await this.readSurface(part.uri);
      } catch (cause) {
        // An error in one surface must not hide the others.
        this.#report(cause);
      }
    }
  }

  /** Passes the surface in a resource to `onSurface`; false if the resource has none. */
  #showSurface(resource: unknown): boolean {
    if (!isObject(resource) || !isSurface(resource) || !isText(resource.text)) return false;
    // `SurfaceStream` reads a list of messages only if it is on one line. Other text has one message on each line.
    const list = parseJson(resource.text);
    const messages = list === undefined ? resource.text : JSON.stringify(list);
    this.options.onSurface?.(`${messages}\n`, isText(resource.uri) ? resource.uri : "");
    return true;
  }

  async readSurface(uri: string): Promise<void> {
    const { contents } = await this.#request("resources/read", { uri });
    const surfaces = Array.isArray(contents) ? contents.filter((each) => this.#showSurface(each)) : [];
    if (surfaces.length === 0) throw new GenuiPatchError("REJECTED", `The resource ${uri} is no surface of A2UI.`);
  }

  // The server, through the host.

  async callTool(name: string, args: object): Promise<{ readonly [member: string]: unknown }> {
    const result = await this.#request("tools/call", { name, arguments: args });
    await this.#showSurfaces(result.content);
    return isObject(result.structuredContent) ? result.structuredContent : {};
  }

  /** The server's document of an instance; `undefined` if there is none, or the host refuses to read it. */
  async #read(name: string): Promise<Json | undefined> {
    const { contents } = await this.#request("resources/read", {
      uri: `genui://instances/${encodeURIComponent(name)}`,
    }).catch((cause: unknown) => {
      if (isRejection(cause)) return { contents: [] };
      throw cause;
    });
    const [first]: unknown[] = Array.isArray(contents) ? contents : [];
    return isObject(first) && isText(first.text) ? JSON.parse(first.text) : undefined;
  }

  /** Loads the server's document into the store, if the server has one. */
  async #load(name: string): Promise<void> {
    const document = await this.#read(name);
    if (document !== undefined) this.store.load(name, document);
  }

  /** Sends what the user has entered. An edit that the server refuses, or that needs an approval, is removed from the page. */
  #sendEdits(): void {
    for (const { pendingId, call, sent, author } of this.store.pending()) {
      if (sent || author.kind !== "user") continue;
      // Marked as sent now, since every change of the store calls this method again.
      this.store.sent(pendingId);
      this.#tasks = this.#tasks
        .then(() => this.#sendEdit(pendingId, call))
        .catch((cause) => {
          if (this.#isPending(pendingId)) this.store.reject(pendingId, String(cause.message));
          this.#report(cause);
        });
    }
  }

  #isPending(id: string): boolean {
    return this.store.pending().some(({ pendingId }) => pendingId === id);
  }

  /** Sends one edit, and confirms or rejects it in the store. */
  async #sendEdit(pendingId: string, call: PatchCall): Promise<void> {
    let result: { readonly [member: string]: unknown };
    try {
      result = await this.callTool(this.#editTool, call);
    } catch (cause) {
      if (this.#editTool === "patch_ui_state" || !isRejection(cause)) throw cause;
      // A server has no `edit_as_user` for clients that it does not trust to speak for their user: it gets the edits as an
      // agent's.
      this.#editTool = "patch_ui_state";
      result = await this.callTool(this.#editTool, call);
    }
    // The page may have rejected the edit in the meantime.
    if (!this.#isPending(pendingId)) return;
    if (result.status === "success") this.store.confirm(pendingId);
    else {
      const { message = "The change waits for an approval." } = isObject(result.error) ? result.error : {};
      this.store.reject(pendingId, String(message));
      if (result.status === "pending") await this.#readProposals();
    }
  }

  // Proposals.

  proposals(): readonly PatchProposal[] {
    return this.#proposals;
  }

  /** Reads the pending proposals from the server, and notifies the listeners. */
  async #readProposals(): Promise<void> {
    const { proposals } = await this.callTool("open_proposals", {}).catch((cause: unknown) => {
      // Only a server that lets this client's user decide has the tool.
      if (isRejection(cause)) return { proposals: [] };
      throw cause;
    });
    this.#proposals = Array.isArray(proposals) ? proposals.filter(isProposal) : [];
    this.#emit();
  }

  approve(id: string, options: object = {}): Promise<object> {
    return this.#settle({ proposal: id, decision: "approve", ...options });
  }

  refuse(id: string, reason?: string): Promise<object> {
    return this.#settle({ proposal: id, decision: "refuse", ...(reason !== undefined && { reason }) });
  }

  /** Sends a decision, then reads the document that it may have changed, and the proposals that are left. */
  async #settle(args: { proposal: string; [option: string]: unknown }): Promise<object> {
    const { target } = this.#proposals.find(({ id }) => id === args.proposal) ?? {};
    const result = await this.callTool("settle_proposal", args);
    if (target !== undefined) await this.#load(target);
    await this.#readProposals();
    return result;
  }

  #notifySize(): void {
    const { width, height } = document.documentElement.getBoundingClientRect();
    this.#notify("ui/notifications/size-changed", { width: Math.ceil(width), height: Math.ceil(height) });
  }
}

/** Whether an error says that the host, or the server behind it, refused a request. */
const isRejection = (cause: unknown): boolean => cause instanceof GenuiPatchError && cause.code === "REJECTED";

const isSurface = ({ mimeType }: Params): boolean => isText(mimeType) && SURFACE_TYPE.test(mimeType);

const isCall = (value: Params): value is Params & PatchCall => isText(value.instance_name);

const isProposal = (value: unknown): value is PatchProposal =>
  isObject(value) && value.kind === "patch" && isText(value.id) && isText(value.target) && Array.isArray(value.diff);
