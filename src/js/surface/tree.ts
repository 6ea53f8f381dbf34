/**
 * The resolved tree of one surface. Each node knows what it has read, and each component its nodes: a change resolves
 * those again that depend on it, and makes new objects for them and for what stands above them.
 */
import type { SurfaceErrorCode } from "../generated/facts.js";
import { deepFreeze } from "../mirror.js";
import type { Change, Json, Limits } from "../types.js";
import type { Catalog } from "./catalog.js";
import { type Definition, define, type Slot } from "./components.js";
import { DataModel, type Segments } from "./data.js";
import { bindingsOf, type Child, type Draft, type Instance, isAlike, isSame } from "./instance.js";
import { pointerOf } from "./paths.js";
import { Readers, type Watch } from "./readers.js";
import type { SurfaceComponent, SurfaceFunction, SurfaceNode, SurfaceProtocol } from "./types.js";
import { placeOf, resolve, type Scope } from "./values.js";

/** What the tree needs of its surroundings. */
export interface Surroundings {
  readonly catalog: Catalog | undefined;
  readonly functions: Readonly<Record<string, SurfaceFunction>>;
  readonly locale: string | undefined;
  readonly timeZone: string | undefined;
  readonly limits: Limits;
  report(severity: "error" | "warning", code: SurfaceErrorCode, message: string, path: string): void;
  /** Sets data that a component brings along. */
  initialise(path: Segments, value: Json): void;
}

const NOTHING: Readonly<Record<string, Json>> = Object.freeze({});
const NONE: SurfaceNode["children"] = Object.freeze([]);

export class SurfaceTree {
  readonly model = new DataModel();
  readonly definitions = new Map<string, Definition>();
  readonly #around: Surroundings;
  readonly #readers = new Readers<Instance>();
  /** The nodes of each component, those that wait for one included. */
  readonly #users = new Map<string, Set<Instance>>();
  readonly #byId = new Map<string, Instance>();
  readonly #dirty = new Set<Instance>();
  readonly #mark = (reader: Instance): void => void this.#dirty.add(reader);
  /** By depth: those whose nodes, or nodes below them, have changed since the tree was looked at. */
  readonly #stale: Instance[][] = [];
  /** A set that is not in use. */
  #spare: Set<Watch<Instance>> | undefined;
  readonly #reported = new Set<string>();
  #root: Instance | undefined;
  /** What `beginRendering` named. */
  rootId: string | undefined;
  #count = 0;
  /** Definitions that early ones have replaced. */
  readonly #replaced = new Map<string, Definition | undefined>();

  constructor(around: Surroundings) {
    this.#around = around;
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
    return this.#byId.get(id)?.node;
  }

