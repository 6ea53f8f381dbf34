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

/** The revision of MCP Apps that this file implements. */
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
  /** The instance that the last call of the model was about. */
  readonly instance: string | undefined;
  /** Calls a tool of the server, through the host. */
  callTool(name: string, args: object): Promise<{ readonly [member: string]: unknown }>;
  /**
   * Reads a surface of A2UI from the server, through the host, for `onSurface`.
   * @throws GenuiPatchError `REJECTED` if none exists.
   */
  readSurface(uri: string): Promise<void>;
  /** The proposals that wait, where the server lets this client's user decide: the same list until it changes. */
  proposals(): readonly PatchProposal[];
  approve(
    id: string,
    options?: { paths?: readonly string[]; edits?: { readonly [path: string]: Json } },
  ): Promise<object>;
  refuse(id: string, reason?: string): Promise<object>;
  /** Calls the listener when `instance` or `proposals()` changes. */
  subscribe(listener: () => void): () => void;
  /** Ends the connection; the documents stay. */
  close(): void;
}

/**
 * Connects a store with the host of the frame that the page is in: the document of a tool's call is loaded and shown, as a draft
 * while the call still arrives, and what the user enters is sent as calls of the server's tools. The server is a room with
 * `mcp.app`.
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
interface Waiting {
  resolve(result: { [member: string]: unknown }): void;
  reject(cause: Error): void;
}

/** The `params` of a message, and other objects whose members are not checked yet. */
type Params = { [member: string]: unknown };

const isPatch = (value: unknown): value is PatchOperation => isObject(value) && isText(value.op);

/** The instance that the arguments of a call name, also one that it creates; `undefined` if they name none. */
function targetOf({ instance_name: name, new_instance_name: newName }: Params): string | undefined {
  const target = name === "__CREATE__" ? newName : name;
  return isText(target) && target !== "" ? target : undefined;
}

class FrameApp implements McpApp {
  instance: string | undefined;
  /** By the id of the request. */
  #waiting = new Map<number, Waiting>();
  /** The number of requests so far, which is the id of the latest. */
  #requests = 0;
  #listeners = new Set<() => void>();
  #proposals: readonly PatchProposal[] = [];
  /** The draft of the call that arrives, for the instance `target`; `added` is how many of its patches the draft has. */
  #draft: { target: string; draft: Draft; added: number } | undefined;
  /** The tool by which the user's edits are sent: `patch_ui_state` once the server has refused this one. */
  #editTool = "edit_as_user";
  /** The end of the queue of notifications and edits, which are handled one after the other: some wait for a document. */
  #tasks: Promise<void> = Promise.resolve();
  /** The arguments of the last call that arrived completely: they name the instance where the result does not. */
  #arguments: Params = {};
  /** Ends what `begin` has started. */
  #stop: () => void = () => {};

  constructor(
    private readonly store: PatchStore,
    private readonly host: McpAppHost,
    private readonly options: McpAppOptions,
  ) {}

  /** Starts to listen, and introduces the app to the host. */
  async begin(): Promise<void> {
    const listen = (event: MessageEvent) => {
      // Only the host: pages of other frames may send messages too. A stand-in for the host is no source of an event.
      if (event.source === this.host || this.options.host !== undefined) this.#receive(event.data);
    };
    window.addEventListener("message", listen);
    const unlisten = this.store.subscribe(() => this.#sendEdits());
    const observer = typeof ResizeObserver === "function" ? new ResizeObserver(() => this.#notifySize()) : undefined;
    this.#stop = () => {
      window.removeEventListener("message", listen);
      unlisten();
      observer?.disconnect();
      for (const { reject } of this.#waiting.values()) reject(new GenuiPatchError("CLOSED", "The app is closed."));
      this.#waiting.clear();
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

  #changed(): void {
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
    this.#requests += 1;
    const id = this.#requests;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#post({ id, method, params });
    });
  }

  /** A message of the host: the answer to a request (without a method), a request (with an id), or a notification. */
  #receive(message: unknown): void {
    if (!isObject(message) || message.jsonrpc !== "2.0") return;
    const { id, method, params, result, error } = message;
    if (!isText(method)) {
      const waiting = typeof id === "number" ? this.#waiting.get(id) : undefined;
      if (waiting === undefined || typeof id !== "number") return;
      this.#waiting.delete(id);
      if (isObject(error)) waiting.reject(new GenuiPatchError("REJECTED", String(error.message)));
      else waiting.resolve(isObject(result) ? result : {});
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
        return this.#show(args, false);
      case "ui/notifications/tool-input":
        this.#arguments = args;
        return this.#show(args, true);
      case "ui/notifications/tool-cancelled":
        this.#endDraft();
        return;
      case "ui/notifications/tool-result":
        return this.#showResult(params);
    }
  }

