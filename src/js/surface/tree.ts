/** `SurfaceTree`: the components and the data of a surface, and the tree of nodes that is resolved from them. */

import type { Json } from "../types.js";
import { nestingIssue } from "./catalog.js";
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

/** The subject of a diagnostic: a component, and the id that the diagnostic names. */
type Subject = Pick<NodePlacement, "componentId" | "id">;
/** A node that may still be changed. */
type NodeDraft = { -readonly [Key in keyof SurfaceNode]: SurfaceNode[Key] };

/** The memory of all trees of a stream. */
export interface TreeMemory {
  /** An estimate. */
  bytes: number;
  /** How often some of it was freed so far. */
  releases: number;
}

/** A value that a component brings for a place, to be written if the place has no data. */
export interface InitialValue {
  path: Segments;
  value: Json;
}

const NO_CHILDREN: SurfaceNode["children"] = Object.freeze([]);

/** The parent of every root, for the check of nesting. */
const SURFACE = { id: "Surface", type: "Surface", catalog: undefined };

/** The issues of a definition, and one of the node's place. `before`: the node's last list, returned if nothing differs. */
function withIssue(ofDefinition: readonly SurfaceIssue[] = [], issue: SurfaceIssue, before: SurfaceNode["issues"]) {
  const issues = [...ofDefinition, issue];
  const isUnchanged =
    before?.length === issues.length && before.every(({ message }, at) => message === issues[at]?.message);
  return isUnchanged ? before : issues;
}

/** Whether a node is not the root, which alone has no slot. */
const isChild = (node: SurfaceNode): node is SurfaceNode["children"][number] => node.slot !== undefined;

/**
 * The tree has two layers. An *instance* is a component at its place, and lives as long as that place. It resolves a *node*, the
 * frozen object that the page gets: a new one whenever something in it differs. {@link update} resolves the instances that
 * changes concern; {@link root} puts the new nodes into those of their parents.
 */
export class SurfaceTree {
  readonly model: DataModel;
  /** Values that components bring for places without data. The stream writes them, and empties the list. */
  readonly initial: InitialValue[] = [];
  readonly edits: UserEdits;
  readonly components: ComponentTable;
  /** The text of the message that has created the surface: the same message again changes nothing. */
  created: string | undefined;
  readonly #readers: Readers<ComponentInstance>;
  /** The context in which values are resolved. Its `protocol` and `item` are those of the instance that is being resolved. */
  readonly #scope: Scope;
  /** The instance whose dependencies are recorded; `undefined` if they are the same as the last time. */
  #reader: ComponentInstance | undefined;
  /** The problems reported so far: see {@link #reportOnce}. */
  readonly #reported = new Set<string>();
  /** Instances that are new or have changed in the update that is running. */
  #changed: ComponentInstance[] = [];
  #root: ComponentInstance | undefined;
  /** The facts about the surface that messages have had so far. */
  #facts: Info = {};
  /** The cached answer of {@link info}. */
  #info: SurfaceInfo | undefined;
  /** The number of instances. */
  #count = 0;
  /** The instance that is being resolved: memory is charged to it. */
  #owner: ComponentInstance | undefined;
  /** An estimate of the memory of all instances. */
  #bytes = 0;
  /** Instances that are incomplete for lack of memory. */
  readonly #starved = new Set<ComponentInstance>();
  /** {@link TreeMemory.releases} at the last attempt to complete them. */
  #releasesBefore = 0;

