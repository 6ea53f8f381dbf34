/** A node with what it was made from. */
import { equal } from "../diff/equal.js";
import { put } from "../mirror.js";
import type { Json } from "../types.js";
import type { Definition } from "./components.js";
import type { Segments } from "./data.js";
import { pointerOf } from "./paths.js";
import type { Watch } from "./readers.js";
import type { SurfaceNode } from "./types.js";
import { bindingOf, placeOf, type Scope } from "./values.js";

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
  /** Its place among its siblings. */
  at: number;
  below: Instance[];
  scope: Scope | undefined;
  /** The definition that it was last resolved by, and the bindings in it. */
  known: Definition | undefined;
  bindings: Record<string, string> | undefined;
  /** Which list its children are the items of, if they are that alone. */
  source: string;
  /** The nodes of what is below. */
  nodes: SurfaceNode[];
  readings: Set<Watch<Instance>>;
  node: SurfaceNode | undefined;
  /** Which of its children have new nodes; all if there are others. */
  fresh: Instance[] | "all";
  alive: boolean;
  stale: boolean;
}

/** A node that is being made. */
export type Draft = { -readonly [Key in keyof SurfaceNode]: SurfaceNode[Key] };

/** A node that is asked for. */
export interface Child extends Pick<Instance, "id" | "componentId" | "suffix" | "item" | "templates"> {
  slot: string;
}

/** The places of the properties that are bound. */
export function bindingsOf({ props, component }: Definition, scope: Scope): Record<string, string> | undefined {
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
export function isAlike(one: SurfaceNode, other: SurfaceNode): boolean {
  return (
    one.type === other.type &&
    one.state === other.state &&
    one.weight === other.weight &&
    one.issues === other.issues &&
    equal(one.props as Json, other.props as Json) &&
    equal((one.bindings ?? null) as Json, (other.bindings ?? null) as Json)
  );
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
