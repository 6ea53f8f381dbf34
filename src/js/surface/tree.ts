/** `SurfaceTree`: the components and the data of a surface, and the tree of nodes that is resolved from them. */

import type { Json } from "../types.js";
import { nesting } from "./catalog.js";
import { ComponentTable } from "./component-table.js";
import { type CatalogOf, type Definition, PENDING } from "./components.js";
import { type DataChange, DataModel } from "./data.js";
import { wrongForms } from "./directives.js";
import { UserEdits } from "./edits.js";
import { bytesOf, ComponentInstance, childrenOf, contentOf, isSame, type NodePlacement } from "./instance.js";
import { pointerOf, type Segments } from "./paths.js";
import { PROTOCOLS } from "./protocols.js";
import { EMPTY, Readers, withItem } from "./readers.js";
import type { Problem } from "./refusal.js";
import type { Info } from "./requests.js";
import type { Settings } from "./settings.js";
import type { SurfaceComponent, SurfaceInfo, SurfaceIssue, SurfaceNode, SurfaceProtocol } from "./types.js";
import type { Scope } from "./values.js";

type Named = Pick<NodePlacement, "componentId" | "id">;
type NodeDraft = { -readonly [Key in keyof SurfaceNode]: SurfaceNode[Key] };

/** An estimate of the memory of all trees of a stream in bytes, and how often some of it was freed. */
export interface TreeMemory {
  bytes: number;
  freed: number;
}

/** A value that a component brings for a place without data. */
export interface InitialValue {
  path: Segments;
  value: Json;
}

const NONE: SurfaceNode["children"] = Object.freeze([]);

/** The id of a component that begins the rendering by itself. */
const rootOf = (component: SurfaceComponent | undefined): string | undefined =>
  component && PROTOCOLS[component.protocol].isFlat ? component.id : undefined;

/** The parent of every root, for the check of nesting. */
const SURFACE = { id: "Surface", type: "Surface", catalog: undefined };

/** The issues of a definition with one more: the list that the node had before if it has the same issues. */
function withIssue(defined: readonly SurfaceIssue[] = [], issue: SurfaceIssue, before: SurfaceNode["issues"]) {
  const issues = [...defined, issue];
  const isUnchanged =
    before?.length === issues.length && before.every(({ message }, at) => message === issues[at]?.message);
  return isUnchanged ? before : issues;
}

const isChild = (node: SurfaceNode): node is SurfaceNode["children"][number] => node.slot !== undefined;

export class SurfaceTree {
  readonly model: DataModel;
  /** Values that components bring for places without data. */
  readonly initial: InitialValue[] = [];
  readonly edits: UserEdits;
  readonly components: ComponentTable;
  /** The text of the message that has created the surface: the same message again changes nothing. */
  created: string | undefined;
  readonly #readers: Readers<ComponentInstance>;
  /** The context in which values are resolved. */
  readonly #scope: Scope;
  /** The instance whose dependencies are recorded. */
  #reader: ComponentInstance | undefined;
  readonly #reported = new Set<string>();
  /** Instances that are new or have changed in the update that is running. */
  #touched: ComponentInstance[] = [];
  #root: ComponentInstance | undefined;
  #about: Info = {};
  #info: SurfaceInfo | undefined;
  #count = 0;
  /** The instance that is being resolved, and an estimate of the memory of all instances. */
  #owner: ComponentInstance | undefined;
  #bytes = 0;
  /** Instances that are incomplete for lack of memory, and {@link TreeMemory.freed} at the last attempt to complete them. */
  readonly #starved = new Set<ComponentInstance>();
  #freed = 0;

