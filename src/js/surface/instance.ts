/** An instance of a component, and what its node is resolved to: properties, bindings, children. */
import type { Members } from "../core/kinds.js";
import { deepFreeze, put } from "../core/tree.js";
import { equal } from "../diff/equal.js";
import type { Json } from "../types.js";
import type { Definition, Slot } from "./components.js";
import { pointerOf, type Segments } from "./paths.js";
import type { Watch } from "./readers.js";
import type { SurfaceComponent, SurfaceNode } from "./types.js";
import { listIn, placeOf, readAt, readBinding, resolve, type Scope } from "./values.js";

/** An id of components: what it stands for, once it has come, and the instances that show it or wait for it. */
export interface Entry {
  component: SurfaceComponent | undefined;
  /** Made when it is needed. */
  definition: Definition | undefined;
  readonly users: Watch<ComponentInstance>;
}

/** For lists that are empty mostly, and never changed while they are. */
export const EMPTY: never[] = [];

/** A component at one place of the tree; a template makes one for each item. With what is needed to resolve its node again. */
export class ComponentInstance {
  readonly depth: number;
  readonly cyclic: boolean;
  below: ComponentInstance[] = EMPTY;
  /** The definition that it was last resolved by. */
  known: Definition | undefined;
  /** Which list its children are the items of, if they are that alone. */
  source = "";
  readings: Watch<ComponentInstance>[] = EMPTY;
  node: SurfaceNode | undefined;
  /** Which of its children have new nodes, if its node lacks them; all if there are other children. */
  stale: ComponentInstance[] | "all" | undefined = "all";
  isDirty = false;

  /** `suffix` is what is behind the component's id: the indexes of the templates around. */
  constructor(
    readonly id: string,
    readonly componentId: string,
    readonly suffix: string,
    readonly item: Segments,
    readonly templates: number,
    readonly slot: string | undefined,
    readonly entry: Entry,
    readonly above: ComponentInstance | undefined,
    public at: number,
  ) {
    this.depth = above === undefined ? 0 : above.depth + 1;
    let up = above;
    while (up !== undefined && up.componentId !== componentId) up = up.above;
    this.cyclic = up !== undefined;
  }
}

export type NodeDraft = { -readonly [Key in keyof SurfaceNode]: SurfaceNode[Key] };

export type Child = Pick<ComponentInstance, "id" | "componentId" | "suffix" | "item" | "templates" | "slot">;

/** The properties of a node and the places of those that are bound: the same objects if they are the same. */
export function contentOf(
  { props, live }: Definition,
  scope: Scope,
  node: SurfaceNode | undefined,
  isSameDefinition: boolean,
  isFixed: boolean,
): [props: SurfaceNode["props"], bindings: SurfaceNode["bindings"]] {
  // By the same definition only what depends on data can differ.
  const before = isSameDefinition ? node?.props : undefined;
  let made: Members | undefined;
  let bindings: Record<string, string> | undefined;
  for (const { name, value, binding, isList } of live) {
    const [place, now] = binding ? readBinding(binding, scope, isList) : [undefined, resolve(value, scope)];
    if (place && !isFixed) {
      bindings ??= {};
      put(bindings, name, pointerOf(place));
    }
    if (made === undefined && before && equal(before[name] as Json, now)) continue;
    deepFreeze(now);
    made ??= { ...(before ?? props) };
    put(made, name, now);
  }
  const own = made ? Object.freeze(made) : (before ?? props);
  const hasSameProps = !isSameDefinition && node && equal(node.props as Json, own as Json);
  const known = node?.bindings;
  const isBound = isFixed || (known && bindings && equal(known as Json, bindings));
  return [hasSameProps ? node.props : own, isBound ? known : bindings && Object.freeze(bindings)];
}

/** Whether a node is the one that is asked for. */
export function isSame(own: ComponentInstance | undefined, child: Child | undefined): boolean {
  if (own === child || own === undefined || child === undefined) return own === child;
  return (
    own.id === child.id &&
    own.slot === child.slot &&
    own.item.length === child.item.length &&
    own.item.every((segment, at) => segment === child.item[at])
  );
}

/** The children of an instance, and no more than one beyond those that there is room for. */
export function childrenOf(instance: ComponentInstance, slots: Slot[], scope: Scope, room: number): Child[] {
  const { maxDepth } = scope.limits;
  const { source } = instance;
  // Children that are made in another way are no items.
  instance.source = "";
  if (slots.length > 0 && instance.depth + 1 >= maxDepth) {
    scope.report("LIMIT_EXCEEDED", `Nodes stand inside each other more than ${maxDepth} deep.`, "error");
    return [];
  }
  const found: Child[] = [];
  const { suffix, item, templates } = instance;
  const seen = new Map<string, number>();
  for (const { slot, ids, template } of slots) {
    for (const componentId of ids ?? []) {
      if (found.length > room) return found;
      const times = seen.get(componentId) ?? 0;
      seen.set(componentId, times + 1);
      const id = `${componentId}${suffix}${times > 0 ? `#${times}` : ""}`;
      found.push({ id, componentId, suffix, item, templates, slot });
    }
    if (template) found.push(...itemsOf(instance, template, slot, scope, source));
  }
  return found;
}

/** A child for each item of a list, or for each value of an object. */
function itemsOf(
  instance: ComponentInstance,
  { componentId, path }: { componentId: string; path: string },
  slot: string,
  scope: Scope,
  before: string,
): Child[] {
  const { maxTemplateDepth, maxTemplateItems } = scope.limits;
  const templates = instance.templates + 1;
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
  const keys = isList ? [] : Object.keys(list);
  const { length } = isList ? list : keys;
  const most = Math.min(length, maxTemplateItems);
  scope.steps += isList ? most : length;
  // Of a list that has grown the items so far are those that are there.
  const source = isList && instance.known?.slots.length === 1 ? `${slot} ${componentId} ${pointerOf(place)}` : "";
  const found: Child[] = source !== "" && before === source ? instance.below.slice(0, most) : [];
  instance.source = source;
  for (let at = found.length; at < most; at++) {
    const key = isList ? String(at) : (keys[at] as string);
    const suffix = `${instance.suffix}:${key}`;
    found.push({ id: componentId + suffix, componentId, suffix, item: [...place, key], templates, slot });
  }
  if (length > most) {
    const message = `A template makes ${most} nodes at most; ${pointerOf(place)} has more items.`;
    scope.report("LIMIT_EXCEEDED", message, "error");
  }
  return found;
}
