/// <reference lib="esnext.disposable" preserve="true" />
/** `SurfaceStream`: messages of GULF and A2UI in, trees of nodes out. */
import { GenuiPatchError } from "../errors.js";
import { limits as defaults } from "../generated/facts.js";
import { toText } from "../json.js";
import { deepFreeze } from "../mirror.js";
import { Pieces } from "../pieces.js";
import { requireFunction, requireKeys, requireObject, requireText, wrong } from "../require.js";
import { readValue } from "../store/text.js";
import type { DeepReadonly, Json, Limits } from "../types.js";
import { actionOf } from "./action.js";
import { Catalog } from "./catalog.js";
import { type Plan, Refusal, type Segments } from "./data.js";
import type { Info, Message, Problem, Said } from "./messages.js";
import { segmentsOf } from "./paths.js";
import { Reader } from "./reader.js";
import { SurfaceTree } from "./tree.js";
import type {
  ClientEvent,
  FunctionAction,
  SurfaceComponent,
  SurfaceEvent,
  SurfaceFunction,
  SurfaceInfo,
  SurfaceNode,
  SurfaceProtocol,
  SurfaceStreamOptions,
} from "./types.js";

interface Surface {
  readonly id: string;
  readonly protocol: SurfaceProtocol;
  readonly tree: SurfaceTree;
  info: Info;
  /** What has been handed out of the components; gone when one comes. */
  components: Readonly<Record<string, SurfaceComponent>> | undefined;
  shown: SurfaceInfo | undefined;
  /** Data that components bring along. */
  initial: [path: Segments, value: Json][];
}

const KEYS = ["catalog", "partial", "functions", "locale", "timeZone", "limits"];

/**
 * Reads a stream of surface messages: GULF 1.0, A2UI v0.8 and v0.9, as JSON Lines, server-sent events, or one document
 * with a list of messages. Which protocol a message is of is told by its keys.
 *
 * ```ts
 * const surfaces = new SurfaceStream();
 * await body.pipeTo(new WritableStream({ write: (chunk) => void surfaces.push(chunk) }));
 * surfaces.end();
 * surfaces.tree("main"); // { id: "root", type: "Column", children: [...], ... }
 * ```
 *
 * What a server sent never throws: a bad line is a diagnostic, and costs that line. Misuse by the page throws
 * {@link GenuiPatchError}.
 */
