/** Which children a node has. */
import type { Limits } from "../types.js";
import type { Slot } from "./components.js";
import type { Child, Instance } from "./instance.js";
import { pointerOf } from "./paths.js";
import type { SurfaceErrorCode } from "./types.js";
import { listIn, placeOf, readAt, type Scope } from "./values.js";

/** How many there may be, and where to tell of more. */
export interface Room {
  nodes: number;
  limits: Limits;
  spend(steps: number): void;
  complain(severity: "error" | "warning", code: SurfaceErrorCode, message: string): void;
}

export function childrenOf(instance: Instance, slots: Slot[], scope: Scope, room: Room): Child[] {
  const { limits } = room;
  if (slots.length > 0 && instance.depth + 1 >= limits.maxDepth) {
    const message = `Nodes stand inside each other more than ${limits.maxDepth} deep.`;
    room.complain("error", "LIMIT_EXCEEDED", message);
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
  instance: Instance,
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
