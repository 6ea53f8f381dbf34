/// <reference lib="esnext.disposable" preserve="true" />
/** `SurfaceStream`: messages of GULF and A2UI in, trees of nodes out. */
import { Handle, receiveJson, send } from "../bridge.js";
import { GenuiPatchError } from "../errors.js";
import { limits as defaults } from "../generated/facts.js";
import * as glue from "../generated/glue.js";
import { toText } from "../json.js";
import { Pieces } from "../pieces.js";
import { requireFunction, requireKeys, requireObject, requireText, wrong } from "../require.js";
import type { Change, DeepReadonly, Json, Limits } from "../types.js";
import { actionOf } from "./action.js";
import { Catalog } from "./catalog.js";
import { segmentsOf } from "./paths.js";
import { SurfaceTree } from "./tree.js";
import type {
  ClientEvent,
  FunctionAction,
  SurfaceComponent,
  SurfaceDiagnostic,
  SurfaceEvent,
  SurfaceFunction,
  SurfaceInfo,
  SurfaceNode,
  SurfaceProtocol,
  SurfaceStreamOptions,
} from "./types.js";

type RawComponent = [id: string, component: Omit<SurfaceComponent, "id">];
type RawInfo = Partial<Omit<SurfaceInfo, "protocol" | "rendering">>;

/** What the module tells of a line. */
type RawEvent =
  | ["surface", surfaceId: string, protocol: SurfaceProtocol, info: RawInfo]
  | ["components" | "early", surfaceId: string, components: RawComponent[]]
  | ["settled", ""]
  | ["data", surfaceId: string, changes: Change[]]
  | ["deleted", surfaceId: string, null]
  | ["diagnostic", surfaceId: string, Omit<SurfaceDiagnostic, "type" | "surfaceId">];

interface Surface {
  readonly id: string;
  readonly protocol: SurfaceProtocol;
  readonly tree: SurfaceTree;
  info: RawInfo;
  /** What has been handed out of the components; gone when one comes. */
  components: Readonly<Record<string, SurfaceComponent>> | undefined;
  shown: SurfaceInfo | undefined;
  /** Data that components bring along. */
  initial: [path: readonly string[], value: Json][];
}

const KEYS = ["catalog", "partial", "functions", "locale", "timeZone", "limits"];

/**
 * Reads a stream of surface messages: GULF 1.0, A2UI v0.8 and v0.9, as JSON Lines, server-sent events, or one document
 * with a list of messages. Which protocol a message is of is told by its keys.
 *
 * ```ts
 * const surfaces = new SurfaceStream();
 * for await (const chunk of response.body) surfaces.push(chunk);
 * surfaces.end();
 * surfaces.tree("main"); // { id: "root", type: "Column", children: [...], ... }
 * ```
 *
 * What a server sent never throws: a bad line is a diagnostic, and costs that line. Misuse by the page throws
 * {@link GenuiPatchError}.
 */
export class SurfaceStream {
  readonly #handle: Handle<glue.RawSurfaceStream>;
  readonly #pieces = new Pieces("SurfaceStream");
  readonly #surfaces = new Map<string, Surface>();
  readonly #listeners = new Set<{ listener: (event: SurfaceEvent) => void }>();
  readonly #catalog: Catalog | undefined;
  readonly #functions: Readonly<Record<string, SurfaceFunction>>;
  readonly #locale: string | undefined;
  readonly #timeZone: string | undefined;
  readonly #limits: Limits;
  /** Surfaces whose trees are not up to date. */
  readonly #dirty = new Set<Surface>();
  #ended = false;
  /** The events of the call that is running. */
  #events: SurfaceEvent[] = [];
  readonly #queue: SurfaceEvent[] = [];
  #telling = false;

  /** @throws GenuiPatchError `INVALID_ARGUMENT` for options that are not understood. */
  constructor(options: SurfaceStreamOptions = {}) {
    requireKeys("SurfaceStream", "options", options, KEYS);
    const { catalog, partial, functions = {}, locale, timeZone, limits } = options;
    if (catalog !== undefined) {
      requireObject("SurfaceStream", "catalog", catalog);
      this.#catalog = new Catalog(JSON.parse(toText(catalog, "catalog")) as object);
    }
    if (partial !== undefined && typeof partial !== "boolean")
      throw wrong("SurfaceStream", "partial", "a boolean", partial);
    requireObject("SurfaceStream", "functions", functions);
    for (const own of Object.values(functions)) requireFunction("SurfaceStream", "functions", own);
    for (const [name, value] of Object.entries({ locale, timeZone })) {
      if (value !== undefined) requireText("SurfaceStream", name, value);
    }
    try {
      new Intl.DateTimeFormat(locale, { timeZone });
    } catch (cause) {
      throw new GenuiPatchError("INVALID_ARGUMENT", `SurfaceStream: ${(cause as Error).message}.`);
    }
    this.#functions = { ...functions };
    this.#locale = locale;
    this.#timeZone = timeZone;
    this.#limits = { ...defaults, ...limits };
    const text = toText({ partial, limits }, "options");
    this.#handle = new Handle(() => new glue.RawSurfaceStream(send(text)));
  }

