/** `ComponentInstance`: a component at one place of the tree. Resolves its properties, bindings and children. */
import { deepFreeze, put } from "../core/tree.js";
import { equal } from "../diff/equal.js";
import { type Definition, type Slot, type Template, withCheckResults } from "./components.js";
import { memberOf } from "./data.js";
import { pointerOf, type Segments } from "./paths.js";
import { type Dependency, EMPTY } from "./readers.js";
import type { SurfaceComponent, SurfaceNode } from "./types.js";
import { listIn, placeOf, readAt, readBinding, resolve, type Scope } from "./values.js";

/** The entry of a component id: the component, once it has arrived, and the instances that render it or wait for it. */
export interface Entry {
  component: SurfaceComponent | undefined;
  /** Computed on first use. */
  definition: Definition | undefined;
  readonly users: Dependency<ComponentInstance>;
}

/** The template item, or all data outside of templates, from which relative paths are read. */
interface Item {
  readonly path: Segments;
  /** Appended to the ids of nodes, for example `:2`. */
  readonly suffix: string;
  /** The length of the path and of the suffix. */
  readonly length: number;
  /** How many templates are around. */
  readonly templates: number;
}

/** A component at one place of the tree; a template has one for each item. */
export interface NodePlacement {
  readonly id: string;
  readonly componentId: string;
  readonly slot: string | undefined;
  readonly item: Item;
}

/** A component instance, with everything that is needed to resolve its node again. */
export class ComponentInstance {
  depth = 0;
  cyclic = false;
  childInstances: ComponentInstance[] = EMPTY;
  /** The definition that was resolved last. */
  known: Definition | undefined;
  /** The list whose items the children are, if all of them come from one template. */
  source = "";
  /** The data that its node depends on. */
  readings: Dependency<ComponentInstance>[] = EMPTY;
  node: SurfaceNode | undefined;
  /** The children whose new nodes are not in its node yet; `"all"` if the list of children has changed. */
  stale: ComponentInstance[] | "all" | undefined = "all";
  /** Set by {@link Readers} until the instance is resolved again. */
  isDirty = false;
  /** Estimates of its memory: in all, and of its bindings. */
  bytes = 0;
  bindingBytes = 0;

  constructor(
    readonly placement: NodePlacement,
    readonly entry: Entry,
    readonly parent: ComponentInstance | undefined,
    /** The index among the children of its parent. */
    public at: number,
  ) {
    for (let up = parent; up; up = up.parent) {
      const { componentId, item } = up.placement;
      this.depth += 1;
      // A component that contains itself for a nested item is allowed: data that form a tree are finite.
      this.cyclic ||= componentId === placement.componentId && item.path.length >= placement.item.path.length;
    }
  }
}

const lengthOf = (path: Segments): number => path.reduce((sum, segment) => sum + segment.length, path.length);

/** An estimate of the memory of an instance and its node, without properties. */
export const bytesOf = ({ componentId, item }: Pick<NodePlacement, "componentId" | "item">): number =>
  NODE_BYTES + 2 * (componentId.length + item.length);

/** An estimate of the memory of a node and its instance. */
const NODE_BYTES = 256;

/**
 * The properties of a node and the places of bound ones: the same objects as before if they are equal. `keepsBindings`: the places are
 * those of the last node.
 */
export function contentOf(
  instance: ComponentInstance,
  { props, live, bytes }: Definition,
  scope: Scope,
  keepsBindings: boolean,
): Pick<SurfaceNode, "props" | "bindings"> {
  const { node } = instance;
  if (!keepsBindings) instance.bindingBytes = 0;
  // Without memory, properties that depend on data stay null.
  if (!scope.charge(bytes + instance.bindingBytes)) return { props };
  const made = live.length > 0 ? { ...props } : props;
  let bindings: Record<string, string> | undefined;
  let differs = false;
  for (const { name, value, binding, isList } of live) {
    const { place, value: now } = binding
      ? readBinding(binding, scope, isList)
      : { place: undefined, value: withCheckResults(name, resolve(value, scope), scope.protocol) };
    const length = place && !keepsBindings ? 2 * lengthOf(place) : 0;
    if (place && !keepsBindings && scope.charge(length)) {
      bindings ??= {};
      put(bindings, name, pointerOf(place));
      instance.bindingBytes += length;
    }
    const before = memberOf(node?.props, name);
    const kept = before !== undefined && equal(before, now) ? before : now;
    if (kept !== before) differs = true;
    deepFreeze(kept);
    put(made, name, kept);
  }
  const known = node?.bindings;
  const isUnchanged = keepsBindings || (known && bindings && equal(known, bindings));
  const frozen = isUnchanged ? known : bindings && Object.freeze(bindings);
  return {
    props: node && !differs && equal(node.props, made) ? node.props : Object.freeze(made),
    ...(frozen && { bindings: frozen }),
  };
}

