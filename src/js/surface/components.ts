/** Components, with their children told from their properties. */
import { isObject } from "../core/kinds.js";
import { deepFreeze, put } from "../mirror.js";
import type { Json } from "../types.js";
import type { Catalog } from "./catalog.js";
import { withItem } from "./readers.js";
import type { SurfaceComponent, SurfaceIssue, SurfaceProtocol } from "./types.js";
import { bindingOf, dependsOnData, unwrap } from "./values.js";

type JsonObject = { [key: string]: Json };

/** Children of a component: ids, or one component for each item of a list. */
export interface Slot {
  /** A pointer to the property. */
  slot: string;
  ids?: string[];
  template?: { componentId: string; path: string };
}

/** A property that depends on data, as it was sent, and its path if it is a binding and no more. */
interface Live {
  name: string;
  value: Json;
  path: string | undefined;
  isList: boolean;
}

/** A component made ready to be resolved. */
export interface Definition {
  component: SurfaceComponent;
  slots: Slot[];
  /** Whether children are made of data. */
  hasTemplate: boolean;
  /** The properties without those that hold children, frozen; those that depend on data are `null`. The action is last. */
  props: Readonly<JsonObject>;
  /** The properties that depend on data. */
  live: Live[];
  /** What is resolved only when it is done. */
  action: Json | undefined;
  unknown: boolean;
  issues: SurfaceIssue[] | undefined;
}

/** Properties that hold the id of one child. */
const CHILD = ["child", "entryPointChild", "contentChild"];
/** Of modals in A2UI v0.9, where other types may have texts under the same names. */
const MODAL = ["trigger", "content"];
/** Lists of objects that hold a child each. */
const TABS: Record<SurfaceProtocol, string> = { gulf: "tabItems", "a2ui-0.8": "tabItems", "a2ui-0.9": "tabs" };

export function define(component: SurfaceComponent, catalog: Catalog | undefined): Definition {
  const { protocol } = component;
  const slots: Slot[] = [];
  const props: JsonObject = {};
  let live: Live[] = [];
  let action: Json | undefined;
  const listed = catalog?.children(component.type);
  for (const [name, sent] of Object.entries(component.props)) {
    const found =
      listed === undefined ? known(component, name, sent) : listed.has(name) ? childrenIn(name, sent) : undefined;
    if (found) {
      slots.push(found);
    } else if (name === "action") {
      action = sent;
    } else {
      const value = name === TABS[protocol] ? tabs(name, sent, slots) : sent;
      const isLive = dependsOnData(value, protocol);
      if (isLive) live = withItem(live, { name, value, path: bindingOf(value, protocol), isList: isList(name, value) });
      put(props, name, isLive ? null : unwrap(value, protocol));
    }
  }
  if (action !== undefined) props.action = action;
  deepFreeze(props);
  const issues = catalog?.check(component);
  const unknown = issues?.some((issue) => issue.code === "UNKNOWN_TYPE") ?? false;
  const hasTemplate = slots.some(({ template }) => template);
  return { component, slots, hasTemplate, props, live, action, unknown, issues: issues?.length ? issues : undefined };
}

/** Whether a property of A2UI v0.8 is a list. */
const isList = (name: string, value: Json): boolean =>
  name === "selections" || (typeof value === "object" && value !== null && "literalArray" in value);

function known({ type, protocol }: SurfaceComponent, name: string, value: Json): Slot | undefined {
  if (name === "children" || CHILD.includes(name)) return childrenIn(name, value);
  const modal = protocol === "a2ui-0.9" && type === "Modal" && MODAL.includes(name);
  return modal ? childrenIn(name, value) : undefined;
}

/** All forms of children: an id, a list of ids, `{explicitList}`, `{template}`, `{componentId, path}`. */
function childrenIn(slot: string, value: Json): Slot | undefined {
  if (typeof value === "string") return { slot, ids: [value] };
  if (Array.isArray(value)) return { slot, ids: ids(value) };
  if (typeof value !== "object" || value === null) return undefined;
  const { explicitList, template, componentId, path } = value;
  if (Array.isArray(explicitList)) return { slot, ids: ids(explicitList) };
  if (isObject<Json>(template)) {
    return templateOf(slot, template.componentId, template.dataBinding);
  }
  return templateOf(slot, componentId, path);
}

const ids = (list: Json[]): string[] => list.filter((id) => typeof id === "string");

function templateOf(slot: string, componentId: Json | undefined, path: Json | undefined): Slot | undefined {
  if (typeof componentId !== "string" || typeof path !== "string") return undefined;
  return { slot, template: { componentId, path } };
}

function tabs(name: string, value: Json, slots: Slot[]): Json {
  if (!Array.isArray(value)) return value;
  return value.map((tab, index) => {
    if (!isObject<Json>(tab)) return tab;
    const { child, ...rest } = tab;
    if (typeof child !== "string") return tab;
    slots.push({ slot: `${name}/${index}/child`, ids: [child] });
    return rest;
  });
}
