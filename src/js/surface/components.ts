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
/** Child properties of `Modal` alone, in the flat protocols: other types may have texts under these names. */
const MODAL = ["trigger", "content"];
const ABSENT: SurfaceComponent = { id: "", type: "", props: {}, protocol: "gulf" };

/** A component, prepared once for all nodes that render it. */
export interface Definition {
  readonly component: SurfaceComponent;
  readonly catalog: Catalog | undefined;
  readonly slots: Slot[];
  readonly hasTemplate: boolean;
  /** It reads nothing from data but the values of bindings. */
  readonly isPlain: boolean;
  /** The constant properties, with null for those that depend on data. Nodes without the latter share this object. */
  readonly props: Members;
  readonly live: Live[];
  /** An estimate of the memory and work of the properties of one node. */
  readonly bytes: number;
  readonly state: SurfaceNode["state"];
  readonly issues: SurfaceIssue[] | undefined;
}

/** The catalog of a component; an issue if it names one that the page does not have. */
export type CatalogOf = (component: SurfaceComponent) => Catalog | SurfaceIssue | undefined;

/** Prepares a component. `catalogOrIssue` is what {@link CatalogOf} has returned for it. */
export function definitionOf(component: SurfaceComponent, catalogOrIssue?: ReturnType<CatalogOf>): Definition {
  const catalog = catalogOrIssue instanceof Catalog ? catalogOrIssue : undefined;
  const catalogIssues = catalogOrIssue === undefined || catalogOrIssue instanceof Catalog ? [] : [catalogOrIssue];
  const { protocol } = component;
  const slots: Slot[] = [];
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
      put(props, name, isLive ? null : withCheckResults(name, unwrap(value, protocol), protocol));
    }
  }
  // The action stays as the agent has sent it: its context is resolved when a user acts.
  if (action !== undefined) props.action = action;
  deepFreeze(props);
  const all = [...catalogIssues, ...wrongForms(component.props, protocol), ...(catalog?.check(component) ?? [])];
  const issues = all.length > 0 ? all : undefined;
  // A component that breaks the schema of its type is rendered. Without a type in a catalog, or with a binding of another
  // protocol, it is not.
  const isUnknown = all.some(({ code }) => code !== "INVALID_COMPONENT");
  const state: SurfaceNode["state"] = component === ABSENT ? "pending" : isUnknown ? "unknown" : "ready";
  const hasTemplate = slots.some(({ template }) => template);
  // A node with live properties has its own copy of `props`, at about 32 bytes for each key. What a live property resolves to
  // is estimated as eight times the size of its template.
  const keys = live.length > 0 ? Object.keys(props).length : 0;
  const bytes = live.reduce((sum, { value }) => sum + 8 * measure(value).bytes, 32 * keys);
  const isPlain = !hasTemplate && live.every(({ binding }) => binding);
  return { component, catalog, slots, hasTemplate, isPlain, props, live, bytes, state, issues };
}

/** The definition of a component that has not arrived, or that is cut off as a cycle. */
export const PENDING: Definition = /* @__PURE__ */ definitionOf(ABSENT, undefined);

/** Whether a bound text that holds the JSON of a list is read as the list: `selections` of A2UI v0.8, or a `literalArray`. */
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

/**
 * A property whose value is resolved. In the `checks` of A2UI 1.0 each rule gets its result: the condition is true or false, or an
 * object with `valid`, and perhaps a `message` and a `severity` of its own. Any other property stays as it is.
 */
export const withCheckResults = (name: string, value: Json, protocol: SurfaceProtocol): Json =>
  name !== "checks" || !PROTOCOLS[protocol].hasDirectives
    ? value
    : replaced(value, ({ condition = null, message, ...rule }) => {
        const result: Members = isObject<Json>(condition) ? condition : { valid: condition };
        const { valid = null } = result;
        const text = [result.message, message].find(isText) ?? "";
        const severity = SEVERITIES.find((known) => known === result.severity) ?? "error";
        return { ...rule, ...result, condition: valid, valid, message: text, severity };
      });
