/** `SurfaceTree`: the components and the data of a surface, and the tree of nodes that is resolved from them. */
import type { Json } from "../types.js";
import { type Definition, define } from "./components.js";
import { type Change, DataModel, type Segments } from "./data.js";
import {
  bindingsOf,
  type Child,
  type ComponentInstance,
  childrenOf,
  type Draft,
  isSame,
  propsOf,
  type Room,
} from "./instance.js";
import { pointerOf } from "./paths.js";
import { CompactSet, Readers, withItem } from "./readers.js";
import type { Problem } from "./refusal.js";
import type { Settings } from "./settings.js";
import type { SurfaceComponent, SurfaceNode, SurfaceProtocol } from "./types.js";
import type { Scope } from "./values.js";

export interface Surroundings extends Settings {
  report(problem: Problem): void;
  /** Sets data that a component brings along. */
  initialise(path: Segments, value: Json): void;
}

const NOTHING: Readonly<Record<string, Json>> = Object.freeze({});
const NONE: SurfaceNode["children"] = Object.freeze([]);
/** For lists that are empty mostly, and never changed while they are. */
const EMPTY: never[] = [];

export class SurfaceTree {
  readonly model: DataModel;
  readonly components = new Map<string, SurfaceComponent>();
  readonly #around: Surroundings;
  /** Those of components that have been resolved, or checked. */
  readonly #definitions = new Map<string, Definition>();
  readonly #readers = new Readers<ComponentInstance>();
  /** The nodes of each component, those that wait for one included. */
  readonly #users = new Map<string, CompactSet<ComponentInstance>>();
  /** The nodes by id, once one was asked for, until there are others. */
  #byId: Map<string, ComponentInstance> | undefined;
  readonly #dirty = new Set<ComponentInstance>();
  /** The components whose nodes are among them. */
  readonly #redefined = new Set<string>();
  readonly #mark = (reader: ComponentInstance): void => void this.#dirty.add(reader);
  /** By depth: those whose nodes, or nodes below them, have changed since the tree was looked at. */
  readonly #stale: ComponentInstance[][] = [];
  /** What values are resolved in, and whose they are. */
  readonly #scope: Scope;
  #reader: ComponentInstance | undefined;
  readonly #reported = new Set<string>();
  #root: ComponentInstance | undefined;
  rootId: string | undefined;
  #count = 0;
  #steps = 0;
  /** Definitions that early ones have replaced. */
  readonly #replaced = new Map<string, SurfaceComponent | undefined>();

