"use client";
/** The context of a `SurfaceView`, and helpers that read and write properties of nodes. */
import { type ComponentType, createContext, type ReactNode, useContext, useState } from "react";
import type { UrlPolicy } from "../../core/url.js";
import type { ClientEvent, FunctionAction, SurfaceEvent, SurfaceNode } from "../../surface/types.js";
import type { Json } from "../../types.js";
import type { SurfaceLabels } from "./labels.js";
import { objectOf, objectsOf, textOf, type View } from "./values.js";

/** The methods of a `SurfaceStream` that a `SurfaceView` calls. `id` is that of a surface, `path` a path in its data. */
export interface SurfaceSource {
  tree(id: string): SurfaceNode | undefined;
  subscribe(listener: (event: SurfaceEvent) => void): () => void;
  setData(id: string, path: string, value: Json): unknown;
  action(id: string, node: Pick<SurfaceNode, "id" | "dataPath">): ClientEvent | FunctionAction;
}

/** The props of a component of the host's own. */
export interface SurfaceComponentProps {
  node: SurfaceNode;
  surfaces: SurfaceSource;
  /** The id of the surface. */
  id: string;
  /** The children of the node, rendered. */
  children: ReactNode;
  /** Passes the event of the node's action to `onAction`. Does nothing for a node without an action. */
  run(): void;
  /** Writes a property that is bound to data; one that is not bound stays as it is. */
  set(prop: string, value: Json): void;
}

/** Components of the host, by the type of a node. */
export type SurfaceComponents = { readonly [type: string]: ComponentType<SurfaceComponentProps> };

/** The settings of a `SurfaceView`, for all components in it. */
export interface Host {
  surfaces: SurfaceSource;
  /** The id of the surface. */
  id: string;
  components: SurfaceComponents;
  labels: SurfaceLabels;
  /** The level of the largest headings. */
  headingLevel: number;
  /** The stream has ended: components that have not arrived never will. */
  ended: boolean;
  /**
   * Renders a node. `Node` and `Children` are in the context because `surface-parts.tsx` cannot import them from `surface.tsx`:
   * that would be a circle of imports.
   */
  Node: ComponentType<{ node: SurfaceNode }>;
  /** Renders the children of a node. */
  Children: ComponentType<{ node: SurfaceNode }>;
  /** Props of the last rendering: in a ref, so that new functions do not render all components again. */
  handlers: {
    readonly current: {
      urls?: UrlPolicy | undefined;
      markdown?: ((text: string) => string) | undefined;
      onAction?: ((event: ClientEvent | FunctionAction, node: SurfaceNode) => unknown) | undefined;
    };
  };
}

export const HostContext = createContext<Host | undefined>(undefined);

/** The settings of the `SurfaceView` around a component. */
export function useHost(): Host {
  const host = useContext(HostContext);
  if (host === undefined) throw new Error("This component belongs into a SurfaceView.");
  return host;
}

/**
 * The first of several properties that has a value; `undefined` if none has. The protocols have different names for one property,
 * and null stands for bound data that is missing.
 */
export function propOf({ props }: SurfaceNode, ...names: string[]): View {
  return names.map((name) => (Object.hasOwn(props, name) ? props[name] : undefined)).find((value) => value != null);
}

/** {@link propOf} as text; "" without a value. */
export const textProp = (node: SurfaceNode, ...names: string[]): string => textOf(propOf(node, ...names));

/** {@link propOf} as a number, which agents also send as text; `fallback` if it is none. */
export function numberProp(node: SurfaceNode, { fallback }: { fallback: number }, ...names: string[]): number {
  const value = propOf(node, ...names);
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : fallback;
}

/**
 * A node's share of the room in a row or a column: a whole number from 1 to 12, each of which has a rule in the style sheet.
 * `undefined` without a positive weight: the node takes the room of its content.
 */
export const weightOf = ({ weight }: SurfaceNode): number | undefined =>
  weight === undefined || !(weight > 0) ? undefined : Math.min(12, Math.max(1, Math.round(weight)));

/** Attributes of an element: the label and the description that the agent wrote for assistive technologies. */
export function labelAttributes(node: SurfaceNode) {
  const { label, description } = objectOf(propOf(node, "accessibility"));
  return { "aria-label": textOf(label) || undefined, "aria-description": textOf(description) || undefined };
}

/**
 * Attributes of the outermost element of a node: its share of the room, whether assistive technologies read out its changes, and
 * whether it is hidden from them.
 */
export function frameAttributes(node: SurfaceNode) {
  const { live, hidden } = objectOf(propOf(node, "accessibility"));
  const readOut: "polite" | "assertive" | undefined = live === "polite" || live === "assertive" ? live : undefined;
  return {
    "data-weight": weightOf(node),
    "aria-live": readOut,
    "aria-hidden": hidden === true || undefined,
  };
}

/**
 * {@link frameAttributes} and {@link labelAttributes} for an element without a role, such as a `div`: with a label or a
 * description it needs a role.
 */
export function groupAttributes(node: SurfaceNode) {
  const labels = labelAttributes(node);
  const isLabelled = labels["aria-label"] !== undefined || labels["aria-description"] !== undefined;
  return { ...frameAttributes(node), ...labels, role: isLabelled ? "group" : undefined };
}

/** Writes a property that is bound to data; any other property stays as it is. */
export function setBoundProp({ surfaces, id }: Host, { bindings }: SurfaceNode, prop: string, value: Json): void {
  const path = bindings?.[prop];
  if (path !== undefined) surfaces.setData(id, path, value);
}

/**
 * Passes the event of a node's action to `onAction` of the host, and returns its result; `undefined` without an action or a
 * handler.
 */
export function runAction({ surfaces, id, handlers }: Host, node: SurfaceNode): unknown {
  if (typeof node.props.action !== "object" || node.props.action === null) return undefined;
  return handlers.current.onAction?.(surfaces.action(id, node), node);
}

/**
 * The value of a control, and a function that writes it: into the data if one of the properties `names` is bound, else into the
 * state of the component, where nobody else reads it.
 */
export function useBound(node: SurfaceNode, ...names: string[]): [View, (value: Json) => void] {
  const host = useHost();
  const [local, setLocal] = useState<Json>();
  const prop = names.find((name) => node.bindings?.[name] !== undefined);
  if (prop === undefined) return [local ?? propOf(node, ...names), setLocal];
  return [propOf(node, prop), (value) => setBoundProp(host, node, prop, value)];
}

/** The failing checks of a node that make its value wrong (`fault`), or those of severity `warning` and `info` (`hint`). */
const failedChecks = (node: SurfaceNode, kind: "fault" | "hint") =>
  objectsOf(propOf(node, "checks")).filter(
    ({ condition, severity = "error" }) => condition === false && (severity === "error") === (kind === "fault"),
  );

/** The message of the first failing check that makes the value wrong, "!" if that has no message; "" if all pass. */
export function faultOf(node: SurfaceNode): string {
  const [failedCheck] = failedChecks(node, "fault");
  return failedCheck ? textOf(failedCheck.message) || "!" : "";
}

/** The message of the first failing check of severity `warning` or `info`; "" if it has none, and if all pass. */
export const hintOf = (node: SurfaceNode): string => textOf(failedChecks(node, "hint")[0]?.message);