  /**
   * Takes the next piece, a string or UTF-8, cut anywhere, and gives what came of it.
   * @throws GenuiPatchError `INVALID_ARGUMENT` for another kind of piece, or after the end.
   */
  push(chunk: string | Uint8Array): SurfaceEvent[] {
    if (this.#ended) {
      throw new GenuiPatchError("INVALID_ARGUMENT", "SurfaceStream: push came after end; make a new stream.");
    }
    const text = this.#pieces.take(chunk);
    return text === "" ? [] : this.#push(text);
  }

  /** The stream is over. What stands in its last line counts, and what has not come is a diagnostic. */
  end(): SurfaceEvent[] {
    if (this.#ended) return [];
    const rest = this.#pieces.flush();
    const events = rest === "" ? [] : this.#push(rest);
    this.#ended = true;
    this.#take(this.#handle.call((raw) => raw.end()));
    for (const surface of this.#surfaces.values()) this.#complain(surface);
    return events.concat(this.#give());
  }

  /** The ids of the surfaces, in the order in which they came. GULF's is `main`. */
  ids(): string[] {
    this.#handle.raw;
    return [...this.#surfaces.keys()];
  }

  /** The tree of a surface; `undefined` before its rendering begins. The same object until something in it changes. */
  tree(id: string): SurfaceNode | undefined {
    return this.#find("tree", id)?.tree.root;
  }

  /** The data of a surface, frozen; what did not change is shared with the state before. */
  dataModel(id: string): DeepReadonly<Json> | undefined {
    return this.#find("dataModel", id)?.tree.model.snapshot();
  }

  /** The components of a surface by id, as they were sent. */
  components(id: string): Readonly<Record<string, SurfaceComponent>> | undefined {
    const surface = this.#find("components", id);
    if (surface && surface.components === undefined) {
      const entries = [...surface.tree.definitions].map(([id, { component }]) => [id, component] as const);
      surface.components = Object.freeze(Object.fromEntries(entries));
    }
    return surface?.components;
  }

  /** What is known of a surface: its protocol, whether it is rendered, styles or theme. */
  info(id: string): SurfaceInfo | undefined {
    const surface = this.#find("info", id);
    if (surface === undefined) return undefined;
    const rendering = surface.tree.isRendering;
    if (surface.shown?.rendering !== rendering) {
      surface.shown = Object.freeze({ protocol: surface.protocol, rendering, ...surface.info });
    }
    return surface.shown;
  }

  /**
   * Changes data as the person does: an input that is bound to a place writes there. What is missing on the way is made.
   * @throws GenuiPatchError `INVALID_ARGUMENT` for a surface or a path that is none, and for values that JSON cannot carry.
   */
  setData(id: string, path: string, value: Json): SurfaceEvent[] {
    requireText("setData", "path", path);
    const surface = this.#need("setData", id);
    const segments = segmentsOf(path, surface.protocol);
    if (segments === undefined)
      throw new GenuiPatchError("INVALID_ARGUMENT", `setData: "${path}" is no path.`, { path });
    this.#set(surface, segments, value);
    return this.#give();
  }

  /**
   * What a node's action tells the server, with its context resolved now, or an instruction to the page. Nothing is sent.
   * @throws GenuiPatchError `INVALID_ARGUMENT` for a surface or a node that is not there, or a node without an action.
   */
  action(id: string, nodeId: string): ClientEvent | FunctionAction {
    requireText("action", "node's id", nodeId);
    const { tree } = this.#need("action", id);
    const node = tree.find(nodeId);
    const scope = tree.scope(nodeId);
    const event = node && scope && actionOf(id, node, scope);
    if (event) return event;
    const message = node ? `The node "${nodeId}" has no action.` : `There is no node "${nodeId}".`;
    throw new GenuiPatchError("INVALID_ARGUMENT", `action: ${message}`);
  }

  /** Calls the listener with every event, once the call that it came of is done. Returns what ends the subscription. */
  subscribe(listener: (event: SurfaceEvent) => void): () => void {
    this.#handle.raw;
    requireFunction("subscribe", "listener", listener);
    const entry = { listener };
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  /** Gives the memory back. May be called twice; everything else then throws `DISPOSED`. */
  dispose(): void {
    this.#handle.dispose();
    this.#surfaces.clear();
    this.#listeners.clear();
  }

  /** {@link SurfaceStream.dispose} */
  declare [Symbol.dispose]: () => void;

  #find(method: string, id: string): Surface | undefined {
    this.#handle.raw;
    requireText(method, "surface's id", id);
    return this.#surfaces.get(id);
  }

  #need(method: string, id: string): Surface {
    const surface = this.#find(method, id);
    if (surface) return surface;
    throw new GenuiPatchError("INVALID_ARGUMENT", `${method}: there is no surface "${id}".`);
  }

  #push(text: string): SurfaceEvent[] {
    const raw = this.#handle.raw;
    let length: number;
    try {
      length = raw.push(send(text));
    } catch (cause) {
      throw this.#handle.failed(cause);
    }
    if (length === 0) return [];
    this.#take(length);
    return this.#give();
  }

  #take(length: number): void {
    if (length === 0) return;
    for (const event of receiveJson<RawEvent[]>(length)) {
      this.#one(event);
      // What comes in place of early components stands right behind.
      if (event[0] !== "settled") this.#update();
    }
    this.#update();
  }

  #one(event: RawEvent): void {
    if (event[0] === "settled") {
      for (const surface of this.#surfaces.values()) {
        surface.tree.settle();
        this.#dirty.add(surface);
      }
      return;
    }
    const surfaceId = event[1];
    const surface = this.#surfaces.get(surfaceId);
    switch (event[0]) {
      case "surface": {
        const own = surface ?? this.#make(surfaceId, event[2]);
        own.info = { ...own.info, ...event[3] };
        own.shown = undefined;
        own.tree.rootId = own.info.root;
        this.#events.push({ type: "surface", surfaceId });
        this.#dirty.add(own);
        break;
      }
      case "components":
      case "early":
        if (surface === undefined) return;
        for (const [id, component] of event[2]) surface.tree.define({ id, ...component }, event[0] === "early");
        surface.components = undefined;
        this.#dirty.add(surface);
        break;
      case "data":
        if (surface === undefined) return;
        surface.tree.change(event[2]);
        this.#events.push({ type: "data", surfaceId });
        this.#dirty.add(surface);
        break;
      case "deleted":
        this.#surfaces.delete(surfaceId);
        if (surface) this.#dirty.delete(surface);
        this.#events.push({ type: "deleted", surfaceId });
        break;
      case "diagnostic":
        this.#events.push({ type: "diagnostic", ...event[2], ...(surfaceId !== "" && { surfaceId }) });
        break;
    }
  }

