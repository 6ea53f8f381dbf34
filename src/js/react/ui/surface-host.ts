"use client";
/** The context of a `SurfaceView`, and helpers to read properties of nodes. */
import { type ComponentType, createContext, type ReactNode, useContext, useState } from "react";
import type { UrlPolicy } from "../../core/url.js";
import type { ClientEvent, FunctionAction, SurfaceEvent, SurfaceNode } from "../../surface/types.js";
import type { Json } from "../../types.js";
import type { SurfaceLabels } from "./labels.js";
import { objectOf, objectsOf, textOf, type View } from "./values.js";

/** The methods of a `SurfaceStream` that a `SurfaceView` calls. */
export interface SurfaceSource {
  tree(id: string): SurfaceNode | undefined;
  subscribe(listener: (event: SurfaceEvent) => void): () => void;
  setData(id: string, path: string, value: Json): unknown;
  action(id: string, node: Pick<SurfaceNode, "id" | "dataPath">): ClientEvent | FunctionAction;
}

/** A component of the host's own. */
export interface SurfaceComponentProps {
  node: SurfaceNode;
  surfaces: SurfaceSource;
  /** The surface. */
  id: string;
  /** The children of the node, rendered. */
  children: ReactNode;
  /** Runs the action of the node. */
  run(): void;
  /** Writes a property that is bound to data; one that is not bound stays as it is. */
  set(prop: string, value: Json): void;
}

export type SurfaceComponents = { readonly [type: string]: ComponentType<SurfaceComponentProps> };

/** The settings of a `SurfaceView`, for all components in it. */
export interface Host {
  surfaces: SurfaceSource;
  id: string;
  components: SurfaceComponents;
  labels: SurfaceLabels;
  headingLevel: number;
  ended: boolean;
  Node: ComponentType<{ node: SurfaceNode }>;
  Children: ComponentType<{ node: SurfaceNode }>;
  /** The handlers of the last rendering. */
  handlers: {
    readonly current: {
      urls?: UrlPolicy | undefined;
      markdown?: ((text: string) => string) | undefined;
      onAction?: ((event: ClientEvent | FunctionAction, node: SurfaceNode) => unknown) | undefined;
    };
  };
}

export const HostContext = createContext<Host | undefined>(undefined);

export function useHost(): Host {
  const host = useContext(HostContext);
  if (host === undefined) throw new Error("This component belongs into a SurfaceView.");
  return host;
}

/** The first of several properties that has a value: the protocols have different names for one property. */
export function propOf({ props }: SurfaceNode, ...names: string[]): View {
  return names.map((name) => (Object.hasOwn(props, name) ? props[name] : undefined)).find((value) => value != null);
}

export const textProp = (node: SurfaceNode, ...names: string[]): string => textOf(propOf(node, ...names));

export function numberProp(node: SurfaceNode, otherwise: number, ...names: string[]): number {
  const value = propOf(node, ...names);
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : otherwise;
}

/** The share of the room in a row or a column: a whole number from 1 to 12, each of which the style sheet lists. */
export const weightOf = ({ weight }: SurfaceNode): number | undefined =>
  weight === undefined || !(weight > 0) ? undefined : Math.min(12, Math.max(1, Math.round(weight)));

/** The label and the description of a node for assistive technologies, as attributes. */
export function spokenOf(node: SurfaceNode) {
  const { label, description } = objectOf(propOf(node, "accessibility"));
  return { "aria-label": textOf(label) || undefined, "aria-description": textOf(description) || undefined };
}

/** Attributes of the element around a node: its share of the room, and whether changes are read out or all of it is not. */
export function placeOf(node: SurfaceNode) {
  const { live, hidden } = objectOf(propOf(node, "accessibility"));
  const read: "polite" | "assertive" | undefined = live === "polite" || live === "assertive" ? live : undefined;
  return {
    "data-weight": weightOf(node),
    "aria-live": read,
    "aria-hidden": hidden === true || undefined,
  };
}

/** As {@link placeOf}, for an element that has a name only with a role. */
export function groupOf(node: SurfaceNode) {
  const spoken = spokenOf(node);
  const isSpoken = spoken["aria-label"] !== undefined || spoken["aria-description"] !== undefined;
  return { ...placeOf(node), ...spoken, role: isSpoken ? "group" : undefined };
}

/** Writes a property that is bound to data; any other property stays as it is. */
export function set({ surfaces, id }: Host, { bindings }: SurfaceNode, prop: string, value: Json): void {
  const path = bindings?.[prop];
  if (path !== undefined) surfaces.setData(id, path, value);
}

/** Passes the event of a node's action to `onAction` of the host. Returns its result. */
export function run({ surfaces, id, handlers }: Host, node: SurfaceNode): unknown {
  if (typeof node.props.action !== "object" || node.props.action === null) return undefined;
  return handlers.current.onAction?.(surfaces.action(id, node), node);
}

/** A value that a control shows and writes: into the data where it is bound, else into the component alone. */
export function useBound(node: SurfaceNode, ...names: string[]): [View, (value: Json) => void] {
  const host = useHost();
  const [local, setLocal] = useState<Json>();
  const prop = names.find((name) => node.bindings?.[name] !== undefined);
  if (prop === undefined) return [local ?? propOf(node, ...names), setLocal];
  return [propOf(node, prop), (value) => set(host, node, prop, value)];
}

/** The failing checks of a node: those that make its value wrong (`isError`), or those of severity `warning` and `info`. */
const failedChecks = (node: SurfaceNode, isError: boolean) =>
  objectsOf(propOf(node, "checks")).filter(
    ({ condition, severity = "error" }) => condition === false && (severity === "error") === isError,
  );

/** The message of the first failing check that makes the value wrong, `!` if it has none; empty if all pass. */
export function faultOf(node: SurfaceNode): string {
  const [failed] = failedChecks(node, true);
  return failed ? textOf(failed.message) || "!" : "";
}

/** The message of the first failing check of severity `warning` or `info`; empty if all pass. */
export const hintOf = (node: SurfaceNode): string => textOf(failedChecks(node, false)[0]?.message);
