/** Prepares a component: separates its children, and the properties that depend on data, from the constant ones. */
import { isObject, isText, type Members } from "../core/kinds.js";
import { measure } from "../core/measure.js";
import { deepFreeze, put } from "../core/tree.js";
import type { Json } from "../types.js";
import { Catalog } from "./catalog.js";
import { type Binding, bindingOf, wrongForms } from "./directives.js";
import { PROTOCOLS, propertyName } from "./protocols.js";
import { withItem } from "./readers.js";
import type { SurfaceComponent, SurfaceIssue, SurfaceNode, SurfaceProtocol } from "./types.js";
import { dependsOnData, unwrap } from "./values.js";

/** A property that holds children: ids, or a template with one child for each item of a list. */
export interface Slot {
  /** A JSON Pointer to the property, without the first `/`. */
  slot: string;
  ids?: string[];
  template?: Template;
}

export type Template = { componentId: string; path: string };

/** A property that depends on data. `binding` is set if the whole value is a binding. */
interface Live {
  name: string;
  value: Json;
  binding: Binding | undefined;
  isList: boolean;
}

const CHILD = ["children", "child", "entryPointChild", "contentChild"];
/** Child properties of `Modal` alone, in A2UI v0.9: other types may have texts under these names. */
const MODAL = ["trigger", "content"];
const ABSENT: SurfaceComponent = { id: "", type: "", props: {}, protocol: "gulf" };

export type Definition = ReturnType<typeof define>;

/** The catalog of a component; an issue if it names one that the page does not have. */
export type CatalogOf = (component: SurfaceComponent) => Catalog | SurfaceIssue | undefined;

export function define(component: SurfaceComponent, chosen?: ReturnType<CatalogOf>) {
  const catalog = chosen instanceof Catalog ? chosen : undefined;
  const noCatalog = chosen === undefined || chosen instanceof Catalog ? [] : [chosen];
  const { protocol } = component;
  const slots: Slot[] = [];
  // The constant properties, with null for those that depend on data. The action is last, as it was sent.
  const props: Members = {};
  let live: Live[] = [];
  let action: Json | undefined;
  const { tabs: tabsName, isFlat } = PROTOCOLS[protocol];
  const listed = catalog?.children(component.type);
  for (const [sentName, sent] of Object.entries(component.props)) {
    const name = propertyName(sentName, protocol);
    const holds = listed ? listed.has(name) : holdsChildren(component, name);
    const found = holds ? childrenIn(name, sent) : undefined;
    if (found) {
      slots.push(found);
    } else if (name === "action") {
      action = sent;
    } else {
      const holdsChecks = name === "checks" && isFlat;
      const value = name === tabsName ? tabs(name, sent, slots) : holdsChecks ? checks(sent) : sent;
      const binding = bindingOf(value, protocol);
      const isLive = binding !== undefined || dependsOnData(value, protocol);
      if (isLive) live = withItem(live, { name, value, binding, isList: isList(name, value) });
      put(props, name, isLive ? null : results(name, unwrap(value, protocol), protocol));
    }
  }
  if (action !== undefined) props.action = action;
  deepFreeze(props);
  const all = [...noCatalog, ...wrongForms(component.props, protocol), ...(catalog?.check(component) ?? [])];
  const issues = all.length > 0 ? all : undefined;
  const isUnknown = all.some(({ code }) => code !== "INVALID_COMPONENT");
  const state: SurfaceNode["state"] = component === ABSENT ? "pending" : isUnknown ? "unknown" : "ready";
  const hasTemplate = slots.some(({ template }) => template);
  // An estimate of the memory and work of one node: its properties, and the size of those that depend on data.
  const keys = live.length > 0 ? Object.keys(props).length : 0;
  const bytes = live.reduce((sum, { value }) => sum + 8 * measure(value).bytes, 32 * keys);
  // Plain components read nothing from data but the values of bindings.
  const isPlain = !hasTemplate && live.every(({ binding }) => binding);
  return { component, catalog, slots, hasTemplate, isPlain, props, live, bytes, state, issues };
}

/** The definition of a component that has not arrived, or that is cut off as a cycle. */
export const PENDING: Definition = /* @__PURE__ */ define(ABSENT, undefined);

const isList = (name: string, value: Json): boolean =>
  name === "selections" || (isObject(value) && "literalArray" in value);

const holdsChildren = ({ type, protocol }: SurfaceComponent, name: string): boolean =>
  CHILD.includes(name) || (PROTOCOLS[protocol].isFlat && type === "Modal" && MODAL.includes(name));

/** All forms of children: an id, a list of ids, `{explicitList}`, `{template}`, `{componentId, path}`. */
function childrenIn(slot: string, value: Json): Slot | undefined {
  if (isText(value)) return { slot, ids: [value] };
  const list = isObject<Json>(value) ? value.explicitList : value;
  if (Array.isArray(list)) return { slot, ids: list.filter(isText) };
  if (!isObject<Json>(value)) return undefined;
  const template = isObject<Json>(value.template) ? value.template : value;
  const { componentId } = template;
  const path = template === value ? (value["@path"] ?? value.path) : template.dataBinding;
  return isText(componentId) && isText(path) ? { slot, template: { componentId, path } } : undefined;
}

/** A list with its objects replaced by what `make` returns. */
const replaced = (list: Json, make: (item: Members, index: number) => Json): Json =>
  Array.isArray(list) ? list.map((item, index) => (isObject<Json>(item) ? make(item, index) : item)) : list;

const tabs = (name: string, value: Json, slots: Slot[]): Json =>
  replaced(value, (tab, index) => {
    const { child, ...rest } = tab;
    if (!isText(child)) return tab;
    slots.push({ slot: `${name}/${index}/child`, ids: [child] });
    return rest;
  });

/** Rules of A2UI v0.9: the condition is in `condition`, or its members are next to `message`. */
const checks = (value: Json): Json =>
  replaced(value, (rule) => {
    if ("condition" in rule) return rule;
    const { message = "", ...condition } = rule;
    return { condition, message };
  });

const SEVERITIES = ["error", "warning", "info"];

/** A resolved property. The `checks` of A2UI 1.0 get results: a condition may be true or false, or a result of its own. */
export const results = (name: string, value: Json, protocol: SurfaceProtocol): Json =>
  name !== "checks" || !PROTOCOLS[protocol].hasDirectives
    ? value
    : replaced(value, ({ condition = null, message, ...rule }) => {
        const result: Members = isObject<Json>(condition) ? condition : { valid: condition };
        const { valid = null, severity } = result;
        const words = [result.message, message].find(isText) ?? "";
        const weight = isText(severity) && SEVERITIES.includes(severity) ? severity : "error";
        return { ...rule, ...result, condition: valid, valid, message: words, severity: weight };
      });
