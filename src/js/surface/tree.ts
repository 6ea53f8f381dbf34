/**
 * The resolved tree of one surface. Each node knows what it has read, and each component its nodes: a change resolves
 * those again that depend on it, and makes new objects for them and for what stands above them.
 */

import type { SurfaceErrorCode } from "../generated/facts.js";
import { deepFreeze, put } from "../mirror.js";
import type { Change, Json, Limits } from "../types.js";
import type { Catalog } from "./catalog.js";
import { type Definition, define, type Slot } from "./components.js";
import { DataModel, Readers, type Segments, type Watch } from "./data.js";
import { pointerOf } from "./paths.js";
import type { SurfaceComponent, SurfaceFunction, SurfaceNode, SurfaceProtocol } from "./types.js";
import { bindingOf, placeOf, resolve, type Scope } from "./values.js";

/** A node with what is needed to resolve it again. */
interface Instance {
  readonly id: string;
  readonly componentId: string;
  /** What is behind the component's id: the indexes of the templates around. */
  readonly suffix: string;
  readonly item: Segments;
  readonly above: Instance | undefined;
  readonly depth: number;
  readonly templates: number;
  readonly slot: string | undefined;
  readonly cyclic: boolean;
  /** Its place among its siblings. */
  at: number;
  below: Instance[];
  scope: Scope | undefined;
  /** The definition that it was last resolved by, and the bindings in it. */
  known: Definition | undefined;
  bindings: Record<string, string> | undefined;
  /** The nodes of what is below. */
  nodes: SurfaceNode[];
  readings: Set<Watch<Instance>>;
  node: SurfaceNode | undefined;
  /** Which of its children have new nodes; all if there are others. */
  fresh: Instance[] | "all";
  alive: boolean;
}

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

interface Child extends Pick<Instance, "id" | "componentId" | "suffix" | "item" | "templates"> {
  slot: string;
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

  get root(): SurfaceNode | undefined {
    return this.#root?.node;
  }

  find(id: string): SurfaceNode | undefined {
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

  change(changes: readonly Change[]): void {
    for (const change of changes) {
      this.model.apply(change);
      this.#readers.touched(change, this.model, (reader) => this.#dirty.add(reader));
    }
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

  /** Brings the tree up to date; gives the ids of the nodes that are new or have changed themselves. */
  update(): string[] {
    const touched: Instance[] = [];
    // In A2UI v0.9 a component of this name begins the rendering.
    const own = this.definitions.get("root")?.component.protocol === "a2ui-0.9" ? "root" : undefined;
    const id = this.rootId ?? own;
    if (this.#root?.componentId !== id) {
      if (this.#root) this.#remove(this.#root);
      this.#root = undefined;
      if (id !== undefined) {
        this.#root = this.#make({ id, componentId: id, suffix: "", item: [], templates: 0 }, undefined, 0, touched);
      }
    }
    if (this.#dirty.size === 0) return touched.map(({ id }) => id);
    const dirty = [...this.#dirty].sort((one, other) => one.depth - other.depth);
    this.#dirty.clear();
    const stale: Set<Instance>[] = [];
    for (const instance of dirty) {
      if (!instance.alive) continue;
      const before = instance.node;
      const own = this.#resolve(instance, touched);
      if (own === before && instance.fresh !== "all" && instance.fresh.length === 0) continue;
      if (own !== before || instance.fresh === "all") touched.push(instance);
      instance.node = own;
      // Nodes above get their new children once all of them are known.
      for (let above: Instance | undefined = instance; above; above = above.above) {
        stale[above.depth] ??= new Set();
        if (stale[above.depth]?.has(above)) break;
        stale[above.depth]?.add(above);
      }
    }
    for (let depth = stale.length - 1; depth >= 0; depth--) {
      for (const instance of stale[depth] ?? []) {
        this.#assemble(instance);
        const { above } = instance;
        if (above && above.fresh !== "all") above.fresh.push(instance);
      }
    }
    return [...new Set(touched.map(({ id }) => id))];
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
      bindings: undefined,
      readings: new Set(),
      node: undefined,
      fresh: "all",
      alive: true,
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
    instance.readings = new Set();
    const definition = instance.cyclic ? undefined : this.definitions.get(instance.componentId);
    const node = definition ? this.#ready(instance, definition, touched) : this.#empty(instance, touched);
    for (const reading of readings) {
      if (!instance.readings.has(reading)) this.#readers.remove(reading, instance);
    }
    const { node: before } = instance;
    return before && isAlike(before, node) ? before : node;
  }

  #empty(instance: Instance, touched: Instance[]): SurfaceNode {
    this.#reconcile(instance, [], touched);
    const { cyclic, componentId } = instance;
    const type = cyclic ? (this.definitions.get(componentId)?.component.type ?? "") : "";
    return this.#node(instance, { type, props: NOTHING, state: cyclic ? "cyclic" : "pending" });
  }

  #ready(instance: Instance, definition: Definition, touched: Instance[]): SurfaceNode {
    const { component, unknown, issues } = definition;
    const { protocol, type, weight } = component;
    const scope = this.#scope(instance, protocol);
    if (instance.known !== definition || scope.mayFallBack) {
      instance.known = definition;
      instance.bindings = bindingsOf(definition, scope);
    }
    const { bindings } = instance;
    const props = resolve(definition.props, scope) as Record<string, Json>;
    const whole = definition.action === undefined ? props : { ...props, action: definition.action };
    this.#reconcile(instance, this.#children(instance, definition.slots, scope), touched);
    return this.#node(instance, {
      type,
      props: Object.freeze(whole),
      state: unknown ? "unknown" : "ready",
      ...(weight !== undefined && { weight }),
      ...(bindings && { bindings }),
      ...(issues && { issues }),
    });
  }

  #node(
    instance: Instance,
    own: Pick<SurfaceNode, "type" | "props" | "state" | "weight" | "bindings" | "issues">,
  ): SurfaceNode {
    const { id, componentId, item, slot } = instance;
    const dataPath = pointerOf(item);
    return { id, componentId, ...own, children: NONE, dataPath, ...(slot !== undefined && { slot }) };
  }

