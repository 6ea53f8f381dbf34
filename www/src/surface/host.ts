/** What the parts of a surface need of the stream that they came from. */
import type { Json, SurfaceNode } from "genui-patch";
import { createContext, useContext, useState } from "react";
import { isObject, own, type View } from "../lib/view";
import { t } from "../words/words";

export interface SurfaceHost {
  /** Where the property's value is kept in the data model; undefined if the property is a plain value. */
  pathOf(node: SurfaceNode, prop: string): string | undefined;
  write(path: string, value: Json): void;
  /** What the component asks for when it is pressed. */
  act(node: SurfaceNode): void;
  /** Whether the stream is over: what is missing will not come. */
  over: boolean;
}

const nowhere: SurfaceHost = { pathOf: () => undefined, write: () => {}, act: () => {}, over: false };

export const HostContext = createContext<SurfaceHost>(nowhere);
export const useHost = () => useContext(HostContext);

/** Told when a component inside is pressed, besides what it does itself. */
export const PressContext = createContext<(() => void) | undefined>(undefined);

export interface PartProps {
  node: SurfaceNode;
}

/** The first of the properties that is there: protocols name the same thing differently. */
export function prop(node: SurfaceNode, ...names: string[]): View | undefined {
  for (const name of names) {
    const value = own(node.props, name);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

export const text = (value: View | undefined): string =>
  value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

export const num = (value: View | undefined, fallback: number): number => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : fallback;
};

/** A value that an input shows and writes: into the data model where it is bound, else only here. */
export function useBound(node: SurfaceNode, ...names: string[]): [View | undefined, (value: Json) => void] {
  const host = useHost();
  const [local, setLocal] = useState<Json>();
  const path = names.map((name) => host.pathOf(node, name)).find((found) => found !== undefined);
  const given = prop(node, ...names);
  if (path === undefined) return [local ?? given, setLocal];
  return [given, (value) => host.write(path, value)];
}

/** The messages of the checks that fail. */
export function failedChecks(node: SurfaceNode): string[] {
  const checks = prop(node, "checks");
  if (!Array.isArray(checks)) return [];
  return checks.flatMap((check: View) =>
    isObject(check) && check.condition === false ? [text(check.message) || t("Not valid.")] : [],
  );
}