/** Whether an instance at one placement can be reused for the other. */
export function isSame(one: NodePlacement | undefined, other: NodePlacement | undefined): boolean {
  if (one === other || one === undefined || other === undefined) return one === other;
  const [path, otherPath] = [one.item.path, other.item.path];
  if (one.id !== other.id || one.slot !== other.slot || path.length !== otherPath.length) return false;
  return path === otherPath || path.every((segment, at) => segment === otherPath[at]);
}

/** The placements of the children, at most one more than `room`. */
export function childrenOf(instance: ComponentInstance, slots: Slot[], scope: Scope, room: number): NodePlacement[] {
  const { maxDepth } = scope.limits;
  const { source } = instance;
  // Set again below if a template alone makes the children.
  instance.source = "";
  if (slots.length > 0 && instance.depth + 1 >= maxDepth) {
    scope.report("LIMIT_EXCEEDED", `Nodes are nested more than ${maxDepth} levels deep.`, "error");
    return [];
  }
  const found: NodePlacement[] = [];
  const { item } = instance.placement;
  const seen = new Map<string, number>();
  for (const { slot, ids = [], template } of slots) {
    for (const componentId of ids) {
      if (found.length > room) return found;
      const times = seen.get(componentId) ?? 0;
      seen.set(componentId, times + 1);
      const id = `${componentId}${item.suffix}${times > 0 ? `#${times}` : ""}`;
      found.push({ id, componentId, slot, item });
    }
    if (template) found.push(...itemsOf(instance, slot, template, scope, source));
  }
  return found;
}

/** One placement for each item of a list, or for each value of an object. */
function itemsOf(
  instance: ComponentInstance,
  slot: string,
  template: Template,
  scope: Scope,
  before: string,
): NodePlacement[] {
  const { maxTemplateDepth, maxTemplateItems } = scope.limits;
  const { componentId, path } = template;
  const around = instance.placement.item;
  const templates = around.templates + 1;
  if (templates > maxTemplateDepth) {
    const message = `Templates are nested more than ${maxTemplateDepth} levels deep.`;
    scope.report("LIMIT_EXCEEDED", message, "error");
    return [];
  }
  const place = placeOf(path, scope, "shape");
  const read = place && readAt(place, scope);
  if (place === undefined || read === undefined || read === null) return [];
  const list = listIn(read, scope);
  if (typeof list !== "object" || list === null) {
    scope.report("INVALID_PATH", `A template needs a list; ${pointerOf(place)} is a ${typeof list}.`);
    return [];
  }
  const isList = Array.isArray(list);
  const keys = isList ? [] : Object.keys(list);
  const { length } = isList ? list : keys;
  const most = Math.min(length, maxTemplateItems);
  scope.steps += isList ? most : length;
  // A list that has grown keeps the placements of its first items.
  const source = isList && instance.known?.slots.length === 1 ? `${slot} ${componentId} ${pointerOf(place)}` : "";
  const found =
    source !== "" && before === source ? instance.childInstances.slice(0, most).map(({ placement }) => placement) : [];
  instance.source = source;
  const characters = lengthOf(place) + around.suffix.length;
  for (let at = found.length; at < most; at++) {
    const key = keys[at] ?? String(at);
    const suffix = `${around.suffix}:${key}`;
    const item = { path: [...place, key], suffix, length: characters + 2 * key.length, templates };
    found.push({ id: componentId + suffix, componentId, slot, item });
  }
  if (length > most) {
    const message = `A template makes ${most} nodes at most; ${pointerOf(place)} has more items.`;
    scope.report("LIMIT_EXCEEDED", message, "error");
  }
  return found;
}
