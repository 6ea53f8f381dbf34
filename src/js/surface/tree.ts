/** `SurfaceTree`: the components and the data of a surface, and the tree of nodes that is resolved from them. */
import { obtain } from "../core/kinds.js";
import { deepFreeze } from "../core/tree.js";
import type { Json } from "../types.js";
import { type Definition, define, PENDING } from "./components.js";
import { type DataChange, DataModel } from "./data.js";
import { bytesOf, ComponentInstance, childrenOf, contentOf, type Entry, isSame, type Spot } from "./instance.js";
import type { Info } from "./messages.js";
import { pointerOf, type Segments } from "./paths.js";
import { EMPTY, Readers, Topic, withItem } from "./readers.js";
import type { Problem } from "./refusal.js";
import type { Settings } from "./settings.js";
import type { SurfaceComponent, SurfaceInfo, SurfaceNode, SurfaceProtocol } from "./types.js";
import type { Scope } from "./values.js";

type Named = Pick<Spot, "componentId" | "id">;
type NodeDraft = { -readonly [Key in keyof SurfaceNode]: SurfaceNode[Key] };

/** About the memory that the trees of a stream take together, and how often some of it was given back. */
export interface TreeMemory {
  bytes: number;
  freed: number;
}

const NONE: SurfaceNode["children"] = Object.freeze([]);

export class SurfaceTree {
  readonly model: DataModel;
  /** Data that components bring along. */
  readonly initial: [path: Segments, value: Json][] = [];
  readonly #entries = new Map<string, Entry>();
  /** How many components there are, and what has been handed out of them. */
  size = 0;
  #shown: Record<string, SurfaceComponent> | undefined;
  readonly #readers: Readers<ComponentInstance>;
  /** What values are resolved in, and whose they are. */
  readonly #scope: Scope;
  #reader: ComponentInstance | undefined;
  readonly #reported = new Set<string>();
  /** Those that are new or have changed in the update that is running. */
  #touched: ComponentInstance[] = [];
  #root: ComponentInstance | undefined;
  #about: Info = {};
  #info: SurfaceInfo | undefined;
  #count = 0;
  /** The instance that is being resolved, and about the memory that all of them take. */
  #owner: ComponentInstance | undefined;
  #bytes = 0;
  /** Instances that lack something for which there was no room, and {@link TreeMemory.freed} when they were tried last. */
  readonly #starved = new Set<ComponentInstance>();
  #freed = 0;
  readonly #replaced = new Map<string, SurfaceComponent | undefined>();

