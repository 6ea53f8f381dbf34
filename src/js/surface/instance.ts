/** An instance of a component, and what its node is resolved to: properties, bindings, children. */

import { deepFreeze, put } from "../core/mirror.js";
import { equal } from "../diff/equal.js";
import type { Json, Limits } from "../types.js";
import type { Definition, Slot } from "./components.js";
import type { Segments } from "./data.js";
import { pointerOf } from "./paths.js";
import type { Watch } from "./readers.js";
import type { SurfaceErrorCode, SurfaceNode } from "./types.js";
import { bound, listIn, placeOf, readAt, resolve, type Scope } from "./values.js";

/** A component at one place of the tree; a template makes one for each item. With what is needed to resolve its node again. */
export interface ComponentInstance {
  readonly id: string;
  readonly componentId: string;
  /** What is behind the component's id: the indexes of the templates around. */
  readonly suffix: string;
  readonly item: Segments;
  readonly above: ComponentInstance | undefined;
  readonly depth: number;
  readonly templates: number;
  readonly slot: string | undefined;
  readonly cyclic: boolean;
  at: number;
  below: ComponentInstance[];
  /** The definition that it was last resolved by. */
  known: Definition | undefined;
  /** Which list its children are the items of, if they are that alone. */
  source: string;
  /** The nodes of what is below, when the tree was looked at last. */
  children: SurfaceNode["children"];
  readings: Watch<ComponentInstance>[];
  node: SurfaceNode | undefined;
  /** Which of its children have new nodes; all if there are others. */
  fresh: ComponentInstance[] | "all";
  alive: boolean;
  stale: boolean;
}

export type Draft = { -readonly [Key in keyof SurfaceNode]: SurfaceNode[Key] };

export type Child = Pick<ComponentInstance, "id" | "componentId" | "suffix" | "item" | "templates"> & { slot?: string };

/** The properties of a node: those that it has if they are the same. */
export function propsOf(
  { props, live }: Definition,
  scope: Scope,
  node: SurfaceNode | undefined,
  isKnown: boolean,
): SurfaceNode["props"] {
  // By the same definition only what depends on data can differ.
  const before = isKnown ? node?.props : undefined;
  let made: { [name: string]: Json } | undefined;
  for (const { name, value, path, isList } of live) {
    const now =
      path === undefined ? resolve(value, scope) : bound(value as { [key: string]: Json }, path, scope, isList);
    if (made === undefined && before && equal(before[name] as Json, now)) continue;
    deepFreeze(now);
    made ??= { ...(before ?? props) };
    put(made, name, now);
  }
  const now = made ? Object.freeze(made) : (before ?? props);
  return !isKnown && node && equal(node.props as Json, now as Json) ? node.props : now;
}

/** The places of the properties that are bound: the same object if they are the same. */
export function bindingsOf({ live }: Definition, scope: Scope, node: SurfaceNode | undefined): SurfaceNode["bindings"] {
  let bindings: Record<string, string> | undefined;
  scope.quiet = true;
  for (const { name, path } of live) {
    const place = path === undefined ? undefined : placeOf(path, scope, "value");
    if (place === undefined) continue;
    bindings ??= {};
    put(bindings, name, pointerOf(place));
  }
  scope.quiet = false;
  const before = node?.bindings;
  if (before && bindings && equal(before as Json, bindings)) return before;
  return bindings && Object.freeze(bindings);
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

/** How many there may be, and where to tell of more. */
export interface Room {
  nodes: number;
  limits: Limits;
  spend(steps: number): void;
  complain(severity: "error" | "warning", code: SurfaceErrorCode, message: string): void;
}

export function childrenOf(instance: ComponentInstance, slots: Slot[], scope: Scope, room: Room): Child[] {
  const { limits } = room;
  if (slots.length > 0 && instance.depth + 1 >= limits.maxDepth) {
    room.complain("error", "LIMIT_EXCEEDED", `Nodes stand inside each other more than ${limits.maxDepth} deep.`);
    return [];
  }
  const found: Child[] = [];
  const { suffix, item, templates } = instance;
  const seen = new Map<string, number>();
  for (const { slot, ids, template } of slots) {
    for (const componentId of ids ?? []) {
      if (found.length > room.nodes) return found;
      const times = seen.get(componentId) ?? 0;
      seen.set(componentId, times + 1);
      const id = `${componentId}${suffix}${times > 0 ? `#${times}` : ""}`;
      found.push({ id, componentId, suffix, item, templates, slot });
    }
    if (template) found.push(...itemsOf(instance, template, slot, scope, room));
  }
  return found;
}

/** A child for each item of a list, or for each value of an object. */
function itemsOf(
  instance: ComponentInstance,
  { componentId, path }: { componentId: string; path: string },
  slot: string,
  scope: Scope,
  { limits, complain, spend }: Room,
): Child[] {
  const templates = instance.templates + 1;
  if (templates > limits.maxTemplateDepth) {
    const message = `Templates stand inside each other more than ${limits.maxTemplateDepth} deep.`;
    complain("error", "LIMIT_EXCEEDED", message);
    return [];
  }
  const place = placeOf(path, scope, "shape");
  const read = place && readAt(place, scope);
  if (place === undefined || read === undefined || read === null) return [];
  const list = listIn(read, scope);
  if (typeof list !== "object" || list === null) {
    complain("warning", "INVALID_PATH", `A template needs a list; ${pointerOf(place)} is a ${typeof list}.`);
    return [];
  }
  const isList = Array.isArray(list);
  const keys = isList ? list.keys() : Object.keys(list);
  spend(isList ? Math.min(list.length, limits.maxTemplateItems) : (keys as string[]).length);
  const found: Child[] = [];
  // Of a list that has grown the items so far are those that are there.
  const source = isList && instance.known?.slots.length === 1 ? `${slot} ${componentId} ${pointerOf(place)}` : "";
  const before = source !== "" && instance.source === source ? instance.below : [];
  instance.source = source;
  for (const key of keys) {
    if (found.length >= limits.maxTemplateItems) {
      const message = `A template makes ${limits.maxTemplateItems} nodes at most; ${pointerOf(place)} has more items.`;
      complain("error", "LIMIT_EXCEEDED", message);
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
