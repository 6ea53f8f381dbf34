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
  /** `undefined` until it has arrived. */
  component: SurfaceComponent | undefined;
  /** Computed on first use; `undefined` again when the component is replaced. */
  definition: Definition | undefined;
  /** The instances with this component id. */
  readonly users: Dependency<ComponentInstance>;
}

/** The template item from which relative paths are read; outside of templates, the data as a whole. */
interface Item {
  /** The place of the item in the data; empty outside of templates. */
  readonly path: Segments;
  /** Appended to the ids of nodes: the keys of the items of all templates around, for example `:2:0`. */
  readonly suffix: string;
  /** How many characters the path (as a JSON Pointer) and the suffix have, for estimates of memory. */
  readonly length: number;
  /** How many templates are around. */
  readonly templates: number;
}

/** A component at one place of the tree; a template has one for each item. */
export interface NodePlacement {
  /** The id of the node: the component's id, the item's suffix, and `#1` and so on if the parent contains the component again. */
  readonly id: string;
  readonly componentId: string;
  /** The property of the parent that holds it: see {@link Slot.slot}. The root has none. */
  readonly slot: string | undefined;
  readonly item: Item;
}

/** A component instance, with everything that is needed to resolve its node again. */
export class ComponentInstance {
  /** How many instances are around it. */
  depth = 0;
  /** The component contains itself without end: it is cut off here. */
  cyclic = false;
  childInstances: ComponentInstance[] = EMPTY;
  /** The definition that was resolved last; `undefined` forces everything to be resolved again. */
  lastDefinition: Definition | undefined;
  /** If all children come from one template of a list: which template and list (a key to compare). Else `""`. */
  source = "";
  /** The data that its node depends on. */
  readings: Dependency<ComponentInstance>[] = EMPTY;
  /** The node that was resolved last. */
  node: SurfaceNode | undefined;
  /**
   * Whether `node` has to be assembled: the children whose new nodes are not in it yet (an empty list if only its own members
   * differ); `"all"` if the list of children has changed; `undefined` if it is complete.
   */
  outdated: ComponentInstance[] | "all" | undefined = "all";
  /** {@link Readers} sets it when data or the component have changed, until the instance is resolved again. */
  isDirty = false;
  /** An estimate of its memory. */
  bytes = 0;
  /** The part of `bytes` for the bindings of its node. */
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

/** How many characters the JSON Pointer of a path has, without escapes. */
const lengthOf = (path: Segments): number => path.reduce((sum, segment) => sum + segment.length, path.length);

/** An estimate of the memory in bytes of an instance and its node, without properties. A character has two bytes. */
export const bytesOf = ({ componentId, item }: Pick<NodePlacement, "componentId" | "item">): number =>
  NODE_BYTES + 2 * (componentId.length + item.length);

/** The part of {@link bytesOf} that all nodes have, whatever their texts. */
const NODE_BYTES = 256;

/**
 * The properties of a node, and the places of those that are bound. Values equal to those of the last node are the same objects.
 * `keepsBindings`: the places too are those of the last node. When the limit of memory is reached, properties that depend on data
 * stay null, and places are left out.
 */
export function contentOf(
  instance: ComponentInstance,
  { props, live, bytes }: Definition,
  scope: Scope,
  keepsBindings: boolean,
): Pick<SurfaceNode, "props" | "bindings"> {
  const { node } = instance;
  if (!keepsBindings) instance.bindingBytes = 0;
  if (!scope.charge(bytes + instance.bindingBytes)) return { props };
  const resolvedProps = live.length > 0 ? { ...props } : props;
  let bindings: Record<string, string> | undefined;
  let hasNewValues = false;
  for (const { name, value: template, binding, isList } of live) {
    const { place, value } = binding
      ? readBinding(binding, scope, isList)
      : { place: undefined, value: withCheckResults(name, resolve(template, scope), scope.protocol) };
    const placeBytes = place && !keepsBindings ? 2 * lengthOf(place) : 0;
    if (place && !keepsBindings && scope.charge(placeBytes)) {
      bindings ??= {};
      put(bindings, name, pointerOf(place));
      instance.bindingBytes += placeBytes;
    }
    const valueBefore = memberOf(node?.props, name);
    const sharedValue = valueBefore !== undefined && equal(valueBefore, value) ? valueBefore : value;
    if (sharedValue !== valueBefore) hasNewValues = true;
    deepFreeze(sharedValue);
    put(resolvedProps, name, sharedValue);
  }
  const bindingsBefore = node?.bindings;
  const areUnchanged = keepsBindings || (bindingsBefore && bindings && equal(bindingsBefore, bindings));
  const frozenBindings = areUnchanged ? bindingsBefore : bindings && Object.freeze(bindings);
  return {
    // The constant properties may differ too, if the component was replaced.
    props: node && !hasNewValues && equal(node.props, resolvedProps) ? node.props : Object.freeze(resolvedProps),
    ...(frozenBindings && { bindings: frozenBindings }),
  };
}

/** Whether an instance at one placement can be reused for the other: node id, slot and template item are the same. */
export function isSame(one: NodePlacement | undefined, other: NodePlacement | undefined): boolean {
  if (one === other || one === undefined || other === undefined) return one === other;
  const [path, otherPath] = [one.item.path, other.item.path];
  if (one.id !== other.id || one.slot !== other.slot || path.length !== otherPath.length) return false;
  return path === otherPath || path.every((segment, at) => segment === otherPath[at]);
}

/** The placements of the children. `room`: how many nodes may be made; the list is longer if there are too many children. */
export function childrenOf(instance: ComponentInstance, slots: Slot[], scope: Scope, room: number): NodePlacement[] {
  const { maxDepth } = scope.limits;
  const { source } = instance;
  // Set again by `itemsOf` if a template alone makes the children.
  instance.source = "";
  if (slots.length > 0 && instance.depth + 1 >= maxDepth) {
    scope.report("LIMIT_EXCEEDED", `Nodes are nested more than ${maxDepth} levels deep.`, "error");
    return [];
  }
  const placements: NodePlacement[] = [];
  const { item } = instance.placement;
  // How often each component id has occurred.
  const counts = new Map<string, number>();
  for (const { slot, ids = [], template } of slots) {
    for (const componentId of ids) {
      if (placements.length > room) return placements;
      const count = counts.get(componentId) ?? 0;
      counts.set(componentId, count + 1);
      const id = `${componentId}${item.suffix}${count > 0 ? `#${count}` : ""}`;
      placements.push({ id, componentId, slot, item });
    }
    if (template) placements.push(...itemsOf(instance, slot, template, scope, source));
  }
  return placements;
}

/**
 * One placement for each item of a list, or for each member of an object; none without either, with a diagnostic for a scalar.
 * `sourceBefore`: the instance's `source` when its children were made.
 */
function itemsOf(
  instance: ComponentInstance,
  slot: string,
  template: Template,
  scope: Scope,
  sourceBefore: string,
): NodePlacement[] {
  const { maxTemplateDepth, maxTemplateItems } = scope.limits;
  const { componentId, path } = template;
  const itemAround = instance.placement.item;
  const templates = itemAround.templates + 1;
  if (templates > maxTemplateDepth) {
    const message = `Templates are nested more than ${maxTemplateDepth} levels deep.`;
    scope.report("LIMIT_EXCEEDED", message, "error");
    return [];
  }
  const place = placeOf(path, scope, "shape");
  const value = place && readAt(place, scope);
  if (place === undefined || value === undefined || value === null) return [];
  const list = listIn(value, scope);
  if (typeof list !== "object" || list === null) {
    scope.report("INVALID_PATH", `A template needs a list; ${pointerOf(place)} is a ${typeof list}.`);
    return [];
  }
  const isList = Array.isArray(list);
  const keys = isList ? [] : Object.keys(list);
  const { length } = isList ? list : keys;
  const count = Math.min(length, maxTemplateItems);
  // `Object.keys` has visited all members.
  scope.steps += isList ? count : length;
  const isOnlySlot = instance.lastDefinition?.slots.length === 1;
  const source = isList && isOnlySlot ? `${slot} ${componentId} ${pointerOf(place)}` : "";
  // A list that has grown keeps the placements of its first items.
  const placements =
    source !== "" && sourceBefore === source
      ? instance.childInstances.slice(0, count).map(({ placement }) => placement)
      : [];
  instance.source = source;
  const lengthAround = lengthOf(place) + itemAround.suffix.length;
  for (let at = placements.length; at < count; at++) {
    const key = keys[at] ?? String(at);
    const suffix = `${itemAround.suffix}:${key}`;
    // The key is in the path and in the suffix.
    const item = { path: [...place, key], suffix, length: lengthAround + 2 * key.length, templates };
    placements.push({ id: componentId + suffix, componentId, slot, item });
  }
  if (length > count) {
    const message = `A template makes ${count} nodes at most; ${pointerOf(place)} has more items.`;
    scope.report("LIMIT_EXCEEDED", message, "error");
  }
  return placements;
}