  /** Puts the nodes of the children into the node of an instance. */
  #assemble(instance: Instance): void {
    if (instance.fresh === "all") instance.nodes = instance.below.map((child) => child.node as SurfaceNode);
    else for (const child of instance.fresh) instance.nodes[child.at] = child.node as SurfaceNode;
    instance.fresh = [];
    // A copy of a list that is not frozen: of a frozen one it takes ten times as long.
    const children = instance.nodes.length === 0 ? NONE : Object.freeze(instance.nodes.slice());
    instance.node = Object.freeze({ ...(instance.node as SurfaceNode), children: children as SurfaceNode["children"] });
  }

  /** Keeps the children that are asked for again, makes the others. */
  #reconcile(instance: Instance, wanted: Child[], touched: Instance[]): void {
    const before = instance.below;
    const isSame = (own: Instance | undefined, child: Child): boolean =>
      own?.id === child.id &&
      own.slot === child.slot &&
      own.item.length === child.item.length &&
      own.item.every((segment, at) => segment === child.item[at]);
    if (before.length === wanted.length && wanted.every((child, at) => isSame(before[at], child))) return;
    const known = new Map(before.map((own) => [`${own.slot} ${own.id}`, own]));
    const below: Instance[] = [];
    for (const child of wanted) {
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
    for (const gone of known.values()) this.#remove(gone);
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
    for (const { slot, ids, template } of slots) {
      for (const componentId of ids ?? []) {
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
    const keys = Array.isArray(list) ? list.keys() : Object.keys(list);
    const found: Child[] = [];
    for (const key of keys) {
      if (found.length >= limits.maxTemplateItems) {
        const message = `A template makes ${limits.maxTemplateItems} nodes at most; ${pointerOf(place)} has more items.`;
        this.#complain(instance, "error", "LIMIT_EXCEEDED", message);
        break;
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

/** The places of the properties that are bound. */
function bindingsOf({ props, component }: Definition, scope: Scope): Record<string, string> | undefined {
  const silent = { ...scope, read: undefined, report() {} };
  let bindings: Record<string, string> | undefined;
  for (const [name, value] of Object.entries(props)) {
    const path = bindingOf(value, component.protocol);
    const place = path === undefined ? undefined : placeOf(path, silent, "value");
    if (place === undefined) continue;
    bindings ??= {};
    put(bindings, name, pointerOf(place));
  }
  return bindings && Object.freeze(bindings);
}

/** Whether two nodes say the same, but for their children. */
function isAlike(one: SurfaceNode, other: SurfaceNode): boolean {
  return (
    one.type === other.type &&
    one.state === other.state &&
    one.weight === other.weight &&
    one.issues === other.issues &&
    isEqual(one.props as Json, other.props as Json) &&
    isEqual(one.bindings, other.bindings)
  );
}

function isEqual(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => isEqual(item, other[index]));
  }
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && isEqual(one[key], other[key]));
}