  constructor(around: Surroundings) {
    this.#around = around;
    this.model = new DataModel(around.limits);
    this.#scope = {
      ...around,
      quiet: false,
      protocol: "gulf",
      item: [],
      model: this.model,
      maxDepth: around.limits.maxTemplateDepth,
      read: (path, kind) => {
        const reader = this.#reader;
        if (reader === undefined || this.#scope.quiet) return;
        this.#steps += 1;
        reader.readings = this.#readers.add(path, kind, reader, reader.readings);
      },
      report: (code, message) => {
        if (this.#reader && !this.#scope.quiet) this.#complain(this.#reader, "warning", code, message);
      },
    };
  }

  get isRendering(): boolean {
    return this.#root !== undefined;
  }

  get root(): SurfaceNode | undefined {
    this.#assembleAll();
    return this.#root?.node;
  }

  find(id: string): SurfaceNode | undefined {
    this.#assembleAll();
    return this.#instance(id)?.node;
  }

  #instance(id: string): ComponentInstance | undefined {
    if (this.#byId === undefined) {
      const known = new Map<string, ComponentInstance>();
      const note = (instance: ComponentInstance): void => {
        known.set(instance.id, instance);
        instance.below.forEach(note);
      };
      if (this.#root) note(this.#root);
      this.#byId = known;
    }
    return this.#byId.get(id);
  }

  define(component: SurfaceComponent, early = false): void {
    const { id } = component;
    if (early && !this.#replaced.has(id)) this.#replaced.set(id, this.components.get(id));
    this.#put(id, component);
    if (early || this.#around.catalog === undefined) return;
    for (const { code, message, path } of this.#definition(component).issues ?? []) {
      this.#complain({ componentId: id, id: `${id}${path}` }, "warning", code, message);
    }
  }

  /** Goes back to what was there before early components, if there were any. */
  settle(): boolean {
    const were = this.#replaced.size > 0;
    for (const [id, component] of this.#replaced) this.#put(id, component);
    this.#replaced.clear();
    return were;
  }

  #put(id: string, component: SurfaceComponent | undefined): void {
    if (component === undefined) this.components.delete(id);
    else this.components.set(id, component);
    if (this.#redefined.has(id)) return;
    this.#redefined.add(id);
    this.#users.get(id)?.forEach(this.#mark);
  }

  #definition(component: SurfaceComponent): Definition {
    const known = this.#definitions.get(component.id);
    if (known?.component === component) return known;
    const made = define(component, this.#around.catalog);
    this.#definitions.set(component.id, made);
    return made;
  }

  change(...how: Parameters<DataModel["update"]>): Change | undefined {
    const change = this.model.update(...how);
    if (change) this.#readers.touched(change, this.model, this.#mark);
    return change;
  }

  /** How much has been read, made and copied so far. */
  get work(): number {
    return this.#steps + this.model.copied;
  }

  missing(): string[] {
    return [...this.#users.keys()].filter((id) => !this.components.has(id));
  }

  /** What values of a node's component are resolved in, for actions. */
  scope(id: string): Scope | undefined {
    const instance = this.#instance(id);
    const component = this.components.get(instance?.componentId ?? "");
    if (instance === undefined || component === undefined) return undefined;
    const report: Scope["report"] = (code, message) => this.#complain(instance, "warning", code, message);
    return { ...this.#enter(instance, component.protocol), read: undefined, report, initialise() {} };
  }

  /**
   * Resolves what has changed; gives the ids of the nodes that are new or have changed themselves, nothing if the tree is
   * as it was. Nodes get their children when the tree is looked at.
   */
  update(): string[] | undefined {
    const touched: ComponentInstance[] = [];
    this.#redefined.clear();
    this.#readers.settle();
    // In A2UI v0.9 a component of this name begins the rendering.
    const own = this.components.get("root")?.protocol === "a2ui-0.9" ? "root" : undefined;
    const id = this.rootId ?? own;
    const isOther = this.#root?.componentId !== id;
    if (isOther) {
      if (this.#root) this.#remove(this.#root);
      this.#root = undefined;
      const child = id === undefined ? undefined : { id, componentId: id, suffix: "", item: [], templates: 0 };
      if (child) this.#root = this.#make(child, undefined, 0, touched);
    }
    if (this.#dirty.size > 0) {
      const dirty = [...this.#dirty];
      this.#dirty.clear();
      // Nodes above first: they may do away with those below.
      if (dirty.length > 1) dirty.sort((one, other) => one.depth - other.depth);
      for (const instance of dirty) if (instance.alive) this.#renew(instance, touched);
    }
    if (touched.length === 0 && !isOther) return undefined;
    return touched.length === 1 ? [(touched[0] as ComponentInstance).id] : [...new Set(touched.map(({ id }) => id))];
  }

  /** Resolves an instance again, and marks those above it if its node is another one. */
  #renew(instance: ComponentInstance, touched: ComponentInstance[]): void {
    this.#steps += 1;
    const { below } = instance;
    const own = this.#resolve(instance, touched);
    if (own === instance.node && below === instance.below) return;
    touched.push(instance);
    instance.node = own;
    for (let stale: ComponentInstance | undefined = instance; stale && !stale.stale; stale = stale.above) {
      stale.stale = true;
      this.#stale[stale.depth] ??= [];
      this.#stale[stale.depth]?.push(stale);
    }
  }

  /** Gives the nodes that are not up to date their children, from the deepest up. */
  #assembleAll(): void {
    for (const instance of this.#stale.reverse().flat()) {
      instance.stale = false;
      if (!instance.alive) continue;
      this.#assemble(instance);
      const { above } = instance;
      if (above && above.fresh !== "all") above.fresh = withItem(above.fresh, instance);
    }
    this.#stale.length = 0;
  }

  #make(
    child: Child,
    above: ComponentInstance | undefined,
    at: number,
    touched: ComponentInstance[],
  ): ComponentInstance {
    const { id, componentId, suffix, item, templates, slot } = child;
    let cyclic = false;
    for (let up = above; up; up = up.above) cyclic ||= up.componentId === componentId;
    const instance: ComponentInstance = {
      id,
      componentId,
      suffix,
      item,
      above,
      depth: above === undefined ? 0 : above.depth + 1,
      templates,
      slot,
      cyclic,
      at,
      below: EMPTY,
      children: NONE,
      known: undefined,
      source: "",
      readings: EMPTY,
      node: undefined,
      fresh: "all",
      alive: true,
      stale: false,
    };
    this.#count += 1;
    this.#steps += 1;
    this.#byId = undefined;
    const users = this.#users.get(componentId) ?? new CompactSet();
    this.#users.set(componentId, users);
    users.add(instance);
    if (cyclic) this.#complain(instance, "warning", "CYCLE", `"${componentId}" stands inside itself.`);
    touched.push(instance);
    instance.node = this.#resolve(instance, touched);
    this.#assemble(instance);
    return instance;
  }

  #remove(instance: ComponentInstance): void {
    instance.alive = false;
    this.#count -= 1;
    this.#byId = undefined;
    const users = this.#users.get(instance.componentId);
    users?.delete(instance);
    if (users?.isEmpty) this.#users.delete(instance.componentId);
    for (const reading of instance.readings) this.#readers.remove(reading, instance);
    for (const child of instance.below) this.#remove(child);
  }

  /** The node of an instance without its children; the one that it has if nothing in it differs. */
  #resolve(instance: ComponentInstance, touched: ComponentInstance[]): SurfaceNode {
    const { id, componentId, item, slot, cyclic, readings, known, node: before } = instance;
    const component = this.components.get(componentId);
    const definition = component && !cyclic ? this.#definition(component) : undefined;
    instance.readings = EMPTY;
    instance.known = definition;
    this.#readers.begin();
    let props = NOTHING;
    let bindings: SurfaceNode["bindings"];
    let wanted: Child[] | undefined;
    if (definition) {
      const { protocol } = definition.component;
      const scope = this.#enter(instance, protocol);
      const isKnown = known === definition;
      props = propsOf(definition, scope, before, isKnown);
      bindings = isKnown && isFixed(instance, protocol) ? before?.bindings : bindingsOf(definition, scope, before);
      // Without a template the children are those of the definition.
      if (!isKnown || definition.hasTemplate) {
        wanted = childrenOf(instance, definition.slots, scope, this.#room(instance));
      }
    } else {
      instance.source = "";
      wanted = [];
    }
    this.#readers.end(readings, instance);
    if (wanted) this.#reconcile(instance, wanted, touched);
    const { weight } = definition?.component ?? {};
    const issues = definition?.issues;
    const type = (definition || cyclic ? component?.type : undefined) ?? "";
    const state = cyclic ? "cyclic" : definition === undefined ? "pending" : definition.unknown ? "unknown" : "ready";
    const isSame = before?.props === props && before.bindings === bindings && before.issues === issues;
    if (isSame && before.type === type && before.state === state && before.weight === weight) return before;
    const node: Draft = { id, componentId, type, props, children: NONE, state, dataPath: pointerOf(item) };
    if (slot !== undefined) node.slot = slot;
    if (weight !== undefined) node.weight = weight;
    if (bindings) node.bindings = bindings;
    if (issues) node.issues = issues;
    return node;
  }

  /** Puts the nodes of the children into the node of an instance. */
  #assemble(instance: ComponentInstance): void {
    const { below, fresh } = instance;
    if (fresh === "all") {
      instance.children =
        below.length === 0 ? NONE : Object.freeze(below.map(({ node }) => node as SurfaceNode["children"][number]));
    } else if (fresh.length > 0) {
      // Spread: `slice` of a frozen list takes a hundred times as long.
      const children = [...instance.children];
      for (const { at, node } of fresh) children[at] = node as SurfaceNode["children"][number];
      instance.children = Object.freeze(children);
    }
    instance.fresh = EMPTY;
    const before = instance.node as SurfaceNode;
    // A node that is new has not been seen by anybody.
    const node: Draft = Object.isFrozen(before) ? { ...before } : before;
    node.children = instance.children;
    instance.node = Object.freeze(node);
  }

  /** Keeps the children that are asked for again, makes the others. */
  #reconcile(instance: ComponentInstance, wanted: Child[], touched: ComponentInstance[]): void {
    const before = instance.below;
    let same = 0;
    while (same < before.length && same < wanted.length && isSame(before[same], wanted[same])) same += 1;
    if (same === before.length && same === wanted.length) return;
    const known = new Map(before.slice(same).map((own) => [`${own.slot} ${own.id}`, own]));
    const below = before.slice(0, same);
    for (const child of wanted.slice(same)) {
      const key = `${child.slot} ${child.id}`;
      const own = known.get(key);
      const at = below.length;
      if (own && isSame(own, child)) {
        known.delete(key);
        own.at = at;
        below.push(own);
      } else if (this.#count < this.#around.limits.maxNodes) {
        below.push(this.#make(child, instance, at, touched));
      } else {
        const message = `The tree has more than ${this.#around.limits.maxNodes} nodes.`;
        this.#complain(instance, "error", "LIMIT_EXCEEDED", message);
        break;
      }
    }
    const kept = new Set(below.slice(same));
    for (const own of before.slice(same)) if (!kept.has(own)) this.#remove(own);
    instance.below = below;
    instance.fresh = "all";
  }

  #room(instance: ComponentInstance): Room {
    const { limits } = this.#around;
    // One more than there is room for, which is then told.
    return {
      nodes: limits.maxNodes - this.#count + instance.below.length,
      limits,
      spend: (steps) => {
        this.#steps += steps;
      },
      complain: (severity, code, message) => this.#complain(instance, severity, code, message),
    };
  }

  #enter(instance: ComponentInstance, protocol: SurfaceProtocol): Scope {
    const scope = this.#scope;
    this.#reader = instance;
    scope.protocol = protocol;
    scope.item = instance.item;
    return scope;
  }

  /** Tells of the same thing once, however many nodes have it and however often it is looked at. */
  #complain(
    { componentId, id }: Pick<ComponentInstance, "componentId" | "id">,
    ...[severity, code, message]: Parameters<Room["complain"]>
  ): void {
    const key = `${code} ${componentId} ${message}`;
    if (this.#reported.has(key) || this.#reported.size >= this.#around.limits.maxIssues) return;
    this.#reported.add(key);
    this.#around.report({ severity, code, message, path: id });
  }
}

/** Whether the paths of an instance mean the same places whatever data there is. */
const isFixed = ({ item }: ComponentInstance, protocol: SurfaceProtocol): boolean =>
  protocol === "a2ui-0.9" || (protocol === "gulf" && item.length === 0);
