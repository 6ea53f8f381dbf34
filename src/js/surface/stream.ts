/// <reference lib="esnext.disposable" preserve="true" />
/** `SurfaceStream`: messages of GULF and A2UI in, trees of nodes out. */

import { disposed, misuse } from "../core/errors.js";
import { toText } from "../core/json.js";
import { isObject } from "../core/kinds.js";
import { Listeners } from "../core/listeners.js";
import { bindMethods } from "../core/methods.js";
import { Pieces } from "../core/pieces.js";
import { FUNCTION, requireKind, requireText } from "../core/require.js";
import type { DeepReadonly, Json } from "../types.js";
import { actionOf } from "./action.js";
import { unfold } from "./data.js";
import { type FrameHandler, Framer } from "./frame.js";
import type { Message } from "./messages.js";
import { type Segments, segmentsOf } from "./paths.js";
import { orRefusal, over, type Problem, Refusal, shown } from "./refusal.js";
import { readSettings, type Settings } from "./settings.js";
import { readJson } from "./text.js";
import { SurfaceTree } from "./tree.js";
import type {
  ClientEvent,
  FunctionAction,
  SurfaceComponent,
  SurfaceEvent,
  SurfaceInfo,
  SurfaceNode,
  SurfaceStreamOptions,
} from "./types.js";

/** Steps of one call that make events of their own. What more its messages ask for is done once, when it ends. */
const EAGER = 100_000;

/**
 * Reads a stream of surface messages: GULF 1.0, A2UI v0.8 and v0.9, as JSON Lines, server-sent events, or one document
 * with a list of messages. Which protocol a message is of is told by its keys.
 *
 * ```ts
 * const surfaces = new SurfaceStream();
 * await body.pipeTo(new WritableStream({ write: (chunk) => void surfaces.push(chunk) }));
 * surfaces.end();
 * surfaces.tree("main"); // { id: "root", type: "Column", children: […], … }
 * ```
 *
 * What a server sent never throws: a bad line is a diagnostic, and costs that line. Misuse by the page throws
 * {@link GenuiPatchError}.
 */
export class SurfaceStream {
  readonly #framer: Framer;
  readonly #pieces = new Pieces("SurfaceStream");
  readonly #surfaces = new Map<string, SurfaceTree>();
  readonly #listeners = new Listeners<SurfaceEvent>();
  readonly #settings: Settings;
  /** The last ones that were deleted. */
  readonly #deleted = new Set<string>();
  /** Components that are early have come, or are gone, and what takes their place stands right behind. */
  #isOutdated = false;
  readonly #memory = { bytes: 0, freed: 0 };
  #ended = false;
  #disposed = false;
  /** The events of the call that is running. */
  #events: SurfaceEvent[] = [];
  /** Those of actions, which give something else: they have been told, and are given with the next ones. */
  readonly #kept: SurfaceEvent[] = [];
  /** The steps of the call that is running, and the surfaces that wait for its end. */
  #steps = 0;
  readonly #late = new Set<SurfaceTree>();

  /** @throws GenuiPatchError `INVALID_ARGUMENT` for options that are not understood. */
  constructor(options: SurfaceStreamOptions = {}) {
    this.#settings = readSettings(options);
    this.#framer = new Framer(this.#settings.limits, options.partial ?? false, this.#handler);
    bindMethods(this);
  }