  define(component: SurfaceComponent, early = false): void {
    const { id } = component;
    if (early && !this.#replaced.has(id)) this.#replaced.set(id, this.definitions.get(id));
    deepFreeze(component.props as Json);
    const definition = define(component, this.#around.catalog);
    this.#put(id, definition);
    if (early) return;
    for (const { code, message, path } of definition.issues ?? []) {
      this.#report(id, "warning", code, message, `${id}${path}`);
    }
  }

  /** Goes back to what was there before early definitions. */
  settle(): void {
    for (const [id, definition] of this.#replaced) this.#put(id, definition);
    this.#replaced.clear();
  }

  #put(id: string, definition: Definition | undefined): void {
    if (definition === undefined) this.definitions.delete(id);
    else this.definitions.set(id, definition);
    for (const user of this.#users.get(id) ?? []) this.#dirty.add(user);
  }

  change(change: Change, bytes: number): void {
    this.model.apply(change, bytes);
    this.#readers.touched(change, this.model, this.#mark);
  }

  /** Components that are asked for and have not come. */
  missing(): string[] {
    return [...this.#users.keys()].filter((id) => !this.definitions.has(id));
  }

  /** What values of a node's component are resolved in, for actions. */
  scope(id: string): Scope | undefined {
    const instance = this.#byId.get(id);
    const definition = instance && this.definitions.get(instance.componentId);
    if (instance === undefined || definition === undefined) return undefined;
    return { ...this.#scope(instance, definition.component.protocol), read: undefined };
  }

  /**
   * Resolves what has changed; gives the ids of the nodes that are new or have changed themselves, nothing if the tree is
   * as it was. Nodes get their children when the tree is looked at.
   */
  update(): string[] | undefined {
    const touched: Instance[] = [];
    // In A2UI v0.9 a component of this name begins the rendering.
    const own = this.definitions.get("root")?.component.protocol === "a2ui-0.9" ? "root" : undefined;
    const id = this.rootId ?? own;
    const isOther = this.#root?.componentId !== id;
    if (isOther) {
      if (this.#root) this.#remove(this.#root);
      this.#root = undefined;
      if (id !== undefined) {
        this.#root = this.#make({ id, componentId: id, suffix: "", item: [], templates: 0 }, undefined, 0, touched);
      }
    }
    if (this.#dirty.size > 0) {
      const dirty = [...this.#dirty];
      this.#dirty.clear();
      // Nodes above first: they may do away with those below.
      if (dirty.length > 1) dirty.sort((one, other) => one.depth - other.depth);
      for (const instance of dirty) if (instance.alive) this.#renew(instance, touched);
    }
    if (touched.length === 0 && !isOther) return undefined;
    return touched.length === 1 ? [(touched[0] as Instance).id] : [...new Set(touched.map(({ id }) => id))];
  }

  /** Resolves an instance again, and marks those above it if its node is another one. */
  #renew(instance: Instance, touched: Instance[]): void {
    const own = this.#resolve(instance, touched);
    if (own === instance.node && instance.fresh !== "all") return;
    touched.push(instance);
    instance.node = own;
    for (let stale: Instance | undefined = instance; stale && !stale.stale; stale = stale.above) {
      stale.stale = true;
      this.#stale[stale.depth] ??= [];
      this.#stale[stale.depth]?.push(stale);
    }
  }

  /** Gives the nodes that are not up to date their children, from the deepest up. */
  #assembleAll(): void {
    for (let depth = this.#stale.length - 1; depth >= 0; depth--) {
      for (const instance of this.#stale[depth] ?? []) {
        instance.stale = false;
        if (!instance.alive) continue;
        this.#assemble(instance);
        const { above } = instance;
        if (above && above.fresh !== "all") above.fresh.push(instance);
      }
    }
    this.#stale.length = 0;
  }

  /** A new instance with all that is below it. */
  #make(
    child: Omit<Child, "slot"> & { slot?: string },
    above: Instance | undefined,
    at: number,
    touched: Instance[],
  ): Instance {
    let cyclic = false;
    for (let up = above; up; up = up.above) cyclic ||= up.componentId === child.componentId;
    const instance: Instance = {
      id: child.id,
      componentId: child.componentId,
      suffix: child.suffix,
      item: child.item,
      above,
      depth: above === undefined ? 0 : above.depth + 1,
      templates: child.templates,
      slot: child.slot,
      cyclic,
      at,
      below: [],
      nodes: [],
      scope: undefined,
      known: undefined,
      source: "",
      bindings: undefined,
      readings: new Set(),
      node: undefined,
      fresh: "all",
      alive: true,
      stale: false,
    };
    this.#count += 1;
    this.#byId.set(instance.id, instance);
    const users = this.#users.get(instance.componentId);
    if (users) users.add(instance);
    else this.#users.set(instance.componentId, new Set([instance]));
    if (cyclic) this.#complain(instance, "warning", "CYCLE", `"${instance.componentId}" stands inside itself.`);
    touched.push(instance);
    instance.node = this.#resolve(instance, touched);
    this.#assemble(instance);
    return instance;
  }

  #remove(instance: Instance): void {
    instance.alive = false;
    this.#count -= 1;
    if (this.#byId.get(instance.id) === instance) this.#byId.delete(instance.id);
    const users = this.#users.get(instance.componentId);
    users?.delete(instance);
    if (users?.size === 0) this.#users.delete(instance.componentId);
    for (const reading of instance.readings) this.#readers.remove(reading, instance);
    for (const child of instance.below) this.#remove(child);
  }

  /** The node of an instance without its children; the one that it has if nothing in it differs. */
  #resolve(instance: Instance, touched: Instance[]): SurfaceNode {
    const readings = instance.readings;
    instance.readings = this.#spare ?? new Set();
    this.#spare = undefined;
    const definition = instance.cyclic ? undefined : this.definitions.get(instance.componentId);
    const node = definition ? this.#ready(instance, definition, touched) : this.#empty(instance, touched);
    for (const reading of readings) {
      if (!instance.readings.has(reading)) this.#readers.remove(reading, instance);
    }
    readings.clear();
    this.#spare = readings;
    const { node: before } = instance;
    return before && isAlike(before, node) ? before : node;
  }

  #empty(instance: Instance, touched: Instance[]): SurfaceNode {
    instance.known = undefined;
    instance.source = "";
    this.#reconcile(instance, [], touched);
    const { cyclic, componentId } = instance;
    const type = cyclic ? (this.definitions.get(componentId)?.component.type ?? "") : "";
    return this.#node(instance, type, NOTHING, cyclic ? "cyclic" : "pending");
  }

  #ready(instance: Instance, definition: Definition, touched: Instance[]): SurfaceNode {
    const { component, unknown, issues } = definition;
    const { protocol, type, weight } = component;
    const scope = this.#scope(instance, protocol);
    const isKnown = instance.known === definition;
    if (!isKnown || scope.mayFallBack) {
      instance.known = definition;
      instance.bindings = bindingsOf(definition, scope);
    }
    const { bindings } = instance;
    const props = resolve(definition.props, scope) as Record<string, Json>;
    const whole = definition.action === undefined ? props : { ...props, action: definition.action };
    // Without a template the children are those of the definition.
    if (!isKnown || definition.slots.some(({ template }) => template)) {
      this.#reconcile(instance, this.#children(instance, definition.slots, scope), touched);
    }
    const node = this.#node(instance, type, Object.freeze(whole), unknown ? "unknown" : "ready");
    if (weight !== undefined) node.weight = weight;
    if (bindings) node.bindings = bindings;
    if (issues) node.issues = issues;
    return node;
  }

  /** A node that has no children yet. */
  #node(instance: Instance, type: string, props: SurfaceNode["props"], state: SurfaceNode["state"]): Draft {
    const { id, componentId, item, slot } = instance;
    const node: Draft = { id, componentId, type, props, children: NONE, state, dataPath: pointerOf(item) };
    if (slot !== undefined) node.slot = slot;
    return node;
  }

