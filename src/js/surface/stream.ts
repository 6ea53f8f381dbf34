/// <reference lib="esnext.disposable" preserve="true" />
/** `SurfaceStream`: reads messages of GULF and A2UI, and resolves them to trees of nodes. */

import { disposed, misuse } from "../core/errors.js";
import { toText } from "../core/json.js";
import { isObject } from "../core/kinds.js";
import { Listeners } from "../core/listeners.js";
import { bindMethods } from "../core/methods.js";
import { Pieces } from "../core/pieces.js";
import { FUNCTION, OBJECT, requireKind, requireOptions, requireText, TEXT } from "../core/require.js";
import type { DeepReadonly, Json } from "../types.js";
import { actionOf } from "./action.js";
import { FunctionCalls } from "./calls.js";
import { type DataChange, unfold } from "./data.js";
import { type FrameHandler, Framer } from "./frame.js";
import type { CallRequest, Message } from "./messages.js";
import { segmentsOf } from "./paths.js";
import { PROTOCOLS } from "./protocols.js";
import { excerpt, orRefusal, overLimit, type Problem, Refusal } from "./refusal.js";
import { readSettings, type Settings } from "./settings.js";
import { readJson } from "./text.js";
import { type InitialValue, SurfaceTree, type TreeMemory } from "./tree.js";
import type {
  CallAgentOptions,
  ClientEvent,
  FunctionAction,
  FunctionOutcome,
  RendererResponse,
  SurfaceAgentCall,
  SurfaceComponent,
  SurfaceEdit,
  SurfaceEvent,
  SurfaceInfo,
  SurfaceNode,
  SurfaceStreamOptions,
} from "./types.js";

/**
 * After this many steps of building trees (see {@link SurfaceTree.takeWork}) in one call of `push`, trees are updated only once,
 * at the end of the call: otherwise many messages in one piece would each build a large tree.
 */
const EAGER_STEPS = 100_000;

/**
 * Reads a stream of surface messages: GULF 1.0, A2UI v0.8, v0.9 and 1.0, as JSON Lines, server-sent events, or one document
 * with a list of messages. The keys of a message tell its protocol.
 *
 * ```ts
 * const surfaces = new SurfaceStream();
 * await body.pipeTo(new WritableStream({ write: (chunk) => void surfaces.push(chunk) }));
 * surfaces.end();
 * surfaces.tree("main"); // { id: "root", type: "Column", children: […], … }
 * ```
 *
 * Input from the server never throws: a bad line becomes a diagnostic, and the other lines are read. Misuse by the page
 * throws a {@link GenuiPatchError}.
 */
export class SurfaceStream {
  readonly #framer: Framer;
  readonly #pieces = new Pieces("SurfaceStream");
  readonly #surfaces = new Map<string, SurfaceTree>();
  readonly #listeners = new Listeners<SurfaceEvent>();
  readonly #settings: Settings;
  /** The ids of the surfaces deleted last, at most `limits.maxSurfaces`: a message for them has an error of its own. */
  readonly #deleted = new Set<string>();
  /** Provisional components (those of a message that has not ended) have changed, and the trees have not been updated since. */
  #isOutdated = false;
  /** Shared by the trees of all surfaces, which count their memory in it. */
  readonly #memory: TreeMemory = { bytes: 0, releases: 0 };
  #ended = false;
  #disposed = false;
  /** The events of the call that is running. */
  #events: SurfaceEvent[] = [];
  /**
   * Events that {@link action} has caused, which cannot return them: listeners get them at once, and the next call returns them.
   */
  readonly #unreturned: SurfaceEvent[] = [];
  /** The steps of building trees in the call that is running: see {@link EAGER_STEPS}. */
  #steps = 0;
  /** The surfaces whose trees are updated at the end of the call. */
  readonly #deferred = new Set<SurfaceTree>();
  /** Function calls of A2UI 1.0 that wait for an answer. */
  readonly #calls: FunctionCalls;