  /**
   * Shows a call whose arguments have arrived up to here, as a draft of its instance. Before a call of an instance that exists,
   * the document is loaded from the server. While the call is incomplete, so may be its last patch, which therefore waits.
   */
  async #show(args: Params, isComplete: boolean): Promise<void> {
    const target = targetOf(args);
    const { patches } = args;
    if (this.options.drafts === false || target === undefined || !Array.isArray(patches)) return;
    const ready = patches.slice(0, isComplete ? patches.length : -1);
    if (ready.length === 0 || !ready.every(isPatch)) return;
    if (this.#draft?.target !== target) {
      this.#endDraft();
      if (args.instance_name !== "__CREATE__") await this.#load(target);
      const { patches: _, ...call } = args;
      const withName = isCall(call) ? call : { instance_name: target };
      this.#draft = { target, draft: this.store.draft({ ...withName, patches: [] }), added: 0 };
      this.#setInstance(target);
    }
    const open = this.#draft;
    for (; open.added < ready.length; open.added++) {
      const patch = ready[open.added];
      if (isPatch(patch)) open.draft.add(patch);
    }
  }

  #endDraft(): void {
    this.#draft?.draft.discard();
    this.#draft = undefined;
  }

  #setInstance(target: string): void {
    if (this.instance === target) return;
    this.instance = target;
    this.#changed();
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

  /** Hands over the surfaces in a tool's result: embedded ones, and those that it links. */
  async #showSurfaces(content: unknown): Promise<void> {
    if (this.options.onSurface === undefined || !Array.isArray(content)) return;
    for (const part of content) {
      if (!isObject(part)) continue;
      try {
        if (part.type === "resource") this.#showSurface(part.resource);
        else if (part.type === "resource_link" && isSurface(part) && isText(part.uri)) await this.readSurface(part.uri);
      } catch (cause) {
        // The other surfaces of the result are shown.
        this.#report(cause);
      }
    }
  }

  /** Hands over the surface in a resource; false if it has none. */
  #showSurface(resource: unknown): boolean {
    if (!isObject(resource) || !isSurface(resource) || !isText(resource.text)) return false;
    // Between other messages, a stream of surfaces reads a list of messages only if it is on one line.
    const list = parseJson(resource.text);
    const line = list === undefined ? resource.text : JSON.stringify(list);
    this.options.onSurface?.(`${line}\n`, isText(resource.uri) ? resource.uri : "");
    return true;
  }

  async readSurface(uri: string): Promise<void> {
    const { contents } = await this.#request("resources/read", { uri });
    const shown = Array.isArray(contents) ? contents.filter((each) => this.#showSurface(each)) : [];
    if (shown.length === 0) throw new GenuiPatchError("REJECTED", `The resource ${uri} is no surface of A2UI.`);
  }

  // The server, through the host.

  async callTool(name: string, args: object): Promise<{ readonly [member: string]: unknown }> {
    const result = await this.#request("tools/call", { name, arguments: args });
    await this.#showSurfaces(result.content);
    return isObject(result.structuredContent) ? result.structuredContent : {};
  }

  /** The document as the server has it; `undefined` if it has none. */
  async #read(name: string): Promise<Json | undefined> {
    const { contents } = await this.#request("resources/read", {
      uri: `genui://instances/${encodeURIComponent(name)}`,
    }).catch((cause: unknown) => {
      if (cause instanceof GenuiPatchError && cause.code === "REJECTED") return { contents: [] };
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
      // Marked now, since every change of the store calls this method again.
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
      const isUnknown = cause instanceof GenuiPatchError && cause.code === "REJECTED";
      if (this.#editTool === "patch_ui_state" || !isUnknown) throw cause;
      // The server has no `edit_as_user` for clients that it does not trust to speak for their user: edits are sent as an
      // agent's.
      this.#editTool = "patch_ui_state";
      result = await this.callTool(this.#editTool, call);
    }
    // Meanwhile the page may have rejected it.
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

  /** Reads the pending proposals from the server. */
  async #readProposals(): Promise<void> {
    const { proposals } = await this.callTool("open_proposals", {}).catch((cause: unknown) => {
      // Only a server that lets this client's user decide has the tool.
      if (cause instanceof GenuiPatchError && cause.code === "REJECTED") return { proposals: [] };
      throw cause;
    });
    this.#proposals = Array.isArray(proposals) ? proposals.filter(isProposal) : [];
    this.#changed();
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

const isSurface = ({ mimeType }: Params): boolean => isText(mimeType) && SURFACE_TYPE.test(mimeType);

const isCall = (value: Params): value is Params & PatchCall => isText(value.instance_name);

const isProposal = (value: unknown): value is PatchProposal =>
  isObject(value) && value.kind === "patch" && isText(value.id) && isText(value.target) && Array.isArray(value.diff);