  constructor(
    readonly id: string,
    readonly protocol: SurfaceProtocol,
    private readonly settings: Settings,
    private readonly memory: TreeMemory,
    private readonly report: (problem: Problem) => void,
  ) {
    this.model = new DataModel(settings.limits);
    this.#readers = new Readers(this.model);
    this.edits = new UserEdits(this.model, (change) => this.#readers.markChanged(change));
    this.components = new ComponentTable(this.#catalogOf, (users) => this.#readers.mark(users));
    this.#scope = {
      ...settings,
      // `#resolve` sets the protocol and the item, `describe` the catalog.
      protocol: "gulf",
      item: [],
      catalogId: undefined,
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

  /** The catalog of a component. In A2UI 1.0 each may name its own. `undefined` if the page has no catalogs. */
  readonly #catalogOf: CatalogOf = ({ props, protocol }) => {
    const ownId = PROTOCOLS[protocol].hasDirectives ? (props["@catalogId"] ?? props.catalogId) : undefined;
    return this.settings.catalogs?.find(protocol, ownId, this.#facts.catalogId);
  };

  /** Adds facts of a message about the surface to {@link info}. */
  describe(facts: Info): void {
    this.#facts = { ...this.#facts, ...facts };
    this.#scope.catalogId = this.#facts.catalogId;
    this.#info = undefined;
  }

  get info(): SurfaceInfo {
    const rendering = this.#root !== undefined;
    if (this.#info?.rendering === rendering) return this.#info;
    this.#info = Object.freeze({ protocol: this.protocol, rendering, ...this.#facts });
    return this.#info;
  }

  /** The tree of nodes, assembled from what has changed; `undefined` before rendering begins. */
  get root(): SurfaceNode | undefined {
    if (this.#root?.outdated) this.#assemble(this.#root);
    return this.#root?.node;
  }

  /**
   * A node with the scope to resolve values of its component; without a scope while the component has not arrived. `dataPath`
   * chooses among nodes with the same id; without it the last one in the tree counts. `undefined` if there is no such node.
   */
  find(id: string, dataPath?: unknown): { node: SurfaceNode; scope: Scope | undefined } | undefined {
    const isWanted = ({ placement, node }: ComponentInstance): boolean =>
      placement.id === id && (dataPath ?? node?.dataPath) === node?.dataPath;
    const stack: ComponentInstance[] = [];
    let instance = this.#root;
    // The last one in the tree first, and parents before their children.
    for (; instance && !isWanted(instance); instance = stack.pop()) {
      for (const child of instance.childInstances) stack.push(child);
    }
    if (!instance) return undefined;
    if (instance.outdated) this.#assemble(instance);
    const { node } = instance;
    if (!node) return undefined;
    const protocol = instance.entry.component?.protocol;
    const report: Scope["report"] = (...problem) => this.#reportOnce(instance.placement, ...problem);
    let chargedBytes = 0;
    // The caller's values are not part of the tree: they must fit beside the trees, but are not added to the estimate.
    const completesLater = false;
    const charge = (bytes: number): boolean => {
      chargedBytes += bytes;
      return this.#hasRoom(instance, chargedBytes, completesLater);
    };
    // For the same reason no dependency is recorded (`read`), and nothing initialised.
    const ofInstance = { item: instance.placement.item.path, read: undefined, charge, report, initialise() {} };
    return { node, scope: protocol && { ...this.#scope, ...ofInstance, protocol } };
  }

  /** Adds or replaces a component, and reports its issues. */
  define(component: SurfaceComponent): void {
    const { id } = component;
    const entry = this.components.define(component);
    // Without catalogs no other issues exist, and the definition is computed when the component is rendered.
    const issues = this.settings.catalogs
      ? this.components.definition(entry)?.issues
      : wrongForms(component.props, component.protocol);
    for (const { code, message, path } of issues ?? []) {
      const severity = code === "INVALID_BINDING" || code === "UNKNOWN_CATALOG" ? "error" : "warning";
      this.#reportOnce({ componentId: id, id: `${id}${path}` }, code, message, severity);
    }
  }

  /**
   * Changes data for the agent. Values that users have typed stay on top of it. Returns `undefined` if nothing changes. @throws
   * Refusal
   */
  change(...update: Parameters<DataModel["update"]>): DataChange | undefined {
    return this.edits.runWithoutEdits(this.protocol, () => {
      const change = this.model.update(...update);
      if (change) this.#readers.markChanged(change);
      return change;
    });
  }

  /** Changes data for a user. Returns `undefined` if nothing changes. @throws Refusal */
  edit(path: Segments, value: Json): DataChange | undefined {
    const { protocol } = this;
    return PROTOCOLS[protocol].keepsEdits
      ? this.edits.write(path, value, protocol)
      : this.change(path, value, protocol);
  }

  /**
   * Returns the steps counted since the last call. A step is a unit of work: an instance resolved, a place read, an
   * item of a template, 256 bytes of a node, a member of the data copied.
   */
  takeWork(): number {
    const work = this.#scope.steps + this.model.copied;
    this.#scope.steps = 0;
    this.model.copied = 0;
    return work;
  }

  /** Frees the memory of a deleted surface for the others. */
  dispose(): void {
    this.memory.bytes -= this.#bytes;
    this.memory.releases += 1;
    this.#bytes = 0;
  }

  /**
   * Resolves what has changed. Returns the ids of nodes that are new or differ; `undefined` if nothing has changed. {@link root}
   * assembles the nodes later.
   */
  update(): string[] | undefined {
    const changedInstances: ComponentInstance[] = [];
    this.#changed = changedInstances;
    const dirty = this.#readers.takeDirty();
    // In A2UI v0.9 and 1.0 no message names the root: it is the component with the id `root`.
    const component = this.components.get("root");
    const id = this.#facts.root ?? (component && PROTOCOLS[component.protocol].isFlat ? component.id : undefined);
    const isOtherRoot = this.#root?.placement.componentId !== id;
    if (isOtherRoot) {
      if (this.#root) this.#remove(this.#root);
      // The root is outside of templates.
      const item = { path: [], suffix: "", length: 0, templates: 0 };
      this.#root = id === undefined ? undefined : this.#make({ componentId: id, id, slot: undefined, item });
    }
    // Parents first: they may remove their children.
    if (dirty.length > 1) dirty.sort((one, other) => one.depth - other.depth);
    for (const instance of dirty) {
      // A parent may have removed this instance meanwhile.
      if (instance.isDirty) this.#renew(instance);
      instance.isDirty = false;
    }
    this.#completeStarved();
    if (changedInstances.length === 0 && !isOtherRoot) return undefined;
    const ids = changedInstances.map(({ placement }) => placement.id);
    return ids.length > 1 ? [...new Set(ids)] : ids;
  }

  /** Completes instances that lacked memory, as far as memory has been freed. */
  #completeStarved(): void {
    if (this.#starved.size === 0 || this.#releasesBefore === this.memory.releases) return;
    for (const instance of this.#starved) {
      this.#starved.delete(instance);
      // Everything is resolved again, the children too.
      instance.lastDefinition = undefined;
      this.#renew(instance);
      // Memory has run out again.
      if (this.#starved.has(instance)) break;
    }
    this.#releasesBefore = this.memory.releases;
  }

  /** Resolves an instance again. If its node differs, the nodes of its parents are assembled again. */
  #renew(instance: ComponentInstance): void {
    this.#scope.steps += 1;
    const { childInstances } = instance;
    const typeBefore = instance.node?.type;
    const node = this.#resolve(instance);
    this.#setNode(instance, node, childInstances);
    // Children may not be allowed in a component of another type.
    if (node.type !== typeBefore && this.settings.catalogs)
      for (const child of instance.childInstances) this.#renew(child);
  }

  /** Stores the node of an instance. If the node or the children differ, marks the parents' nodes as outdated. */
  #setNode(instance: ComponentInstance, node: SurfaceNode, childInstancesBefore: ComponentInstance[]): void {
    const hasOtherChildren = childInstancesBefore !== instance.childInstances;
    if (node === instance.node && !hasOtherChildren) return;
    this.#changed.push(instance);
    instance.node = node;
    let wasOutdated = instance.outdated !== undefined;
    if (hasOtherChildren) instance.outdated = "all";
    else instance.outdated ??= EMPTY;
    // Where an instance was outdated already, all instances around it are too.
    for (let child = instance; child.parent && !wasOutdated; child = child.parent) {
      const { parent } = child;
      wasOutdated = parent.outdated !== undefined;
      if (parent.outdated !== "all") parent.outdated = withItem(parent.outdated ?? EMPTY, child);
    }
  }

  /** Makes an instance and those of its children. `at`: its index among the children of the parent. The root has no parent. */
  #make(placement: NodePlacement, parent?: ComponentInstance, at = 0): ComponentInstance {
    const instance = new ComponentInstance(placement, this.components.entry(placement.componentId), parent, at);
    this.#count += 1;
    this.#scope.steps += 1;
    instance.entry.users.add(instance);
    if (instance.cyclic) this.#reportOnce(placement, "CYCLE", `"${placement.componentId}" contains itself.`);
    this.#changed.push(instance);
    instance.node = this.#resolve(instance);
    return instance;
  }

  /** Removes an instance and those of its children, with their dependencies. */
  #remove(instance: ComponentInstance): void {
    const { placement, entry, childInstances } = instance;
    instance.isDirty = false;
    this.#count -= 1;
    this.#account(instance, -instance.bytes);
    this.memory.releases += 1;
    this.#starved.delete(instance);
    entry.users.delete(instance);
    this.components.dropUnused(placement.componentId, entry);
    // Without a `read` in between, all dependencies are removed.
    this.#readers.forget(this.#readers.begin(instance), instance);
    for (const child of childInstances) this.#remove(child);
  }

  /**
   * Resolves an instance: its properties, and which children it has. Returns its node, into which {@link #assemble} puts the
   * children later: the same object as before if nothing else differs. What cannot have changed is not computed again: the places
   * of bindings, if they are fixed, and the children of a component without a template.
   */
  #resolve(instance: ComponentInstance): SurfaceNode {
    const { placement, entry, cyclic, node: before } = instance;
    const { id, componentId, slot, item } = placement;
    const definition = (!cyclic && this.components.definition(entry)) || PENDING;
    const isSameDefinition = instance.lastDefinition === definition;
    const { protocol, weight } = definition.component;
    this.#scope.protocol = protocol;
    this.#scope.item = item.path;
    instance.lastDefinition = definition;
    // In other cases, the place that a path means depends on where there are data: see `placeOf`.
    const arePlacesFixed = PROTOCOLS[protocol].isFlat || (protocol === "gulf" && item.templates === 0);
    this.#owner = instance;
    // Of the memory charged for the last node, only the estimate for a node without properties stays.
    this.#account(instance, bytesOf(placement) - instance.bytes);
    // In a plain definition only bindings read data, each the place that it read before.
    const hasSameReadings = isSameDefinition && arePlacesFixed && definition.isPlain;
    this.#reader = hasSameReadings ? undefined : instance;
    const readings = this.#reader && this.#readers.begin(instance);
    const { props, bindings } = contentOf(instance, definition, this.#scope, hasSameReadings);
    // Without a template, the definition alone determines the children.
    const mayHaveOtherChildren = !isSameDefinition || definition.hasTemplate;
    // The nodes of the present children may be replaced.
    const room = this.settings.limits.maxNodes - this.#count + instance.childInstances.length;
    const placements = mayHaveOtherChildren ? childrenOf(instance, definition.slots, this.#scope, room) : undefined;
    // The recording must end before the children are resolved, which record their own dependencies.
    if (readings) this.#readers.forget(readings, instance);
    if (placements) this.#reconcile(instance, placements);
    const type = entry.component?.type ?? "";
    const placeIssue = definition === PENDING ? undefined : this.#placeIssue(instance, definition);
    const issues = placeIssue ? withIssue(definition.issues, placeIssue, before?.issues) : definition.issues;
    const state = cyclic ? "cyclic" : placeIssue ? "unknown" : definition.state;
    const isUnchanged = before?.props === props && before.bindings === bindings && before.issues === issues;
    if (isUnchanged && before.type === type && before.state === state && before.weight === weight) return before;
    const children = before?.children ?? NO_CHILDREN;
    const node: NodeDraft = { id, componentId, type, props, children, state, dataPath: pointerOf(item.path) };
    if (slot !== undefined) node.slot = slot;
    if (weight !== undefined) node.weight = weight;
    if (bindings) node.bindings = bindings;
    if (issues) node.issues = issues;
    return node;
  }

  /** The issue of an instance whose place is not allowed by its catalog, or by that of its parent; else `undefined`. */
  #placeIssue(instance: ComponentInstance, { component, catalog }: Definition): SurfaceIssue | undefined {
    if (this.settings.catalogs === undefined) return undefined;
    const parentDefinition = instance.parent && this.components.definition(instance.parent.entry);
    const placedParent = parentDefinition && { ...parentDefinition.component, catalog: parentDefinition.catalog };
    const parent = instance.parent ? placedParent : SURFACE;
    const issue = parent && nestingIssue({ ...component, catalog }, parent);
    if (issue) this.#reportOnce(instance.placement, issue.code, issue.message, "error");
    return issue;
  }

  /** Puts the new nodes of the children into the node of an instance: see {@link ComponentInstance.outdated}. */
  #assemble(instance: ComponentInstance): void {
    const { childInstances, outdated, node: before } = instance;
    if (!before) return;
    const changedChildren = outdated === "all" ? childInstances : (outdated ?? EMPTY);
    // A new node has not been handed out: it can be changed in place.
    const node: NodeDraft = Object.isFrozen(before) ? { ...before } : before;
    if (outdated === "all") node.children = NO_CHILDREN;
    if (changedChildren.length > 0) {
      // Spread: `slice` of a frozen list takes a hundred times as long.
      const children = [...node.children];
      for (const child of changedChildren) {
        if (child.outdated) this.#assemble(child);
        if (child.node && isChild(child.node)) children[child.at] = child.node;
      }
      node.children = Object.freeze(children);
    }
    instance.outdated = undefined;
    instance.node = Object.freeze(node);
  }

  /**
   * Gives an instance the children at these placements: keeps the instances that it has, makes the missing ones, and removes the
   * others. Apart from the first ones, which are mostly the same as before, they are found by slot and node id. When the limit of
   * nodes or of memory is reached, the rest of the children is left out.
   */
  #reconcile(instance: ComponentInstance, placements: NodePlacement[]): void {
    const before = instance.childInstances;
    // How many children at the start are the same as before.
    let keptCount = 0;
    while (
      keptCount < before.length &&
      keptCount < placements.length &&
      isSame(before[keptCount]?.placement, placements[keptCount])
    )
      keptCount += 1;
    if (keptCount === before.length && keptCount === placements.length) return;
    const reusableChildren = new Map(
      before.slice(keptCount).map((child) => [`${child.placement.slot} ${child.placement.id}`, child]),
    );
    const childInstances = before.slice(0, keptCount);
    for (const placement of placements.slice(keptCount)) {
      // For many new children and nothing to reuse, no keys are made.
      const key = reusableChildren.size > 0 ? `${placement.slot} ${placement.id}` : "";
      const child = reusableChildren.get(key);
      const at = childInstances.length;
      if (child && isSame(child.placement, placement)) {
        reusableChildren.delete(key);
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
    for (const child of before.slice(keptCount)) if (childInstances[child.at] !== child) this.#remove(child);
    // Without room for more children, the list may be the same as before: then it stays the same object.
    const isUnchanged = before.length === keptCount && childInstances.length === keptCount;
    if (!isUnchanged) instance.childInstances = childInstances;
  }

  /** Adds to the estimates of memory of an instance, of the tree and of the stream. */
  #account(instance: ComponentInstance, bytes: number): void {
    instance.bytes += bytes;
    this.#bytes += bytes;
    this.memory.bytes += bytes;
  }

  /**
   * Whether the trees of the stream may take more memory; if not, reports a diagnostic. `completesLater`: the memory is for the
   * node or the children of the instance, which is completed once memory has been freed.
   */
  #hasRoom(instance: ComponentInstance, bytes: number, completesLater = true): boolean {
    const { maxTreeBytes } = this.settings.limits;
    if (this.memory.bytes + bytes <= maxTreeBytes) return true;
    const message = `The trees of the stream take more than about ${maxTreeBytes} bytes.`;
    this.#reportOnce(instance.placement, "LIMIT_EXCEEDED", message, "error");
    if (completesLater) this.#starved.add(instance);
    return false;
  }

  /** Reports each problem of a component once, however many nodes have it and however often they are resolved. */
  #reportOnce(
    { componentId, id }: Subject,
    ...[code, message, severity = "warning"]: Parameters<Scope["report"]>
  ): void {
    const key = `${code} ${componentId} ${message}`;
    if (this.#reported.has(key) || this.#reported.size >= this.settings.limits.maxIssues) return;
    this.#reported.add(key);
    this.report({ severity, code, message, path: id });
  }
}