  /** @throws GenuiPatchError `INVALID_ARGUMENT` for options that are not understood. */
  constructor(options: SurfaceStreamOptions = {}) {
    this.#settings = readSettings(options);
    this.#calls = new FunctionCalls(this.#settings.limits.maxPending);
    this.#framer = new Framer(this.#settings.limits, options.partial ?? false, this.#handler);
    bindMethods(this);
  }

  /**
   * Reads the next piece of the stream, a string or UTF-8 cut at any place. Returns the events.
   * @throws GenuiPatchError `INVALID_ARGUMENT` for another kind of piece, or after the end.
   */
  push(chunk: string | Uint8Array): SurfaceEvent[] {
    if (this.#ended) throw misuse("SurfaceStream: push came after end; make a new stream.");
    this.#check();
    const text = this.#pieces.decode(chunk);
    if (text === "") return [];
    this.#framer.push(text);
    return this.#finishCall();
  }

  /**
   * Ends the stream: reads its last line, which may lack its line break. Roots and components that have not arrived become
   * diagnostics.
   */
  end(): SurfaceEvent[] {
    if (this.#ended) return [];
    this.#check();
    this.#framer.push(this.#pieces.flush());
    this.#ended = true;
    this.#framer.end();
    this.#updateAll();
    // Missing components are those of the final trees.
    this.#updateDeferred();
    for (const surface of this.#surfaces.values()) this.#reportMissing(surface);
    this.#calls.cancel("The stream has ended before the agent has answered.");
    return this.#finishCall();
  }

  /** The ids of the surfaces, in the order in which they arrived. GULF's is `main`. */
  ids(): string[] {
    this.#check();
    return [...this.#surfaces.keys()];
  }

  /**
   * The tree of a surface; `undefined` before its rendering begins, or for an unknown surface. The same object until something in
   * it changes.
   */
  tree(id: string): SurfaceNode | undefined {
    return this.#find("tree", id)?.root;
  }

  /**
   * The data of a surface, frozen; `undefined` for an unknown surface. Unchanged parts are the same objects as in the state
   * before.
   */
  dataModel(id: string): DeepReadonly<Json> | undefined {
    return this.#find("dataModel", id)?.model.snapshot();
  }

  /** The components of a surface by id, as they were sent; `undefined` for an unknown surface. */
  components(id: string): Readonly<Record<string, SurfaceComponent>> | undefined {
    return this.#find("components", id)?.components.all;
  }

  /** The protocol of a surface, whether it is rendered, its styles or theme; `undefined` for an unknown surface. */
  info(id: string): SurfaceInfo | undefined {
    return this.#find("info", id)?.info;
  }

  /**
   * Changes data for the user: an input that is bound to a place writes there. Missing objects and lists are created. In
   * A2UI the value stays on top of what the agent sends later (see {@link pending}), and a scalar in the way is an error, as in
   * messages; in GULF the scalar is overwritten.
   * @throws GenuiPatchError `INVALID_ARGUMENT` for an unknown surface, an invalid path, or a value that JSON cannot carry.
   */
  setData(id: string, path: string, value: Json): SurfaceEvent[] {
    requireText("setData", "path", path);
    const surface = this.#need("setData", id);
    const segments = segmentsOf(path, surface.protocol);
    if (segments === undefined) throw misuse(`setData: "${path}" is no path.`, { path });
    // The value goes through JSON inside a list, which adds a level, and in which `undefined` becomes null. With too many levels
    // `readJson` returns a symbol.
    const list = readJson(toText([value], "data"), this.#settings.limits.maxDepth + 1);
    if (Array.isArray(list)) this.#set(surface, () => surface.edit(segments, list[0] ?? null));
    else this.#diagnose(surface.id, overLimit("levels of data", this.#settings.limits.maxDepth));
    this.#update(surface);
    return this.#finishCall();
  }

  /**
   * What users have typed (by {@link setData}) and the agent has not confirmed, in order; the same frozen list until it changes.
   * The list is empty for an unknown surface. In A2UI these values stay on top of whatever the agent sends, until it sends the
   * same value or deletes the surface. An edit of a list item that the agent has removed waits in the list and is not shown.
   */
  pending(id: string): readonly SurfaceEdit[] {
    return this.#find("pending", id)?.edits.list ?? [];
  }

  /**
   * Returns the event that a node's action sends to the server, with its context resolved now, or an instruction to the
   * page. Nothing is sent. If templates of two lists render the same component, nodes may have the same id: pass the node itself;
   * the id alone means the last one in the tree.
   * @throws GenuiPatchError `INVALID_ARGUMENT` for an unknown surface or node, or a node without an action.
   */
  action(id: string, of: string | Pick<SurfaceNode, "id" | "dataPath">): ClientEvent | FunctionAction {
    const { id: nodeId, dataPath } = isObject(of) ? of : { id: of };
    requireText("action", "node's id", nodeId);
    const { node, scope } = this.#need("action", id).find(nodeId, dataPath) ?? {};
    const event = node && scope && actionOf(id, node, scope);
    // Resolving the action may have caused diagnostics.
    for (const diagnostic of this.#notify()) this.#unreturned.push(diagnostic);
    if (event) return event;
    const message = node ? `The node "${nodeId}" has no action.` : `There is no node "${nodeId}".`;
    throw misuse(`action: ${message}`);
  }

  /**
   * The answer to a call of the agent (an event of type `call`), to be sent to it. Nothing is sent. Answer every call, also if
   * its function returns nothing.
   * @throws GenuiPatchError `INVALID_ARGUMENT` for a call that did not come or was answered, or a value that JSON cannot carry.
   */
  respond(callId: string, outcome: FunctionOutcome): RendererResponse {
    this.#check();
    requireText("respond", "call's id", callId);
    return this.#calls.respond(callId, outcome);
  }

  /**
   * Calls a function of the agent from a surface of A2UI 1.0: returns the message to be sent, and a promise of the result, which
   * the agent's `agentFunctionResponse` settles. Nothing is sent.
   * @throws GenuiPatchError `INVALID_ARGUMENT` for an unknown surface, one of another version, or arguments that JSON cannot
   * carry; `LIMIT_EXCEEDED` if more than `limits.maxPending` calls wait.
   */
  callAgent(
    id: string,
    call: string,
    args: { [name: string]: Json } = {},
    options: CallAgentOptions = {},
  ): SurfaceAgentCall {
    const { protocol, info } = this.#need("callAgent", id);
    requireText("callAgent", "function's name", call);
    requireKind("callAgent", "arguments", args, OBJECT);
    requireOptions("callAgent", options, { catalogId: TEXT });
    if (!PROTOCOLS[protocol].hasDirectives) throw misuse(`callAgent: ${protocol} has no functions of the agent.`);
    const copy = readJson(toText(args, "arguments"), this.#settings.limits.maxDepth);
    if (!isObject<Json>(copy)) throw misuse("callAgent: the arguments are nested too deep.");
    return this.#calls.send(id, call, copy, options.catalogId ?? info.catalogId);
  }

  /** The capabilities of the page for the agent, by version: the catalogs that components may choose. */
  capabilities(): { "v1.0": { supportedCatalogIds: string[] } } {
    this.#check();
    return { "v1.0": { supportedCatalogIds: this.#settings.catalogs?.ids ?? [] } };
  }

  /** Calls the listener with every event, after the call that caused it. Returns a function that unsubscribes. */
  subscribe(listener: (event: SurfaceEvent) => void): () => void {
    this.#check();
    requireKind("subscribe", "listener", listener, FUNCTION);
    return this.#listeners.subscribe(listener);
  }

  /** Frees the memory. May be called twice; all other methods throw `DISPOSED` afterwards. */
  dispose(): void {
    this.#disposed = true;
    this.#calls.dispose();
    this.#surfaces.clear();
    this.#listeners.clear();
  }

  // Set by `bindMethods`. The reference at the top of the file has the symbol's type.
  declare [Symbol.dispose]: () => void;

  #check(): void {
    if (this.#disposed) throw disposed();
  }

  /** The surface with an id; `undefined` if none exists. `method`: the caller's name, for errors. */
  #find(method: string, id: string): SurfaceTree | undefined {
    this.#check();
    requireText(method, "surface's id", id);
    return this.#surfaces.get(id);
  }

  /** The surface with an id. @throws GenuiPatchError `INVALID_ARGUMENT` if none exists */
  #need(method: string, id: string): SurfaceTree {
    const surface = this.#find(method, id);
    if (surface) return surface;
    throw misuse(`${method}: there is no surface "${id}".`);
  }

  /** Reacts to what the framer finds in the stream. */
  readonly #handler: FrameHandler = {
    message: (message) => {
      this.#message(message);
      this.#updateAll();
    },
    problem: (problem) => {
      this.#events.push({ type: "diagnostic", ...problem });
      this.#updateAll();
    },
    provisional: (surfaceId, component) => {
      const surface = this.#surfaces.get(surfaceId);
      // A2UI v0.9 and 1.0, the flat protocols, send components under the same keys. The `version` that distinguishes them may be
      // the last key of the message, so the surface's own protocol is taken.
      const isFlat = surface && PROTOCOLS[component.protocol].isFlat;
      surface?.components.defineProvisional(isFlat ? { ...component, protocol: surface.protocol } : component);
      this.#isOutdated = true;
      this.#updateAll();
    },
    dropProvisional: () => {
      for (const surface of this.#surfaces.values()) surface.components.dropProvisional();
      // The trees are updated after the message or the problem that follows, or at the end of the stream.
      this.#isOutdated = true;
    },
  };

  /** Updates the trees of all surfaces, if provisional components have changed. */
  #updateAll(): void {
    if (!this.#isOutdated) return;
    this.#isOutdated = false;
    for (const surface of this.#surfaces.values()) this.#update(surface);
  }

  /** Applies a message, and reports its warnings and why it was refused. */
  #message(message: Message): void {
    const { line, surfaceId, warnings } = message;
    const refusal = orRefusal(() => this.#apply(message));
    for (const warning of warnings) this.#diagnose(surfaceId, warning);
    const { kind } = message.request;
    // Calls belong to no surface.
    if (refusal && (kind === "call" || kind === "answer")) this.#events.push({ type: "diagnostic", ...refusal, line });
    else if (refusal) this.#diagnose(surfaceId, { ...refusal, line });
  }

  /** Receives a call of the agent, or its answer to a call of the page. @throws Refusal */
  #receiveCall(request: CallRequest): void {
    if (request.kind === "answer") {
      this.#calls.settle(request.callId, request.outcome);
      return;
    }
    const { call, catalogId } = request.call;
    const { catalogs, isUserActive } = this.#settings;
    this.#events.push(this.#calls.receive(request.call, catalogs?.refusesAgent(call, catalogId, isUserActive)));
  }

  /** Applies a message to its surface; without one, creates it. @throws Refusal for a message that cannot be applied. */
  #apply(message: Message): void {
    const { request, surfaceId } = message;
    const surface = this.#surfaces.get(surfaceId);
    // A header only names a version, which `readMessage` has checked.
    if (request.kind === "header") return;
    if (request.kind === "call" || request.kind === "answer") {
      this.#receiveCall(request);
    } else if (!surface) {
      this.#create(message);
    } else if (request.kind === "create") {
      // A message that is repeated, as after a new connection, changes nothing.
      if (request.text === surface.created) return;
      throw surfaceRefusal("SURFACE_EXISTS", surfaceId, "exists already: delete it first");
    } else if (request.kind === "delete") {
      this.#delete(surface);
    } else {
      this.#change(surface, message);
    }
  }

  /** Deletes a surface, and rejects the page's calls for it. */
  #delete(surface: SurfaceTree): void {
    const { id } = surface;
    this.#surfaces.delete(id);
    surface.dispose();
    this.#calls.cancel(`The surface "${excerpt(id, 60)}" was deleted before the agent has answered.`, id);
    this.#deleted.add(id);
    const { maxSurfaces } = this.#settings.limits;
    // A set iterates in the order of insertion: the oldest ids are dropped.
    for (const oldest of this.#deleted) if (this.#deleted.size > maxSurfaces) this.#deleted.delete(oldest);
    this.#events.push({ type: "deleted", surfaceId: id });
  }

  /** Creates a surface by its first message. @throws Refusal for a message that cannot be the first of a surface. */
  #create(message: Message): void {
    const { protocol, surfaceId: id } = message;
    const { kind } = message.request;
    const isDeleted = this.#deleted.has(id);
    // In a protocol without `createSurface`, the first message creates the surface, unless it is a `deleteSurface`. In A2UI v0.8,
    // data do not create a deleted surface again.
    const isDataOfDeleted = kind === "data" && protocol === "a2ui-0.8" && isDeleted;
    const isBeginning = !PROTOCOLS[protocol].isFlat && kind !== "delete" && !isDataOfDeleted;
    if (kind !== "create" && !isBeginning) {
      throw isDeleted
        ? surfaceRefusal("SURFACE_DELETED", id, "was deleted: create it anew")
        : surfaceRefusal("UNKNOWN_SURFACE", id, "does not exist: create it first");
    }
    const { maxSurfaces } = this.#settings.limits;
    if (this.#surfaces.size >= maxSurfaces) throw overLimit("surfaces", maxSurfaces);
    const eventsBefore = this.#events.length;
    const surface = new SurfaceTree(id, protocol, this.#settings, this.#memory, (problem) =>
      this.#diagnose(id, problem),
    );
    // The surface is added only if its message is valid. Else the events of the attempt are taken back.
    try {
      this.#change(surface, message);
    } catch (cause) {
      this.#events.length = eventsBefore;
      throw cause;
    }
    this.#surfaces.set(id, surface);
    this.#deleted.delete(id);
    // The event of a new surface comes first. `create` and `render` have made it in `#change`.
    if (kind !== "create" && kind !== "render")
      this.#events.splice(eventsBefore, 0, { type: "surface", surfaceId: id });
  }

  /** Applies a message that creates or changes a surface. Warnings are added to the message. @throws Refusal */
  #change(surface: SurfaceTree, message: Message): void {
    const { request, line, protocol, surfaceId, warnings } = message;
    switch (request.kind) {
      case "create": {
        const issue = this.#settings.catalogs?.issueFor(request.info.catalogId, protocol);
        if (issue) throw new Refusal(issue.code, issue.message, "/createSurface/catalogId");
        surface.created = request.text;
        surface.describe(request.info);
        this.#events.push({ type: "surface", surfaceId });
        if (surface.change([], request.data, protocol)) this.#events.push({ type: "data", surfaceId });
        this.#define(surface, request.components);
        break;
      }
      case "render":
        surface.describe(request.info);
        this.#events.push({ type: "surface", surfaceId });
        break;
      case "components":
        this.#define(surface, request.components);
        break;
      case "data": {
        const { path, value: sentValue } = request;
        // In A2UI v0.8, the keys of data may be paths.
        const mayHavePaths = protocol === "a2ui-0.8" && isObject(sentValue);
        const value = mayHavePaths ? unfold(sentValue, this.#settings.limits) : sentValue;
        const change = surface.change(path, value, protocol);
        if (change) this.#events.push({ type: "data", surfaceId });
        if (change?.overwritten === undefined) break;
        const text = `The ${change.overwritten} in the way of /${path.join("/")} was overwritten.`;
        warnings.push({ severity: "warning", code: "OVERWRITTEN", message: text, line });
      }
    }
    this.#update(surface);
  }

  /** Adds or replaces components: all of them, or none if they are too many. @throws Refusal */
  #define(surface: SurfaceTree, components: readonly SurfaceComponent[]): void {
    const { maxComponents } = this.#settings.limits;
    const additions = components.filter(({ id }) => surface.components.get(id) === undefined);
    if (surface.components.size + additions.length > maxComponents) throw overLimit("components", maxComponents);
    for (const component of components) surface.define(component);
  }

  /**
   * Updates the tree, now or (see {@link EAGER_STEPS}) at the end of the call. Components may bring initial values: each is
   * written where the data have no value, and the tree is updated again, which may bring more of them.
   */
  #update(surface: SurfaceTree): void {
    // The initial values that are not written yet. The next one is last: those of a new update go before the others.
    const stack: InitialValue[] = [];
    for (;;) {
      if (this.#steps > EAGER_STEPS) {
        this.#deferred.add(surface);
      } else {
        const nodes = surface.update();
        this.#steps += surface.takeWork();
        if (nodes) this.#events.push({ type: "tree", surfaceId: surface.id, nodes });
      }
      stack.push(...surface.initial.splice(0).reverse());
      const initial = stack.pop();
      if (initial === undefined) return;
      if (surface.model.read(initial.path) === undefined)
        this.#set(surface, () => surface.change(initial.path, initial.value, surface.protocol));
    }
  }

  /** Writes data. A refusal becomes a diagnostic, as for messages. */
  #set(surface: SurfaceTree, write: () => DataChange | undefined): void {
    const change = orRefusal(write);
    if (change instanceof Refusal) this.#diagnose(surface.id, change);
    else if (change) this.#events.push({ type: "data", surfaceId: surface.id });
  }

  /** Reports a problem of a surface. */
  #diagnose(surfaceId: string, problem: Problem): void {
    this.#events.push({ type: "diagnostic", ...problem, surfaceId });
  }

  /** Updates the trees that were deferred to the end of the call. */
  #updateDeferred(): void {
    // Initial values of components may defer an update once more. A surface that is deferred a third time is updated by the next
    // call.
    for (let times = 0; this.#deferred.size > 0 && times < 2; times++) {
      const deferredSurfaces = [...this.#deferred];
      this.#deferred.clear();
      for (const surface of deferredSurfaces) {
        // Each deferred surface may use all steps anew.
        this.#steps = 0;
        if (this.#surfaces.get(surface.id) === surface) this.#update(surface);
      }
    }
    this.#steps = 0;
  }

  /** Reports a root and components that have not arrived before the end of the stream. */
  #reportMissing({ id, root, components }: SurfaceTree): void {
    if (root === undefined || root.state === "pending") {
      const message = root ? `The root "${root.id}" has not arrived.` : "Rendering has not begun.";
      this.#diagnose(id, new Refusal("MISSING_ROOT", message));
    }
    for (const missingId of components.missing.slice(0, this.#settings.limits.maxIssues)) {
      // A missing root is reported above.
      if (missingId === root?.componentId) continue;
      const message = `The component "${missingId}" has not arrived.`;
      this.#diagnose(id, { severity: "warning", code: "MISSING_COMPONENT", message, path: missingId });
    }
  }

  /** Ends a call: listeners get its events, and the caller too. */
  #finishCall(): SurfaceEvent[] {
    this.#updateDeferred();
    return [...this.#unreturned.splice(0), ...this.#notify()];
  }

  /** Passes the events of the call to the listeners, and returns them. */
  #notify(): SurfaceEvent[] {
    const events = this.#events;
    this.#events = [];
    // Without the pause, events of a call that a listener makes would come between these.
    this.#listeners.pause();
    for (const event of events) this.#listeners.emit(event);
    this.#listeners.resume();
    return events;
  }
}

/** A refusal about a surface. `state`: the rest of the sentence, such as "exists already". */
const surfaceRefusal = (code: Problem["code"], id: string, state: string): Refusal =>
  new Refusal(code, `The surface "${excerpt(id, 60)}" ${state}.`);