  constructor(
    readonly id: string,
    readonly protocol: SurfaceProtocol,
    private readonly settings: Settings,
    private readonly memory: TreeMemory,
    private readonly report: (problem: Problem) => void,
  ) {
    this.model = new DataModel(settings.limits);
    this.#readers = new Readers(this.model);
    this.edits = new UserEdits(this.model, (change) => this.#readers.touched(change));
    this.components = new ComponentTable(this.#catalogOf, (users) => this.#readers.mark(users));
    this.#scope = {
      ...settings,
      protocol: "gulf",
      catalogId: undefined,
      item: [],
      model: this.model,
      steps: 0,
      read: (path, kind) => {
        if (this.#reader === undefined) return;
        this.#scope.steps += 1;
        this.#readers.read(path, kind, this.#reader);
      },
      charge: (bytes) => {
        const owner = this.#owner;
        if (!owner || !this.#hasRoom(owner, bytes)) return false;
        this.#account(owner, bytes);
        // 256 bytes, about those of a node, count as one step.
        this.#scope.steps += bytes >> 8;
        return true;
      },
      report: (...problem) => this.#reader && this.#reportOnce(this.#reader.placement, ...problem),
      initialise: (path, value) => void this.initial.push({ path, value }),
    };
  }

  /** The catalog of a component. In A2UI 1.0 each may name its own. */
  readonly #catalogOf: CatalogOf = ({ props, protocol }) => {
    const named = PROTOCOLS[protocol].hasDirectives ? (props["@catalogId"] ?? props.catalogId) : undefined;
    return this.settings.catalogs?.find(named, this.#about.catalogId, protocol);
  };

  /** Adds facts of a message about the surface to {@link info}. */
  describe(about: Info): void {
    this.#about = { ...this.#about, ...about };
    this.#scope.catalogId = this.#about.catalogId;
    this.#info = undefined;
  }

  get info(): SurfaceInfo {
    const rendering = this.#root !== undefined;
    if (this.#info?.rendering === rendering) return this.#info;
    this.#info = Object.freeze({ protocol: this.protocol, rendering, ...this.#about });
    return this.#info;
  }

  /** The tree of nodes, assembled from what has changed; `undefined` before rendering begins. */
  get root(): SurfaceNode | undefined {
    if (this.#root?.stale) this.#assemble(this.#root);
    return this.#root?.node;
  }

  /**
   * A node with the scope to resolve values of its component; without a scope while the component has not arrived. `dataPath` chooses
   * among nodes with the same id; without it the last one in the tree counts.
   */
  find(id: string, dataPath?: unknown): { node: SurfaceNode; scope: Scope | undefined } | undefined {
    const isWanted = ({ placement, node }: ComponentInstance): boolean =>
      placement.id === id && (dataPath ?? node?.dataPath) === node?.dataPath;
    const open: ComponentInstance[] = [];
    let instance = this.#root;
    // The last one in the tree first, and parents before their children.
    for (; instance && !isWanted(instance); instance = open.pop()) {
      for (const child of instance.childInstances) open.push(child);
    }
    if (!instance) return undefined;
    if (instance.stale) this.#assemble(instance);
    const { node } = instance;
    if (!node) return undefined;
    const protocol = instance.entry.component?.protocol;
    const report: Scope["report"] = (...problem) => this.#reportOnce(instance.placement, ...problem);
    let charged = 0;
    const charge = (bytes: number): boolean => {
      charged += bytes;
      return this.#hasRoom(instance, charged, false);
    };
    const about = { item: instance.placement.item.path, read: undefined, charge, report, initialise() {} };
    return { node, scope: protocol && { ...this.#scope, ...about, protocol } };
  }

  /** Adds or replaces a component, and reports its issues. */
  define(component: SurfaceComponent): void {
    const { id } = component;
    const entry = this.components.define(component);
    const issues = this.settings.catalogs
      ? this.components.definition(entry)?.issues
      : wrongForms(component.props, component.protocol);
    for (const { code, message, path } of issues ?? []) {
      const severity = code === "INVALID_BINDING" || code === "UNKNOWN_CATALOG" ? "error" : "warning";
      this.#reportOnce({ componentId: id, id: `${id}${path}` }, code, message, severity);
    }
  }

  /** Changes data for the agent. Values that users have typed stay on top of it. @throws Refusal */
  change(...how: Parameters<DataModel["update"]>): DataChange | undefined {
    return this.edits.runWithoutEdits(this.protocol, () => {
      const change = this.model.update(...how);
      if (change) this.#readers.touched(change);
      return change;
    });
  }

  /** Changes data for a user. @throws Refusal */
  edit(path: Segments, value: Json): DataChange | undefined {
    const { protocol } = this;
    return PROTOCOLS[protocol].keepsEdits
      ? this.edits.write(path, value, protocol)
      : this.change(path, value, protocol);
  }

  /** Returns the steps counted since the last call. */
  takeWork(): number {
    const work = this.#scope.steps + this.model.copied;
    this.#scope.steps = 0;
    this.model.copied = 0;
    return work;
  }

  /** Frees the memory of a deleted surface for the others. */
  dispose(): void {
    this.memory.bytes -= this.#bytes;
    this.memory.freed += 1;
    this.#bytes = 0;
  }

  /** Resolves what has changed. Returns the ids of nodes that are new or differ; `undefined` if nothing has changed. {@link root} assembles the nodes later. */
  update(): string[] | undefined {
    const touched: ComponentInstance[] = [];
    this.#touched = touched;
    const dirty = this.#readers.takeDirty();
    // In A2UI v0.9 and 1.0 a component of this name begins the rendering.
    const id = this.#about.root ?? rootOf(this.components.get("root"));
    const isOther = this.#root?.placement.componentId !== id;
    if (isOther) {
      if (this.#root) this.#remove(this.#root);
      const item = { path: [], suffix: "", length: 0, templates: 0 };
      this.#root =
        id === undefined ? undefined : this.#make({ componentId: id, id, slot: undefined, item }, undefined, 0);
    }
    // Parents first: they may remove their children.
    if (dirty.length > 1) dirty.sort((one, other) => one.depth - other.depth);
    for (const instance of dirty) {
      // A parent may have removed this instance meanwhile.
      if (instance.isDirty) this.#renew(instance);
      instance.isDirty = false;
    }
    this.#completeStarved();
    if (touched.length === 0 && !isOther) return undefined;
    const ids = touched.map(({ placement }) => placement.id);
    return ids.length > 1 ? [...new Set(ids)] : ids;
  }

  /** Completes instances that lacked memory, as far as memory has been freed. */
  #completeStarved(): void {
    if (this.#starved.size === 0 || this.#freed === this.memory.freed) return;
    for (const instance of this.#starved) {
      this.#starved.delete(instance);
      // Resolve everything again, the children too.
      instance.known = undefined;
      this.#renew(instance);
      if (this.#starved.has(instance)) break;
    }
    this.#freed = this.memory.freed;
  }

  /** Resolves an instance again. If its node differs, the nodes of its parents are assembled again. */
  #renew(instance: ComponentInstance): void {
    this.#scope.steps += 1;
    const { childInstances } = instance;
    const before = instance.node?.type;
    const node = this.#resolve(instance);
    this.#setNode(instance, node, childInstances);
    // Children may not be allowed in a component of another type.
    if (node.type !== before && this.settings.catalogs) for (const child of instance.childInstances) this.#renew(child);
  }

  /** Stores the node of an instance. If the node or the children differ, marks the parents' nodes as stale. */
  #setNode(instance: ComponentInstance, node: SurfaceNode, childInstancesBefore: ComponentInstance[]): void {
    const isOther = childInstancesBefore !== instance.childInstances;
    if (node === instance.node && !isOther) return;
    this.#touched.push(instance);
    instance.node = node;
    let wasStale = instance.stale !== undefined;
    if (isOther) instance.stale = "all";
    else instance.stale ??= EMPTY;
    for (let child = instance; child.parent && !wasStale; child = child.parent) {
      const { parent } = child;
      wasStale = parent.stale !== undefined;
      if (parent.stale !== "all") parent.stale = withItem(parent.stale ?? EMPTY, child);
    }
  }

  #make(placement: NodePlacement, parent: ComponentInstance | undefined, at: number): ComponentInstance {
    const instance = new ComponentInstance(placement, this.components.entry(placement.componentId), parent, at);
    this.#count += 1;
    this.#scope.steps += 1;
    instance.entry.users.add(instance);
    if (instance.cyclic) this.#reportOnce(placement, "CYCLE", `"${placement.componentId}" contains itself.`);
    this.#touched.push(instance);
    instance.node = this.#resolve(instance);
    return instance;
  }

  #remove(instance: ComponentInstance): void {
    const { placement, entry, childInstances } = instance;
    instance.isDirty = false;
    this.#count -= 1;
    this.#account(instance, -instance.bytes);
    this.memory.freed += 1;
    this.#starved.delete(instance);
    entry.users.delete(instance);
    this.components.dropUnused(placement.componentId, entry);
    this.#readers.forget(this.#readers.begin(instance), instance);
    for (const child of childInstances) this.#remove(child);
  }

  /** The node of an instance without its children; the same object if nothing in it differs. */
  #resolve(instance: ComponentInstance): SurfaceNode {
    const { placement, entry, cyclic, node: before } = instance;
    const { id, componentId, slot, item } = placement;
    const definition = (!cyclic && this.components.definition(entry)) || PENDING;
    const isSameDefinition = instance.known === definition;
    const { protocol, weight } = definition.component;
    this.#scope.protocol = protocol;
    this.#scope.item = item.path;
    instance.known = definition;
    // The places that paths mean do not depend on the data.
    const isFixed = PROTOCOLS[protocol].isFlat || (protocol === "gulf" && item.templates === 0);
    this.#owner = instance;
    this.#account(instance, bytesOf(placement) - instance.bytes);
    this.#reader = isSameDefinition && isFixed && definition.isPlain ? undefined : instance;
    const readings = this.#reader && this.#readers.begin(instance);
    const { props, bindings } = contentOf(instance, definition, this.#scope, this.#reader === undefined);
    // Without a template, the definition alone determines the children.
    const isOther = !isSameDefinition || definition.hasTemplate;
    const room = this.settings.limits.maxNodes - this.#count + instance.childInstances.length;
    const wanted = isOther ? childrenOf(instance, definition.slots, this.#scope, room) : undefined;
    if (readings) this.#readers.forget(readings, instance);
    if (wanted) this.#reconcile(instance, wanted);
    const type = entry.component?.type ?? "";
    const misplaced = definition === PENDING ? undefined : this.#misplaced(instance, definition);
    const issues = misplaced ? withIssue(definition.issues, misplaced, before?.issues) : definition.issues;
    const state = cyclic ? "cyclic" : misplaced ? "unknown" : definition.state;
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

  /** The issue of an instance whose place is not allowed by its catalog, or by that of the component around it. */
  #misplaced(instance: ComponentInstance, { component, catalog }: Definition): SurfaceIssue | undefined {
    if (this.settings.catalogs === undefined) return undefined;
    const holder = instance.parent && this.components.definition(instance.parent.entry);
    // The surface itself holds its root.
    const parent = instance.parent ? holder && { ...holder.component, catalog: holder.catalog } : SURFACE;
    const issue = parent && nesting({ ...component, catalog }, parent);
    if (issue) this.#reportOnce(instance.placement, issue.code, issue.message, "error");
    return issue;
  }

  /** Puts the nodes of the children into the node of an instance. */
  #assemble(instance: ComponentInstance): void {
    const { childInstances, stale, node: before } = instance;
    if (!before) return;
    const fresh = stale === "all" ? childInstances : (stale ?? EMPTY);
    // A new node has not been handed out: it can be changed in place.
    const node: NodeDraft = Object.isFrozen(before) ? { ...before } : before;
    if (stale === "all") node.children = NONE;
    if (fresh.length > 0) {
      // Spread: `slice` of a frozen list takes a hundred times as long.
      const children = [...node.children];
      for (const child of fresh) {
        if (child.stale) this.#assemble(child);
        if (child.node && isChild(child.node)) children[child.at] = child.node;
      }
      node.children = Object.freeze(children);
    }
    instance.stale = undefined;
    instance.node = Object.freeze(node);
  }

  /** Keeps the instances of the wanted children, creates the missing ones, and removes the others. */
  #reconcile(instance: ComponentInstance, wanted: NodePlacement[]): void {
    const before = instance.childInstances;
    let same = 0;
    while (same < before.length && same < wanted.length && isSame(before[same]?.placement, wanted[same])) same += 1;
    if (same === before.length && same === wanted.length) return;
    const known = new Map(before.slice(same).map((child) => [`${child.placement.slot} ${child.placement.id}`, child]));
    const childInstances = before.slice(0, same);
    for (const placement of wanted.slice(same)) {
      const key = known.size > 0 ? `${placement.slot} ${placement.id}` : "";
      const child = known.get(key);
      const at = childInstances.length;
      if (child && isSame(child.placement, placement)) {
        known.delete(key);
        child.at = at;
        childInstances.push(child);
      } else if (this.#count >= this.settings.limits.maxNodes) {
        const message = `The tree has more than ${this.settings.limits.maxNodes} nodes: the others are left out.`;
        this.#reportOnce(instance.placement, "LIMIT_EXCEEDED", message, "error");
        break;
      } else if (this.#hasRoom(instance, bytesOf(placement))) {
        childInstances.push(this.#make(placement, instance, at));
      } else {
        break;
      }
    }
    for (const child of before.slice(same)) if (childInstances[child.at] !== child) this.#remove(child);
    // Without room for more children, the list may be the same as before.
    if (before.length + childInstances.length > 2 * same) instance.childInstances = childInstances;
  }

  /** Adds to the estimates of memory of an instance, of the tree and of the stream. */
  #account(instance: ComponentInstance, bytes: number): void {
    instance.bytes += bytes;
    this.#bytes += bytes;
    this.memory.bytes += bytes;
  }

  /** Whether the trees of the stream may take more memory; if not, reports a diagnostic. `isTree`: the instance is completed later. */
  #hasRoom(instance: ComponentInstance, bytes: number, isTree = true): boolean {
    const { maxTreeBytes } = this.settings.limits;
    if (this.memory.bytes + bytes <= maxTreeBytes) return true;
    const message = `The trees of the stream take more than about ${maxTreeBytes} bytes.`;
    this.#reportOnce(instance.placement, "LIMIT_EXCEEDED", message, "error");
    if (isTree) this.#starved.add(instance);
    return false;
  }

  /** Reports each problem once, however many nodes have it and however often they are resolved. */
  #reportOnce({ componentId, id }: Named, ...[code, message, severity = "warning"]: Parameters<Scope["report"]>): void {
    const key = `${code} ${componentId} ${message}`;
    if (this.#reported.has(key) || this.#reported.size >= this.settings.limits.maxIssues) return;
    this.#reported.add(key);
    this.report({ severity, code, message, path: id });
  }
}
