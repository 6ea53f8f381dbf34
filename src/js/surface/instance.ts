/** A node with what it was made from. */

import { deepFreeze, put } from "../core/mirror.js";
import { equal } from "../diff/equal.js";
import type { Json } from "../types.js";
import type { Definition } from "./components.js";
import type { Segments } from "./data.js";
import { pointerOf } from "./paths.js";
import type { Watch } from "./readers.js";
import type { SurfaceNode } from "./types.js";
import { bound, placeOf, resolve, type Scope } from "./values.js";

/** A node with what is needed to resolve it again. */
export interface Instance {
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
  at: number;
  below: Instance[];
  /** The definition that it was last resolved by. */
  known: Definition | undefined;
  /** Which list its children are the items of, if they are that alone. */
  source: string;
  /** The nodes of what is below, when the tree was looked at last. */
  children: SurfaceNode["children"];
  readings: Watch<Instance>[];
  node: SurfaceNode | undefined;
  /** Which of its children have new nodes; all if there are others. */
  fresh: Instance[] | "all";
  alive: boolean;
  stale: boolean;
}

export type Draft = { -readonly [Key in keyof SurfaceNode]: SurfaceNode[Key] };

export type Child = Pick<Instance, "id" | "componentId" | "suffix" | "item" | "templates"> & { slot?: string };

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
export function isSame(own: Instance | undefined, child: Child | undefined): boolean {
  if (own === child || own === undefined || child === undefined) return own === child;
  return (
    own.id === child.id &&
    own.slot === child.slot &&
    own.item.length === child.item.length &&
    own.item.every((segment, at) => segment === child.item[at])
  );
}