  /**
   * Takes the next piece, a string or UTF-8, cut anywhere, and gives what came of it.
   * @throws GenuiPatchError `INVALID_ARGUMENT` for another kind of piece, or after the end.
   */
  push(chunk: string | Uint8Array): SurfaceEvent[] {
    if (this.#ended) throw misuse("SurfaceStream: push came after end; make a new stream.");
    this.#check();
    const text = this.#pieces.take(chunk);
    if (text === "") return [];
    this.#framer.push(text);
    return this.#give();
  }

  /** The stream is over. What stands in its last line counts, and what has not come is a diagnostic. */
  end(): SurfaceEvent[] {
    if (this.#ended) return [];
    this.#check();
    this.#framer.push(this.#pieces.flush());
    this.#ended = true;
    this.#framer.end();
    this.#updateAll();
    this.#hurry();
    for (const surface of this.#surfaces.values()) this.#complain(surface);
    return this.#give();
  }

  /** The ids of the surfaces, in the order in which they came. GULF's is `main`. */
  ids(): string[] {
    this.#check();
    return [...this.#surfaces.keys()];
  }

  /** The tree of a surface; `undefined` before its rendering begins. The same object until something in it changes. */
  tree(id: string): SurfaceNode | undefined {
    return this.#find("tree", id)?.root;
  }

  /** The data of a surface, frozen; what did not change is shared with the state before. */
  dataModel(id: string): DeepReadonly<Json> | undefined {
    return this.#find("dataModel", id)?.model.snapshot();
  }

  /** The components of a surface by id, as they were sent. */
  components(id: string): Readonly<Record<string, SurfaceComponent>> | undefined {
    return this.#find("components", id)?.components;
  }

  /** What is known of a surface: its protocol, whether it is rendered, styles or theme. */
  info(id: string): SurfaceInfo | undefined {
    return this.#find("info", id)?.info;
  }

  /**
   * Changes data as the person does: an input that is bound to a place writes there. What is missing on the way is made.
   * @throws GenuiPatchError `INVALID_ARGUMENT` for a surface or a path that is none, and for values that JSON cannot carry.
   */
  setData(id: string, path: string, value: Json): SurfaceEvent[] {
    requireText("setData", "path", path);
    const surface = this.#need("setData", id);
    const segments = segmentsOf(path, surface.protocol);
    if (segments === undefined) throw misuse(`setData: "${path}" is no path.`, { path });
    // In a list, where nothing at all is null.
    const read = readJson(toText([value], "data"), this.#settings.limits.maxDepth + 1);
    if (Array.isArray(read)) this.#set(surface, segments, read[0] as Json);
    else this.#diagnose(surface.id, over("levels of data", this.#settings.limits.maxDepth));
    this.#update(surface);
    return this.#give();
  }

  /**
   * What a node's action tells the server, with its context resolved now, or an instruction to the page. Nothing is sent.
   * Two lists may have items of one id: the node itself says which is meant, its id alone means the last one.
   * @throws GenuiPatchError `INVALID_ARGUMENT` for a surface or a node that is not there, or a node without an action.
   */
  action(id: string, of: string | Pick<SurfaceNode, "id" | "dataPath">): ClientEvent | FunctionAction {
    const { id: nodeId, dataPath } = isObject(of) ? of : { id: of };
    requireText("action", "node's id", nodeId);
    const [node, scope] = this.#need("action", id).find(nodeId, dataPath) ?? [];
    const event = node && scope && actionOf(id, node, scope);
    for (const told of this.#tell()) this.#kept.push(told);
    if (event) return event;
    const message = node ? `The node "${nodeId}" has no action.` : `There is no node "${nodeId}".`;
    throw misuse(`action: ${message}`);
  }

  /** Calls the listener with every event, once the call that it came of is done. Returns what ends the subscription. */
  subscribe(listener: (event: SurfaceEvent) => void): () => void {
    this.#check();
    requireKind("subscribe", "listener", listener, FUNCTION);
    return this.#listeners.subscribe(listener);
  }

  /** Gives the memory back. May be called twice; everything else then throws `DISPOSED`. */
  dispose(): void {
    this.#disposed = true;
    this.#surfaces.clear();
    this.#listeners.clear();
  }

  declare [Symbol.dispose]: () => void;

  #check(): void {
    if (this.#disposed) throw disposed();
  }

  #find(method: string, id: string): SurfaceTree | undefined {
    this.#check();
    requireText(method, "surface's id", id);
    return this.#surfaces.get(id);
  }

  #need(method: string, id: string): SurfaceTree {
    const surface = this.#find(method, id);
    if (surface) return surface;
    throw misuse(`${method}: there is no surface "${id}".`);
  }

  readonly #handler: FrameHandler = {
    message: (message) => {
      this.#message(message);
      this.#updateAll();
    },
    problem: (problem) => {
      this.#events.push({ type: "diagnostic", ...problem });
      this.#updateAll();
    },
    earlyComponent: (surfaceId, component) => {
      this.#surfaces.get(surfaceId)?.define(component, true);
      this.#isOutdated = true;
      this.#updateAll();
    },
    dropEarly: () => {
      for (const surface of this.#surfaces.values()) surface.dropEarly();
      this.#isOutdated = true;
    },
  };

  #updateAll(): void {
    if (!this.#isOutdated) return;
    this.#isOutdated = false;
    for (const surface of this.#surfaces.values()) this.#update(surface);
  }

  #message(message: Message): void {
    const { line, surfaceId, warnings } = message;
    const refused = orRefusal(() => this.#apply(message));
    for (const warning of warnings) this.#diagnose(surfaceId, warning);
    if (refused) this.#diagnose(surfaceId, { ...refused, line });
  }

  /** @throws Refusal for a message that is not taken. */
  #apply(message: Message): void {
    const { kind, protocol, surfaceId: id } = message;
    const surface = this.#surfaces.get(id);
    if (kind === "header") return;
    if (surface) {
      if (kind === "create") throw refuse("SURFACE_EXISTS", id, "is there already: delete it first");
      if (kind !== "delete") {
        this.#change(surface, message);
        return;
      }
      this.#surfaces.delete(id);
      surface.dispose();
      this.#deleted.add(id);
      const most = Math.max(this.#settings.limits.maxSurfaces, 1);
      for (const old of this.#deleted) if (this.#deleted.size > most) this.#deleted.delete(old);
      this.#events.push({ type: "deleted", surfaceId: id });
      return;
    }
    const isDeleted = this.#deleted.has(id);
    // Without a message of its own a surface begins with whatever comes first.
    const begins =
      kind === "create" ||
      (kind !== "delete" && protocol !== "a2ui-0.9" && !(kind === "data" && protocol === "a2ui-0.8" && isDeleted));
    if (!begins) {
      throw isDeleted ? refuse("SURFACE_DELETED", id, "was deleted") : refuse("UNKNOWN_SURFACE", id, "is not there");
    }
    const { maxSurfaces } = this.#settings.limits;
    if (this.#surfaces.size >= maxSurfaces) throw over("surfaces", maxSurfaces);
    const before = this.#events.length;
    const own = new SurfaceTree(id, protocol, this.#settings, this.#memory, (problem) => this.#diagnose(id, problem));
    // It is there only if the message is taken.
    this.#change(own, message);
    this.#surfaces.set(id, own);
    this.#deleted.delete(id);
    if (kind !== "create" && kind !== "render") this.#events.splice(before, 0, { type: "surface", surfaceId: id });
  }

  #change(surface: SurfaceTree, message: Message): void {
    const { line, protocol, surfaceId, warnings } = message;
    switch (message.kind) {
      case "create":
      case "render":
        surface.describe(message.info);
        this.#events.push({ type: "surface", surfaceId });
        break;
      case "components": {
        const { maxComponents } = this.#settings.limits;
        const { components } = message;
        const added = components.filter(({ id }) => surface.component(id) === undefined);
        if (surface.size + added.length > maxComponents) throw over("components", maxComponents);
        for (const component of components) surface.define(component);
        break;
      }
      case "data": {
        const { path, value: sent } = message;
        const value = protocol === "a2ui-0.8" && isObject(sent) ? unfold(sent, this.#settings.limits) : sent;
        const change = surface.change(path, value, protocol);
        if (change) this.#events.push({ type: "data", surfaceId });
        if (change?.overwritten === undefined) break;
        const text = `A ${change.overwritten} stood in the way of /${path.join("/")} and gave way.`;
        warnings.push({ severity: "warning", code: "OVERWRITTEN", message: text, line });
      }
    }
    this.#update(surface);
  }

  /** Brings the tree up to date, or leaves that to the end of the call, each time that components bring data along. */
  #update(surface: SurfaceTree): void {
    const waiting: SurfaceTree["initial"] = [];
    for (;;) {
      if (this.#steps > EAGER) {
        this.#late.add(surface);
      } else {
        const nodes = surface.update();
        this.#steps += surface.takeWork();
        if (nodes) this.#events.push({ type: "tree", surfaceId: surface.id, nodes });
      }
      while (surface.initial.length > 0) waiting.push(surface.initial.pop() as (typeof waiting)[number]);
      const next = waiting.pop();
      if (next === undefined) return;
      if (surface.model.read(next[0]) === undefined) this.#set(surface, ...next);
    }
  }

  /** Changes data otherwise than by a message, under the same rules. */
  #set(surface: SurfaceTree, path: Segments, value: Json): void {
    const change = orRefusal(() => surface.change(path, value, surface.protocol));
    if (change instanceof Refusal) this.#diagnose(surface.id, change);
    else if (change) this.#events.push({ type: "data", surfaceId: surface.id });
  }

  #diagnose(surfaceId: string, problem: Problem): void {
    this.#events.push({ type: "diagnostic", ...problem, surfaceId });
  }

  /** Brings up to date what was left to the end of the call. */
  #hurry(): void {
    // Data that components bring along may leave something once more.
    for (let times = 0; this.#late.size > 0 && times < 2; times++) {
      const late = [...this.#late];
      this.#late.clear();
      for (const surface of late) {
        this.#steps = 0;
        if (this.#surfaces.get(surface.id) === surface) this.#update(surface);
      }
    }
    this.#steps = 0;
  }

  #complain({ id, root, missing: ids }: SurfaceTree): void {
    if (root === undefined || root.state === "pending") {
      const message = root ? `The root "${root.id}" has not come.` : "Rendering has not begun.";
      this.#diagnose(id, new Refusal("MISSING_ROOT", message));
    }
    for (const missing of ids.slice(0, this.#settings.limits.maxIssues)) {
      if (missing === root?.componentId) continue;
      const message = `The component "${missing}" has not come.`;
      this.#diagnose(id, { severity: "warning", code: "MISSING_COMPONENT", message, path: missing });
    }
  }

  /** Ends a call: its events are told to those who listen. */
  #give(): SurfaceEvent[] {
    this.#hurry();
    return [...this.#kept.splice(0), ...this.#tell()];
  }

  #tell(): SurfaceEvent[] {
    const events = this.#events;
    this.#events = [];
    this.#listeners.hold();
    for (const event of this.#listeners.wanted ? events : []) this.#listeners.tell(event);
    this.#listeners.release();
    return events;
  }
}

const refuse = (code: Problem["code"], id: string, is: string): Refusal =>
  new Refusal(code, `The surface "${shown(id, 60)}" ${is}.`);
