/** `SurfaceTree`: the components and the data of a surface, and the tree of nodes that is resolved from them. */
import { obtain } from "../core/kinds.js";
import { deepFreeze } from "../core/tree.js";
import type { Json } from "../types.js";
import { type Definition, define } from "./components.js";
import { type DataChange, DataModel } from "./data.js";
import {
  type Child,
  ComponentInstance,
  childrenOf,
  contentOf,
  EMPTY,
  type Entry,
  isSame,
  type NodeDraft,
} from "./instance.js";
import type { Info } from "./messages.js";
import { pointerOf, type Segments } from "./paths.js";
import { Readers, Watch, withItem } from "./readers.js";
import type { Problem } from "./refusal.js";
import type { Settings } from "./settings.js";
import type { SurfaceComponent, SurfaceInfo, SurfaceNode, SurfaceProtocol } from "./types.js";
import type { Scope } from "./values.js";

const NOTHING: Readonly<Record<string, Json>> = Object.freeze({});
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
  /** Those that are to be resolved again. */
  #dirty: ComponentInstance[] = [];
  readonly #mark = (instance: ComponentInstance): void => {
    if (!instance.isDirty) this.#dirty.push(instance);
    instance.isDirty = true;
  };
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
  /** Definitions that early ones have replaced. */
  readonly #replaced = new Map<string, SurfaceComponent | undefined>();

  constructor(
    readonly id: string,
    readonly protocol: SurfaceProtocol,
    private readonly settings: Settings,
    private readonly report: (problem: Problem) => void,
  ) {
    this.model = new DataModel(settings.limits);
    this.#readers = new Readers(this.model, this.#mark);
    this.#scope = {
      ...settings,
      protocol: "gulf",
      item: [],
      model: this.model,
      steps: 0,
      read: (path, kind) => {
        const reader = this.#reader;
        if (reader === undefined) return;
        this.#scope.steps += 1;
        reader.readings = this.#readers.add(path, kind, reader, reader.readings);
      },
      report: (...problem) => this.#reader && this.#complain(this.#reader, ...problem),
      initialise: (path, value) => void this.initial.push([path, value]),
    };
  }

  /** Takes what a message says of the surface. */
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
  find(id: string): [node: SurfaceNode, scope: Scope | undefined] | undefined {
    const look = (all: ComponentInstance[]): ComponentInstance[] =>
      all.flatMap((own) => (own.id === id ? [own, ...look(own.below)] : look(own.below)));
    const instance = look(this.#root ? [this.#root] : []).at(-1);
    if (!instance) return undefined;
    if (instance.stale) this.#assemble(instance);
    const protocol = instance.entry.component?.protocol;
    const report: Scope["report"] = (...problem) => this.#complain(instance, ...problem);
    const about = { item: instance.item, read: undefined, report, initialise() {} };
    return [instance.node as SurfaceNode, protocol && { ...this.#scope, ...about, protocol }];
  }

  component(id: string): SurfaceComponent | undefined {
    return this.#entries.get(id)?.component;
  }

  /** The components by id, as they were sent: the same object until one comes. */
  get components(): Readonly<Record<string, SurfaceComponent>> {
    const all = this.#shown ? [] : [...this.#entries];
    this.#shown ??= Object.fromEntries(all.flatMap(([id, { component }]) => (component ? [[id, component]] : [])));
    deepFreeze(this.#shown as unknown as Json);
    return this.#shown;
  }

  define(component: SurfaceComponent, early = false): void {
    const { id } = component;
    if (early && !this.#replaced.has(id)) this.#replaced.set(id, this.component(id));
    const entry = this.#put(id, component);
    if (early || this.settings.catalog === undefined) return;
    for (const { code, message, path } of this.#definition(entry, component).issues ?? []) {
      this.#complain({ componentId: id, id: `${id}${path}` }, code, message);
    }
  }

  /** Goes back to what was there before early components, if there were any. */
  dropEarly(): void {
    for (const [id, component] of this.#replaced) this.#put(id, component);
    this.#replaced.clear();
  }

  #entry(id: string): Entry {
    return obtain(this.#entries, id, () => ({ component: undefined, definition: undefined, users: new Watch() }));
  }

  #put(id: string, component: SurfaceComponent | undefined): Entry {
    const entry = this.#entry(id);
    this.size += Number(component !== undefined) - Number(entry.component !== undefined);
    this.#shown = undefined;
    entry.component = component;
    entry.definition = undefined;
    entry.users.mark(this.#readers.round, this.#mark);
    this.#drop(id, entry);
    return entry;
  }

  /** Forgets an id that stands for nothing and that nobody waits for. */
  #drop(id: string, { component, users }: Entry): void {
    if (component === undefined && users.isEmpty) this.#entries.delete(id);
  }

  #definition(entry: Entry, component: SurfaceComponent): Definition {
    entry.definition ??= define(component, this.settings.catalog);
    return entry.definition;
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

  /** The components that are asked for and have not come. */
  get missing(): string[] {
    return [...this.#entries].filter(([, { component }]) => component === undefined).map(([id]) => id);
  }

  /** Resolves what has changed; gives the ids of nodes that are new or differ. `root` puts children into their nodes. */
  update(): string[] | undefined {
    const touched: ComponentInstance[] = [];
    this.#touched = touched;
    // Whoever is marked from here on reads anew.
    this.#readers.round += 1;
    // In A2UI v0.9 a component of this name begins the rendering.
    const id = this.#about.root ?? (this.component("root")?.protocol === "a2ui-0.9" ? "root" : undefined);
    const isOther = this.#root?.componentId !== id;
    if (isOther) {
      if (this.#root) this.#remove(this.#root);
      const child = { id: id ?? "", componentId: id ?? "", suffix: "", item: [], templates: 0, slot: undefined };
      this.#root = id === undefined ? undefined : this.#make(child, undefined, 0);
    }
    const dirty = this.#dirty;
    if (dirty.length > 0) this.#dirty = [];
    // Nodes above first: they may do away with those below.
    if (dirty.length > 1) dirty.sort((one, other) => one.depth - other.depth);
    for (const instance of dirty) {
      // One that was removed meanwhile is not.
      if (instance.isDirty) this.#renew(instance);
      instance.isDirty = false;
    }
    if (touched.length === 0 && !isOther) return undefined;
    return touched.length === 1 ? [(touched[0] as ComponentInstance).id] : [...new Set(touched.map(({ id }) => id))];
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

  #make(child: Child, above: ComponentInstance | undefined, at: number): ComponentInstance {
    const { id, componentId, suffix, item, templates, slot } = child;
    const entry = this.#entry(componentId);
    const instance = new ComponentInstance(id, componentId, suffix, item, templates, slot, entry, above, at);
    this.#count += 1;
    this.#scope.steps += 1;
    entry.users.add(instance);
    if (instance.cyclic) this.#complain(instance, "CYCLE", `"${componentId}" stands inside itself.`);
    this.#touched.push(instance);
    instance.node = this.#resolve(instance);
    return instance;
  }

  #remove(instance: ComponentInstance): void {
    const { componentId, entry, readings, below } = instance;
    instance.isDirty = false;
    this.#count -= 1;
    entry.users.delete(instance);
    this.#drop(componentId, entry);
    this.#readers.turn += 1;
    this.#readers.forget(readings, instance);
    for (const child of below) this.#remove(child);
  }

  /** The node of an instance without its children; the one that it has if nothing in it differs. */
  #resolve(instance: ComponentInstance): SurfaceNode {
    const { id, componentId, entry, item, slot, cyclic, readings, node: before } = instance;
    const { component } = entry;
    const definition = component && !cyclic ? this.#definition(entry, component) : undefined;
    const isSameDefinition = definition !== undefined && instance.known === definition;
    const { protocol = "gulf", weight } = definition?.component ?? {};
    // Its paths mean the same places whatever data there is.
    const isFixed = isSameDefinition && (protocol === "a2ui-0.9" || (protocol === "gulf" && item.length === 0));
    const readsAnew = !(isFixed && definition.isPlain);
    this.#reader = readsAnew ? instance : undefined;
    this.#scope.protocol = protocol;
    this.#scope.item = item;
    instance.known = definition;
    if (readsAnew) {
      instance.readings = EMPTY;
      this.#readers.turn += 1;
    }
    let props = NOTHING;
    let bindings: SurfaceNode["bindings"];
    let wanted: Child[] | undefined;
    if (definition) {
      [props, bindings] = contentOf(definition, this.#scope, before, isSameDefinition, isFixed);
      // Without a template the children are those of the definition.
      if (!isSameDefinition || definition.hasTemplate) {
        const room = this.settings.limits.maxNodes - this.#count + instance.below.length;
        wanted = childrenOf(instance, definition.slots, this.#scope, room);
      }
    } else {
      wanted = [];
    }
    if (readsAnew) this.#readers.forget(readings, instance);
    if (wanted) this.#reconcile(instance, wanted);
    const issues = definition?.issues;
    const type = component?.type ?? "";
    const state = cyclic ? "cyclic" : definition === undefined ? "pending" : definition.unknown ? "unknown" : "ready";
    const isUnchanged = before?.props === props && before.bindings === bindings && before.issues === issues;
    if (isUnchanged && before.type === type && before.state === state && before.weight === weight) return before;
    const children = before?.children ?? NONE;
    const node: NodeDraft = { id, componentId, type, props, children, state, dataPath: pointerOf(item) };
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

  /** Keeps the children that are asked for again, makes the others. */
  #reconcile(instance: ComponentInstance, wanted: Child[]): void {
    const before = instance.below;
    let same = 0;
    while (same < before.length && same < wanted.length && isSame(before[same], wanted[same])) same += 1;
    if (same === before.length && same === wanted.length) return;
    const known = new Map(before.slice(same).map((own) => [`${own.slot} ${own.id}`, own]));
    const below = before.slice(0, same);
    for (const child of wanted.slice(same)) {
      const key = known.size > 0 ? `${child.slot} ${child.id}` : "";
      const own = known.get(key);
      const at = below.length;
      if (own && isSame(own, child)) {
        known.delete(key);
        own.at = at;
        below.push(own);
      } else if (this.#count < this.settings.limits.maxNodes) {
        below.push(this.#make(child, instance, at));
      } else {
        const message = `The tree has more than ${this.settings.limits.maxNodes} nodes.`;
        this.#complain(instance, "LIMIT_EXCEEDED", message, "error");
        break;
      }
    }
    for (const own of before.slice(same)) if (below[own.at] !== own) this.#remove(own);
    instance.below = below;
  }

  /** Tells of the same thing once, however many nodes have it and however often it is looked at. */
  #complain(
    { componentId, id }: Pick<ComponentInstance, "componentId" | "id">,
    code: Problem["code"],
    message: string,
    severity: Problem["severity"] = "warning",
  ): void {
    const key = `${code} ${componentId} ${message}`;
    if (this.#reported.has(key) || this.#reported.size >= this.settings.limits.maxIssues) return;
    this.#reported.add(key);
    this.report({ severity, code, message, path: id });
  }
}
