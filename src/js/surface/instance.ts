/** An instance of a component, and what its node is resolved to: properties, bindings, children. */
import { deepFreeze, put } from "../core/tree.js";
import { equal } from "../diff/equal.js";
import type { Json } from "../types.js";
import type { Definition, Slot, Template } from "./components.js";
import { memberOf } from "./data.js";
import { pointerOf, type Segments } from "./paths.js";
import { EMPTY, type Topic } from "./readers.js";
import type { SurfaceComponent, SurfaceNode } from "./types.js";
import { listIn, placeOf, readAt, readBinding, resolve, type Scope } from "./values.js";

/** An id of components: what it stands for, once it has come, and the instances that show it or wait for it. */
export interface Entry {
  component: SurfaceComponent | undefined;
  /** Made when it is needed. */
  definition: Definition | undefined;
  readonly users: Topic<ComponentInstance>;
}

/** The item of a template, or all data: where it stands, what ids have behind them in it, and how many templates are around. */
interface Item {
  readonly path: Segments;
  readonly suffix: string;
  /** The characters of the path and of the suffix. */
  readonly length: number;
  readonly templates: number;
}

/** A component at one place of the tree; a template has one for each item. */
export interface Spot {
  readonly id: string;
  readonly componentId: string;
  readonly slot: string | undefined;
  readonly item: Item;
}

/** What stands at a spot, with what is needed to resolve its node again. */
export class ComponentInstance {
  depth = 0;
  cyclic = false;
  below: ComponentInstance[] = EMPTY;
  known: Definition | undefined;
  /** Which list its children are the items of, if they are that alone. */
  source = "";
  readings: Topic<ComponentInstance>[] = EMPTY;
  node: SurfaceNode | undefined;
  /** Which of its children have new nodes, if its node lacks them; all if there are other children. */
  stale: ComponentInstance[] | "all" | undefined = "all";
  isDirty = false;
  /** About the memory that it takes, of which its bindings. */
  bytes = 0;
  bindingBytes = 0;

  constructor(
    readonly spot: Spot,
    readonly entry: Entry,
    readonly above: ComponentInstance | undefined,
    public at: number,
  ) {
    for (let up = above; up; up = up.above) {
      const { componentId, item } = up.spot;
      this.depth += 1;
      // In an item further inside it is not the same once more: data that are a tree come to an end.
      this.cyclic ||= componentId === spot.componentId && item.path.length >= spot.item.path.length;
    }
  }
}

const lengthOf = (path: Segments): number => path.reduce((sum, segment) => sum + segment.length, path.length);

/** About the memory that an instance and its node take, without their properties. */
export const bytesOf = ({ componentId, item }: Pick<Spot, "componentId" | "item">): number =>
  NODE + 2 * (componentId.length + item.length);

const NODE = 256;

/** The properties of a node and the places of those that are bound: the same objects if they are the same. */
export function contentOf(
  instance: ComponentInstance,
  { props, live, bytes }: Definition,
  scope: Scope,
  isBound: boolean,
): [props: SurfaceNode["props"], bindings: SurfaceNode["bindings"]] {
  const { node } = instance;
  if (!isBound) instance.bindingBytes = 0;
  // Without room what depends on data is null.
  if (!scope.charge(bytes + instance.bindingBytes)) return [props, undefined];
  const made = live.length > 0 ? { ...props } : props;
  let bindings: Record<string, string> | undefined;
  let differs = false;
  for (const { name, value, binding, isList } of live) {
    const [place, now] = binding ? readBinding(binding, scope, isList) : [undefined, resolve(value, scope)];
    const length = place && !isBound ? 2 * lengthOf(place) : 0;
    if (place && !isBound && scope.charge(length)) {
      bindings ??= {};
      put(bindings, name, pointerOf(place));
      instance.bindingBytes += length;
    }
    const before = memberOf(node?.props as Json | undefined, name);
    const own = before !== undefined && equal(before, now) ? before : now;
    if (own !== before) differs = true;
    deepFreeze(own);
    put(made, name, own);
  }
  const known = node?.bindings;
  const keeps = isBound || (known && bindings && equal(known as Json, bindings));
  return [
    node && !differs && equal(node.props as Json, made) ? node.props : Object.freeze(made),
    keeps ? known : bindings && Object.freeze(bindings),
  ];
}

/** Whether what stands at one spot may stay for the other. */
export function isSame(one: Spot | undefined, other: Spot | undefined): boolean {
  if (one === other || one === undefined || other === undefined) return one === other;
  const [path, own] = [one.item.path, other.item.path];
  if (one.id !== other.id || one.slot !== other.slot || path.length !== own.length) return false;
  return path === own || path.every((segment, at) => segment === own[at]);
}

/** The children of an instance, and no more than one beyond those that there is room for. */
export function childrenOf(instance: ComponentInstance, slots: Slot[], scope: Scope, room: number): Spot[] {
  const { maxDepth } = scope.limits;
  const { source } = instance;
  // Children that are made in another way are no items.
  instance.source = "";
  if (slots.length > 0 && instance.depth + 1 >= maxDepth) {
    scope.report("LIMIT_EXCEEDED", `Nodes stand inside each other more than ${maxDepth} deep.`, "error");
    return [];
  }
  const found: Spot[] = [];
  const { item } = instance.spot;
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

/** A child for each item of a list, or for each value of an object. */
function itemsOf(instance: ComponentInstance, slot: string, template: Template, scope: Scope, before: string): Spot[] {
  const { maxTemplateDepth, maxTemplateItems } = scope.limits;
  const { componentId, path } = template;
  const around = instance.spot.item;
  const templates = around.templates + 1;
  if (templates > maxTemplateDepth) {
    const message = `Templates stand inside each other more than ${maxTemplateDepth} deep.`;
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
  const keys = isList ? undefined : Object.keys(list);
  const { length } = keys ?? (list as Json[]);
  const most = Math.min(length, maxTemplateItems);
  scope.steps += isList ? most : length;
  // Of a list that has grown the items so far are those that are there.
  const source = isList && instance.known?.slots.length === 1 ? `${slot} ${componentId} ${pointerOf(place)}` : "";
  const found = source !== "" && before === source ? instance.below.slice(0, most).map(({ spot }) => spot) : [];
  instance.source = source;
  const characters = lengthOf(place) + around.suffix.length;
  for (let at = found.length; at < most; at++) {
    const key = keys?.[at] ?? String(at);
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