  #make(id: string, protocol: SurfaceProtocol): Surface {
    const initial: Surface["initial"] = [];
    const tree = new SurfaceTree({
      catalog: this.#catalog,
      functions: this.#functions,
      locale: this.#locale,
      timeZone: this.#timeZone,
      limits: this.#limits,
      report: (severity, code, message, path) =>
        void this.#events.push({ type: "diagnostic", severity, code, message, path, surfaceId: id }),
      initialise: (path, value) => void initial.push([path, value]),
    });
    const surface: Surface = { id, protocol, tree, info: {}, components: undefined, shown: undefined, initial };
    this.#surfaces.set(id, surface);
    return surface;
  }

  /** Brings trees up to date. */
  #update(): void {
    for (const surface of this.#dirty) {
      this.#dirty.delete(surface);
      const nodes = surface.tree.update();
      if (nodes) this.#events.push({ type: "tree", surfaceId: surface.id, nodes });
      const { initial } = surface;
      for (const [path, value] of initial.splice(0)) {
        if (surface.tree.model.read(path) === undefined) this.#set(surface, path, value);
      }
    }
  }

  #set(surface: Surface, path: readonly string[], value: Json): void {
    const text = toText([surface.id, path, value], "data");
    this.#take(this.#handle.call((raw) => raw.set_data(send(text))));
  }

  /** What has not come by the end. */
  #complain({ id, tree }: Surface): void {
    const base = { type: "diagnostic", surfaceId: id } as const;
    if (tree.root === undefined || tree.root.state === "pending") {
      const message = tree.root ? `The root "${tree.root.id}" has not come.` : "Rendering has not begun.";
      this.#events.push({ ...base, severity: "error", code: "MISSING_ROOT", message });
    }
    for (const missing of tree.missing().slice(0, this.#limits.maxIssues)) {
      if (missing === tree.root?.componentId) continue;
      const message = `The component "${missing}" has not come.`;
      this.#events.push({ ...base, severity: "warning", code: "MISSING_COMPONENT", message, path: missing });
    }
  }

  /** Ends a call: its events are told to those who listen. */
  #give(): SurfaceEvent[] {
    const events = this.#events;
    this.#events = [];
    if (this.#listeners.size > 0) this.#tell(events);
    return events;
  }

  /** What a listener does is told after the event that it was told. */
  #tell(events: SurfaceEvent[]): void {
    this.#queue.push(...events);
    if (this.#telling) return;
    this.#telling = true;
    for (let event = this.#queue.shift(); event !== undefined; event = this.#queue.shift()) {
      for (const entry of [...this.#listeners]) {
        if (!this.#listeners.has(entry)) continue;
        try {
          entry.listener(event);
        } catch (error) {
          // The others are told all the same.
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    }
    this.#telling = false;
  }
}

if (Symbol.dispose !== undefined) SurfaceStream.prototype[Symbol.dispose] = SurfaceStream.prototype.dispose;