export class SurfaceStream {
  readonly #reader: Reader;
  readonly #pieces = new Pieces("SurfaceStream");
  readonly #surfaces = new Map<string, Surface>();
  readonly #listeners = new Set<{ listener: (event: SurfaceEvent) => void }>();
  readonly #catalog: Catalog | undefined;
  readonly #functions: Readonly<Record<string, SurfaceFunction>>;
  readonly #locale: string | undefined;
  readonly #timeZone: string | undefined;
  readonly #limits: Limits;
  /** The last ones that were deleted. */
  readonly #deleted: string[] = [];
  /** Components that were early are gone, and what takes their place stands right behind. */
  #settled = false;
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
    this.#reader = new Reader(text, partial ?? false, this.#limits);
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
    if (text === "") return [];
    this.#reader.push(text, this.#take);
    return this.#give();
  }

  /** The stream is over. What stands in its last line counts, and what has not come is a diagnostic. */
  end(): SurfaceEvent[] {
    if (this.#ended) return [];
    const rest = this.#pieces.flush();
    if (rest !== "") this.#reader.push(rest, this.#take);
    this.#ended = true;
    this.#reader.end(this.#take);
    this.#settle();
    for (const surface of this.#surfaces.values()) this.#complain(surface);
    return this.#give();
  }

  /** The ids of the surfaces, in the order in which they came. GULF's is `main`. */
  ids(): string[] {
    this.#reader.check();
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
      surface.components = Object.fromEntries(surface.tree.components);
      deepFreeze(surface.components as unknown as Json);
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
    // In a list, where nothing at all is null.
    const [read] = readValue(toText([value], "data")) as Json[];
    this.#set(surface, segments, read as Json);
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
    this.#reader.check();
    requireFunction("subscribe", "listener", listener);
    const entry = { listener };
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  /** Gives the memory back. May be called twice; everything else then throws `DISPOSED`. */
  dispose(): void {
    this.#reader.dispose();
    this.#surfaces.clear();
    this.#listeners.clear();
  }

  /** {@link SurfaceStream.dispose} */
  declare [Symbol.dispose]: () => void;

  #find(method: string, id: string): Surface | undefined {
    this.#reader.check();
    requireText(method, "surface's id", id);
    return this.#surfaces.get(id);
  }

  #need(method: string, id: string): Surface {
    const surface = this.#find(method, id);
    if (surface) return surface;
    throw new GenuiPatchError("INVALID_ARGUMENT", `${method}: there is no surface "${id}".`);
  }

  readonly #take = (said: Said): void => {
    switch (said[0]) {
      case "settled":
        for (const { tree } of this.#surfaces.values()) tree.settle();
        this.#settled = true;
        return;
      case "early": {
        const surface = this.#surfaces.get(said[1]);
        if (surface === undefined) break;
        surface.tree.define(said[2], true);
        surface.components = undefined;
        this.#update(surface);
        break;
      }
      case "wrong":
        this.#events.push({ type: "diagnostic", ...said[1] });
        break;
      default:
        this.#message(said);
    }
    this.#settle();
  };

  /** Brings trees up to date that had components early. */
  #settle(): void {
    if (!this.#settled) return;
    this.#settled = false;
    for (const surface of this.#surfaces.values()) this.#update(surface);
  }

  #message(message: Message): void {
    const surfaceId = message[3];
    const refused = this.#apply(message);
    const tell = (problem: Problem) => void this.#events.push({ type: "diagnostic", ...problem, surfaceId });
    if (message[5]) tell(message[5]);
    if (refused) tell({ ...refused, line: message[1] });
  }

  /** Takes a message, or tells why not. */
  #apply(message: Message): Problem | undefined {
    const [kind, , protocol, id] = message;
    const surface = this.#surfaces.get(id);
    if (kind === "header") return undefined;
    if (surface) {
      if (kind === "create") return refuse("SURFACE_EXISTS", id, "is there already: delete it first");
      if (kind === "delete") return this.#delete(id);
      return this.#change(surface, message);
    }
    const isDeleted = this.#deleted.includes(id);
    // Without a message of its own a surface begins with whatever comes first.
    const begins =
      kind === "create" ||
      (kind !== "delete" && protocol !== "a2ui-0.9" && !(kind === "data" && protocol === "a2ui-0.8" && isDeleted));
    if (!begins) {
      return isDeleted ? refuse("SURFACE_DELETED", id, "was deleted") : refuse("UNKNOWN_SURFACE", id, "is not there");
    }
    const { maxSurfaces } = this.#limits;
    if (this.#surfaces.size >= maxSurfaces) {
      return { severity: "error", code: "LIMIT_EXCEEDED", message: `More than ${maxSurfaces} surfaces.` };
    }
    const before = this.#events.length;
    const own = this.#make(id, protocol);
    this.#surfaces.set(id, own);
    if (kind !== "create" && kind !== "render") this.#events.push({ type: "surface", surfaceId: id });
    const problem = this.#change(own, message);
    if (problem?.severity !== "error") {
      if (isDeleted) this.#deleted.splice(this.#deleted.indexOf(id), 1);
      return problem;
    }
    // It is there only if the message is taken.
    this.#surfaces.delete(id);
    this.#events.length = before;
    return problem;
  }

  /** Takes a message for a surface that is there. */
  #change(surface: Surface, [kind, , protocol, surfaceId, body]: Message): Problem | undefined {
    let warning: Problem | undefined;
    switch (kind) {
      case "create":
      case "render":
        surface.info = { ...surface.info, ...body };
        surface.shown = undefined;
        surface.tree.rootId = surface.info.root;
        this.#events.push({ type: "surface", surfaceId });
        break;
      case "components": {
        const { components } = surface.tree;
        const { maxComponents } = this.#limits;
        let count = components.size;
        for (const { id } of body) if (!components.has(id)) count += 1;
        if (count > maxComponents) {
          return { severity: "error", code: "LIMIT_EXCEEDED", message: `More than ${maxComponents} components.` };
        }
        for (const component of body) surface.tree.define(component);
        surface.components = undefined;
        break;
      }
      case "data": {
        const plan = surface.tree.model.plan(body[0], body[1], protocol, this.#limits);
        if (plan instanceof Refusal) return { severity: "error", code: plan.code, message: plan.message };
        this.#write(surface, plan);
        const { overwritten } = plan;
        if (overwritten === undefined) break;
        const message = `A ${overwritten} stood in the way of /${body[0].join("/")} and gave way.`;
        warning = { severity: "warning", code: "OVERWRITTEN", message };
      }
    }
    this.#update(surface);
    return warning;
  }

  #delete(id: string): undefined {
    this.#surfaces.delete(id);
    if (this.#deleted.length >= Math.max(this.#limits.maxSurfaces, 1)) this.#deleted.shift();
    this.#deleted.push(id);
    this.#events.push({ type: "deleted", surfaceId: id });
  }

  #write(surface: Surface, { change, bytes }: Plan): void {
    if (change === undefined) return;
    surface.tree.change(change, bytes);
    this.#events.push({ type: "data", surfaceId: surface.id });
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
    return { id, protocol, tree, info: {}, components: undefined, shown: undefined, initial };
  }

  /** Brings the tree up to date. */
  #update(surface: Surface): void {
    const nodes = surface.tree.update();
    if (nodes) this.#events.push({ type: "tree", surfaceId: surface.id, nodes });
    if (surface.initial.length === 0) return;
    for (const [path, value] of surface.initial.splice(0)) {
      if (surface.tree.model.read(path) === undefined) this.#set(surface, path, value);
    }
  }

  /** Writes from outside of the stream; as in GULF, what stands in the way is replaced. */
  #set(surface: Surface, path: Segments, value: Json): void {
    const plan = surface.tree.model.plan(path, value, "gulf", this.#limits);
    if (plan instanceof Refusal) {
      const { code, message } = plan;
      this.#events.push({ type: "diagnostic", severity: "error", code, message, surfaceId: surface.id });
      return;
    }
    this.#write(surface, plan);
    this.#update(surface);
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

function refuse(code: Problem["code"], id: string, is: string): Problem {
  const message = `The surface "${[...id].slice(0, 60).join("")}" ${is}.`;
  return { severity: "error", code, message };
}

if (Symbol.dispose !== undefined) SurfaceStream.prototype[Symbol.dispose] = SurfaceStream.prototype.dispose;