  /** Puts the nodes of the children into the node of an instance. */
  #assemble(instance: Instance): void {
    if (instance.fresh === "all") instance.nodes = instance.below.map((child) => child.node as SurfaceNode);
    else for (const child of instance.fresh) instance.nodes[child.at] = child.node as SurfaceNode;
    instance.fresh = [];
    // A copy of a list that is not frozen: of a frozen one it takes ten times as long.
    const children = instance.nodes.length === 0 ? NONE : (Object.freeze(instance.nodes.slice()) as typeof NONE);
    const before = instance.node as SurfaceNode;
    // A node that is new has not been seen by anybody.
    const node: Draft = Object.isFrozen(before) ? { ...before } : before;
    node.children = children;
    instance.node = Object.freeze(node);
  }

  /** Keeps the children that are asked for again, makes the others. */
  #reconcile(instance: Instance, wanted: Child[], touched: Instance[]): void {
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

  /** What stands below an instance. */
  #children(instance: Instance, slots: Slot[], scope: Scope): Child[] {
    const { limits } = this.#around;
    if (slots.length > 0 && instance.depth + 1 >= limits.maxDepth) {
      const message = `Nodes stand inside each other more than ${limits.maxDepth} deep.`;
      this.#complain(instance, "error", "LIMIT_EXCEEDED", message);
      return [];
    }
    const found: Child[] = [];
    const { suffix, item, templates } = instance;
    const seen = new Map<string, number>();
    // One more than there is room for, which is then told.
    const room = limits.maxNodes - this.#count + instance.below.length;
    for (const { slot, ids, template } of slots) {
      for (const componentId of ids ?? []) {
        if (found.length > room) return found;
        const times = seen.get(componentId) ?? 0;
        seen.set(componentId, times + 1);
        const id = `${componentId}${suffix}${times > 0 ? `#${times}` : ""}`;
        found.push({ id, componentId, suffix, item, templates, slot });
      }
      if (template) found.push(...this.#items(instance, template, slot, scope));
    }
    return found;
  }

  /** A child for each item of a list, or for each value of an object. */
  #items(
    instance: Instance,
    { componentId, path }: { componentId: string; path: string },
    slot: string,
    scope: Scope,
  ): Child[] {
    const { limits } = this.#around;
    const templates = instance.templates + 1;
    if (templates > limits.maxTemplateDepth) {
      const message = `Templates stand inside each other more than ${limits.maxTemplateDepth} deep.`;
      this.#complain(instance, "error", "LIMIT_EXCEEDED", message);
      return [];
    }
    const place = placeOf(path, scope, "shape");
    const list = place && this.model.read(place);
    if (place === undefined || list === undefined || list === null) return [];
    if (typeof list !== "object") {
      this.#complain(
        instance,
        "warning",
        "INVALID_PATH",
        `A template needs a list; ${pointerOf(place)} is a ${typeof list}.`,
      );
      return [];
    }
    const isList = Array.isArray(list);
    const keys = isList ? list.keys() : Object.keys(list);
    const found: Child[] = [];
    // Of a list that has grown the items so far are those that are there.
    const source = isList && instance.known?.slots.length === 1 ? `${slot} ${componentId} ${pointerOf(place)}` : "";
    const before = source !== "" && instance.source === source ? instance.below : [];
    instance.source = source;
    for (const key of keys) {
      if (found.length >= limits.maxTemplateItems) {
        const message = `A template makes ${limits.maxTemplateItems} nodes at most; ${pointerOf(place)} has more items.`;
        this.#complain(instance, "error", "LIMIT_EXCEEDED", message);
        break;
      }
      const own = before[found.length];
      if (own) {
        found.push(own as Child);
        continue;
      }
      const suffix = `${instance.suffix}:${key}`;
      found.push({ id: componentId + suffix, componentId, suffix, item: [...place, String(key)], templates, slot });
    }
    return found;
  }

  #scope(instance: Instance, protocol: SurfaceProtocol): Scope {
    if (instance.scope?.protocol === protocol) return instance.scope;
    const { functions, locale, timeZone, limits, initialise } = this.#around;
    instance.scope = {
      protocol,
      item: instance.item,
      mayFallBack: protocol === "gulf" && instance.item.length > 0,
      model: this.model,
      functions,
      locale,
      timeZone,
      maxDepth: limits.maxTemplateDepth,
      read: (path, kind) => void instance.readings.add(this.#readers.add(path, instance, kind)),
      report: (code, message) => this.#complain(instance, "warning", code, message),
      initialise,
    };
    return instance.scope;
  }

  /** Tells of the same thing once, however many nodes have it and however often it is looked at. */
  #report(
    component: string,
    severity: "error" | "warning",
    code: SurfaceErrorCode,
    message: string,
    path: string,
  ): void {
    const key = `${code} ${component} ${message}`;
    if (this.#reported.has(key) || this.#reported.size >= this.#around.limits.maxIssues) return;
    this.#reported.add(key);
    this.#around.report(severity, code, message, path);
  }

  #complain(instance: Instance, severity: "error" | "warning", code: SurfaceErrorCode, message: string): void {
    this.#report(instance.componentId, severity, code, message, instance.id);
  }
}