  constructor(
    readonly id: string,
    readonly protocol: SurfaceProtocol,
    private readonly settings: Settings,
    private readonly memory: TreeMemory,
    private readonly report: (problem: Problem) => void,
  ) {
    this.model = new DataModel(settings.limits);
    this.#readers = new Readers(this.model);
    this.#scope = {
      ...settings,
      protocol: "gulf",
      item: [],
      model: this.model,
      steps: 0,
      read: (path, kind) => {
        if (this.#reader === undefined) return;
        this.#scope.steps += 1;
        this.#readers.read(path, kind, this.#reader);
      },
      charge: (bytes) => {
        const owner = this.#owner as ComponentInstance;
        if (!this.#hasRoom(owner, bytes)) return false;
        this.#account(owner, bytes);
        this.#scope.steps += bytes >> 8;
        return true;
      },
      report: (...problem) => this.#reader && this.#complain(this.#reader.spot, ...problem),
      initialise: (path, value) => void this.initial.push([path, value]),
    };
  }

  describe(about: Info): void {
    this.#about = { ...this.#about, ...about };
    this.#info = undefined;
  }

  get info(): SurfaceInfo {
    const rendering = this.#root !== undefined;
    if (this.#info?.rendering === rendering) return this.#info;
    this.#info = Object.freeze({ protocol: this.protocol, rendering, ...this.#about });
    return this.#info;
  }

  get root(): SurfaceNode | undefined {
    if (this.#root?.stale) this.#assemble(this.#root);
    return this.#root?.node;
  }

  /** A node, and what values of its component are resolved in once that has come. */
  find(id: string, dataPath?: unknown): [node: SurfaceNode, scope: Scope | undefined] | undefined {
    const isMeant = ({ spot, node }: ComponentInstance): boolean =>
      spot.id === id && (dataPath ?? node?.dataPath) === node?.dataPath;
    const open: ComponentInstance[] = [];
    let instance = this.#root;
    // What stands last first, and what holds others before those.
    for (; instance && !isMeant(instance); instance = open.pop()) {
      for (const child of instance.below) open.push(child);
    }
    if (!instance) return undefined;
    if (instance.stale) this.#assemble(instance);
    const protocol = instance.entry.component?.protocol;
    const report: Scope["report"] = (...problem) => this.#complain(instance.spot, ...problem);
    let taken = 0;
    const charge = (bytes: number): boolean => {
      taken += bytes;
      return this.#hasRoom(instance, taken, false);
    };
    const about = { item: instance.spot.item.path, read: undefined, charge, report, initialise() {} };
    return [instance.node as SurfaceNode, protocol && { ...this.#scope, ...about, protocol }];
  }

  component(id: string): SurfaceComponent | undefined {
    return this.#entries.get(id)?.component;
  }

  /** The components by id, as they were sent: the same object until one comes. */
  get components(): Readonly<Record<string, SurfaceComponent>> {
    if (this.#shown) return this.#shown;
    const all = [...this.#entries].flatMap(([id, { component }]) => (component ? [[id, component]] : []));
    this.#shown = Object.fromEntries(all) as Record<string, SurfaceComponent>;
    deepFreeze(this.#shown as unknown as Json);
    return this.#shown;
  }

  define(component: SurfaceComponent, early = false): void {
    const { id } = component;
    if (early && !this.#replaced.has(id)) this.#replaced.set(id, this.component(id));
    const entry = this.#put(id, component);
    if (early || this.settings.catalog === undefined) return;
    for (const { code, message, path } of this.#definition(entry)?.issues ?? []) {
      this.#complain({ componentId: id, id: `${id}${path}` }, code, message);
    }
  }

  /** Goes back to what was there before early components, if there were any. */
  dropEarly(): void {
    for (const [id, component] of this.#replaced) this.#put(id, component);
    this.#replaced.clear();
  }

  #entry(id: string): Entry {
    return obtain(this.#entries, id, () => ({ component: undefined, definition: undefined, users: new Topic() }));
  }

  #put(id: string, component: SurfaceComponent | undefined): Entry {
    const entry = this.#entry(id);
    this.size += Number(component !== undefined) - Number(entry.component !== undefined);
    this.#shown = undefined;
    entry.component = component;
    entry.definition = undefined;
    this.#readers.mark(entry.users);
    this.#drop(id, entry);
    return entry;
  }

  #definition(entry: Entry): Definition | undefined {
    if (entry.component) entry.definition ??= define(entry.component, this.settings.catalog);
    return entry.definition;
  }

  /** Forgets an id that stands for nothing and that nobody waits for. */
  #drop(id: string, { component, users }: Entry): void {
    if (component === undefined && users.isEmpty) this.#entries.delete(id);
  }

  change(...how: Parameters<DataModel["update"]>): DataChange | undefined {
    const change = this.model.update(...how);
    if (change) this.#readers.touched(change);
    return change;
  }

  /** How much has been read, made and copied since it was asked last. */
  takeWork(): number {
    const work = this.#scope.steps + this.model.copied;
    this.#scope.steps = 0;
    this.model.copied = 0;
    return work;
  }

  /** The surface is gone: others may take its memory. */
  dispose(): void {
    this.memory.bytes -= this.#bytes;
    this.memory.freed += 1;
    this.#bytes = 0;
  }

  get missing(): string[] {
    return [...this.#entries].filter(([, { component }]) => component === undefined).map(([id]) => id);
  }

  /** Resolves what has changed; gives the ids of nodes that are new or differ. `root` puts children into their nodes. */
  update(): string[] | undefined {
    const touched: ComponentInstance[] = [];
    this.#touched = touched;
    const dirty = this.#readers.takeDirty();
    // In A2UI v0.9 a component of this name begins the rendering.
    const id = this.#about.root ?? (this.component("root")?.protocol === "a2ui-0.9" ? "root" : undefined);
    const isOther = this.#root?.spot.componentId !== id;
    if (isOther) {
      if (this.#root) this.#remove(this.#root);
      const item = { path: [], suffix: "", length: 0, templates: 0 };
      this.#root =
        id === undefined ? undefined : this.#make({ componentId: id, id, slot: undefined, item }, undefined, 0);
    }
    // Nodes above first: they may do away with those below.
    if (dirty.length > 1) dirty.sort((one, other) => one.depth - other.depth);
    for (const instance of dirty) {
      // One that was removed meanwhile is not.
      if (instance.isDirty) this.#renew(instance);
      instance.isDirty = false;
    }
    this.#feed();
    if (touched.length === 0 && !isOther) return undefined;
    const ids = touched.map(({ spot }) => spot.id);
    return ids.length > 1 ? [...new Set(ids)] : ids;
  }

  /** Gives instances that lack something what there is room for meanwhile, until there is none again. */
  #feed(): void {
    if (this.#starved.size === 0 || this.#freed === this.memory.freed) return;
    for (const instance of this.#starved) {
      this.#starved.delete(instance);
      // All of it anew, the children too.
      instance.known = undefined;
      this.#renew(instance);
      if (this.#starved.has(instance)) break;
    }
    this.#freed = this.memory.freed;
  }

  /** Resolves an instance again; if its node is another one, those above need it. */
  #renew(instance: ComponentInstance): void {
    this.#scope.steps += 1;
    const { below } = instance;
    const own = this.#resolve(instance);
    const isOther = below !== instance.below;
    if (own === instance.node && !isOther) return;
    this.#touched.push(instance);
    instance.node = own;
    let wasStale = instance.stale !== undefined;
    if (isOther) instance.stale = "all";
    else instance.stale ??= EMPTY;
    for (let child = instance; child.above && !wasStale; child = child.above) {
      const { above } = child;
      wasStale = above.stale !== undefined;
      if (above.stale !== "all") above.stale = withItem(above.stale ?? EMPTY, child);
    }
  }

  #make(spot: Spot, above: ComponentInstance | undefined, at: number): ComponentInstance {
    const instance = new ComponentInstance(spot, this.#entry(spot.componentId), above, at);
    this.#count += 1;
    this.#scope.steps += 1;
    instance.entry.users.add(instance);
    if (instance.cyclic) this.#complain(spot, "CYCLE", `"${spot.componentId}" stands inside itself.`);
    this.#touched.push(instance);
    instance.node = this.#resolve(instance);
    return instance;
  }

  #remove(instance: ComponentInstance): void {
    const { spot, entry, below } = instance;
    instance.isDirty = false;
    this.#count -= 1;
    this.#account(instance, -instance.bytes);
    this.memory.freed += 1;
    this.#starved.delete(instance);
    entry.users.delete(instance);
    this.#drop(spot.componentId, entry);
    this.#readers.forget(this.#readers.begin(instance), instance);
    for (const child of below) this.#remove(child);
  }

  /** The node of an instance without its children; the one that it has if nothing in it differs. */
  #resolve(instance: ComponentInstance): SurfaceNode {
    const { spot, entry, cyclic, node: before } = instance;
    const { id, componentId, slot, item } = spot;
    const definition = (!cyclic && this.#definition(entry)) || PENDING;
    const isSameDefinition = instance.known === definition;
    const { protocol, weight } = definition.component;
    this.#scope.protocol = protocol;
    this.#scope.item = item.path;
    instance.known = definition;
    // Paths may mean the same places whatever data there is.
    const isFixed = protocol === "a2ui-0.9" || (protocol === "gulf" && item.templates === 0);
    this.#owner = instance;
    this.#account(instance, bytesOf(spot) - instance.bytes);
    this.#reader = isSameDefinition && isFixed && definition.isPlain ? undefined : instance;
    const readings = this.#reader && this.#readers.begin(instance);
    const [props, bindings] = contentOf(instance, definition, this.#scope, this.#reader === undefined);
    // Without a template the children are those of the definition.
    const isOther = !isSameDefinition || definition.hasTemplate;
    const room = this.settings.limits.maxNodes - this.#count + instance.below.length;
    const wanted = isOther ? childrenOf(instance, definition.slots, this.#scope, room) : undefined;
    if (readings) this.#readers.forget(readings, instance);
    if (wanted) this.#reconcile(instance, wanted);
    const { issues } = definition;
    const type = entry.component?.type ?? "";
    const state = cyclic ? "cyclic" : definition.state;
    const isUnchanged = before?.props === props && before.bindings === bindings && before.issues === issues;
    if (isUnchanged && before.type === type && before.state === state && before.weight === weight) return before;
    const children = before?.children ?? NONE;
    const node: NodeDraft = { id, componentId, type, props, children, state, dataPath: pointerOf(item.path) };
    if (slot !== undefined) node.slot = slot;
    if (weight !== undefined) node.weight = weight;
    if (bindings) node.bindings = bindings;
    if (issues) node.issues = issues;
    return node;
  }

  /** Puts the nodes of the children into the node of an instance. */
  #assemble(instance: ComponentInstance): void {
    const { below, stale } = instance;
    const fresh = stale === "all" ? below : (stale ?? EMPTY);
    const before = instance.node as SurfaceNode;
    // A node that is new has not been seen by anybody.
    const node: NodeDraft = Object.isFrozen(before) ? { ...before } : before;
    if (stale === "all") node.children = NONE;
    if (fresh.length > 0) {
      // Spread: `slice` of a frozen list takes a hundred times as long.
      const children = [...node.children];
      for (const child of fresh) {
        if (child.stale) this.#assemble(child);
        children[child.at] = child.node as SurfaceNode["children"][number];
      }
      node.children = Object.freeze(children);
    }
    instance.stale = undefined;
    instance.node = Object.freeze(node);
  }

  #reconcile(instance: ComponentInstance, wanted: Spot[]): void {
    const before = instance.below;
    let same = 0;
    while (same < before.length && same < wanted.length && isSame(before[same]?.spot, wanted[same])) same += 1;
    if (same === before.length && same === wanted.length) return;
    const known = new Map(before.slice(same).map((own) => [`${own.spot.slot} ${own.spot.id}`, own]));
    const below = before.slice(0, same);
    for (const child of wanted.slice(same)) {
      const key = known.size > 0 ? `${child.slot} ${child.id}` : "";
      const own = known.get(key);
      const at = below.length;
      if (own && isSame(own.spot, child)) {
        known.delete(key);
        own.at = at;
        below.push(own);
      } else if (this.#count >= this.settings.limits.maxNodes) {
        const message = `The tree has more than ${this.settings.limits.maxNodes} nodes.`;
        this.#complain(instance.spot, "LIMIT_EXCEEDED", message, "error");
        break;
      } else if (this.#hasRoom(instance, bytesOf(child))) {
        below.push(this.#make(child, instance, at));
      } else {
        break;
      }
    }
    for (const own of before.slice(same)) if (below[own.at] !== own) this.#remove(own);
    // Where there is no room for more, they are the same.
    if (before.length + below.length > 2 * same) instance.below = below;
  }

  #account(instance: ComponentInstance, bytes: number): void {
    instance.bytes += bytes;
    this.#bytes += bytes;
    this.memory.bytes += bytes;
  }

  /** Whether the trees of the stream have room for more; if not, there is a diagnostic. */
  #hasRoom(instance: ComponentInstance, bytes: number, isTree = true): boolean {
    const { maxTreeBytes } = this.settings.limits;
    if (this.memory.bytes + bytes <= maxTreeBytes) return true;
    const message = `The trees of the stream take more than about ${maxTreeBytes} bytes.`;
    this.#complain(instance.spot, "LIMIT_EXCEEDED", message, "error");
    if (isTree) this.#starved.add(instance);
    return false;
  }

  /** Tells of the same thing once, however many nodes have it and however often it is looked at. */
  #complain({ componentId, id }: Named, ...[code, message, severity = "warning"]: Parameters<Scope["report"]>): void {
    const key = `${code} ${componentId} ${message}`;
    if (this.#reported.has(key) || this.#reported.size >= this.settings.limits.maxIssues) return;
    this.#reported.add(key);
    this.report({ severity, code, message, path: id });
  }
}
