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

/** A property that holds children: either ids, or a template with one child for each item of a list. */
export interface Slot {
  /** A JSON Pointer to the property, without the first `/`. */
  slot: string;
  ids?: string[];
  template?: Template;
}

/** The component of each item, and the path of the list in the data, as it was sent. */
export type Template = { componentId: string; path: string };

/** A property that depends on data. */
interface LiveProperty {
  name: string;
  /** The property with its bindings and calls. */
  value: Json;
  /** Set if the whole value is a binding. */
  binding: Binding | undefined;
  /** A bound text with the JSON of a list is read as the list. */
  isList: boolean;
}

/** The properties that hold children, if no catalog says which ones do. */
const CHILD_PROPERTIES = ["children", "child", "entryPointChild", "contentChild"];
/** The same for `Modal` alone, in A2UI v0.9 and 1.0: other types may have texts under these names. */
const MODAL_PROPERTIES = ["trigger", "content"];
/** The placeholder of a component that has not arrived. */
const ABSENT: SurfaceComponent = { id: "", type: "", props: {}, protocol: "gulf" };

/** A component, prepared once for all nodes that render it. */
export interface Definition {
  readonly component: SurfaceComponent;
  readonly catalog: Catalog | undefined;
  readonly slots: Slot[];
  /** One of the slots has a template. */
  readonly hasTemplate: boolean;
  /** The component has no template, and each property that depends on data is a binding as a whole. */
  readonly isPlain: boolean;
  /** The properties, with null for each that depends on data. Without such a property, all nodes share this object. */
  readonly props: Members;
  /** The properties that depend on data. */
  readonly live: LiveProperty[];
  /** An estimate of the memory that the properties of one node take. */
  readonly bytes: number;
  /** The state of its nodes, unless their place is not allowed or they are cut off as a cycle. */
  readonly state: SurfaceNode["state"];
  /** `undefined` if none exist. */
  readonly issues: SurfaceIssue[] | undefined;
}

/** The catalog of a component; an issue if it names one that the page does not have; `undefined` if the page has no catalogs. */
export type CatalogOf = (component: SurfaceComponent) => Catalog | SurfaceIssue | undefined;

/**
 * Prepares a component: each of its properties is a slot for children, the action, depends on data (`live`), or is constant.
 * `catalogOrIssue` is what {@link CatalogOf} has returned for the component.
 */
export function definitionOf(component: SurfaceComponent, catalogOrIssue?: ReturnType<CatalogOf>): Definition {
  const catalog = catalogOrIssue instanceof Catalog ? catalogOrIssue : undefined;
  const catalogIssues = catalogOrIssue === undefined || catalogOrIssue instanceof Catalog ? [] : [catalogOrIssue];
  const { protocol } = component;
  const slots: Slot[] = [];
  const props: Members = {};
  let live: LiveProperty[] = [];
  let action: Json | undefined;
  const { tabs: tabsName, isFlat } = PROTOCOLS[protocol];
  const childNames = catalog?.children(component.type);
  for (const [sentName, sent] of Object.entries(component.props)) {
    const name = propertyName(sentName, protocol);
    const isForChildren = childNames ? childNames.has(name) : holdsChildren(component, name);
    const slot = isForChildren ? slotOf(name, sent) : undefined;
    if (slot) {
      slots.push(slot);
    } else if (name === "action") {
      action = sent;
    } else {
      let value = sent;
      if (name === tabsName) value = withoutChildren(name, sent, slots);
      else if (name === "checks" && isFlat) value = withConditions(sent);
      const binding = bindingOf(value, protocol);
      const isLive = binding !== undefined || dependsOnData(value, protocol);
      if (isLive) live = withItem(live, { name, value, binding, isList: isList(name, value) });
      put(props, name, isLive ? null : withCheckResults(name, unwrap(value, protocol), protocol));
    }
  }
  // The action stays as the agent has sent it: its context is resolved when a user acts.
  if (action !== undefined) props.action = action;
  deepFreeze(props);
  const allIssues = [...catalogIssues, ...wrongForms(component.props, protocol), ...(catalog?.check(component) ?? [])];
  const issues = allIssues.length > 0 ? allIssues : undefined;
  // A component that breaks the schema of its type is rendered. One whose type is not in the catalog, or with a binding of
  // another protocol, is not.
  const isUnknown = allIssues.some(({ code }) => code !== "INVALID_COMPONENT");
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
export const PENDING: Definition = /* @__PURE__ */ definitionOf(ABSENT);

/** Whether a bound text that holds the JSON of a list is read as the list: `selections` of A2UI v0.8, or a `literalArray`. */
const isList = (name: string, value: Json): boolean =>
  name === "selections" || (isObject(value) && "literalArray" in value);

/** Whether a property holds children, if no catalog says which ones do. */
const holdsChildren = ({ type, protocol }: SurfaceComponent, name: string): boolean =>
  CHILD_PROPERTIES.includes(name) ||
  (PROTOCOLS[protocol].isFlat && type === "Modal" && MODAL_PROPERTIES.includes(name));

/**
 * Reads children in any form: an id, a list of ids, `{explicitList}`, `{template}`, `{componentId, path}`. `undefined` for
 * another value.
 */
function slotOf(slot: string, value: Json): Slot | undefined {
  if (isText(value)) return { slot, ids: [value] };
  const list = isObject<Json>(value) ? value.explicitList : value;
  if (Array.isArray(list)) return { slot, ids: list.filter(isText) };
  if (!isObject<Json>(value)) return undefined;
  const template = isObject<Json>(value.template) ? value.template : value;
  const { componentId } = template;
  const path = template === value ? (value["@path"] ?? value.path) : template.dataBinding;
  return isText(componentId) && isText(path) ? { slot, template: { componentId, path } } : undefined;
}

/** A list with its objects replaced by what `make` returns. Any other value is returned unchanged. */
const mapObjects = (list: Json, make: (item: Members, index: number) => Json): Json =>
  Array.isArray(list) ? list.map((item, index) => (isObject<Json>(item) ? make(item, index) : item)) : list;

/** The property of tabs without their children. For each child a slot is added to `slots`. */
const withoutChildren = (name: string, value: Json, slots: Slot[]): Json =>
  mapObjects(value, (tab, index) => {
    const { child, ...rest } = tab;
    if (!isText(child)) return tab;
    slots.push({ slot: `${name}/${index}/child`, ids: [child] });
    return rest;
  });

/**
 * The property `checks` with each rule as `{condition, message}`: a rule may also have the members of its condition next to
 * `message`.
 */
const withConditions = (value: Json): Json =>
  mapObjects(value, (rule) => {
    if ("condition" in rule) return rule;
    const { message = "", ...condition } = rule;
    return { condition, message };
  });

/** The severities of a failed check. Any other counts as the first. */
const SEVERITIES = ["error", "warning", "info"];

/**
 * A property whose value is resolved. In the `checks` of A2UI 1.0 each rule gets its result: the condition is true or false, or
 * an object with `valid`, and perhaps a `message` and a `severity` of its own. Any other property is returned unchanged.
 */
export const withCheckResults = (name: string, value: Json, protocol: SurfaceProtocol): Json =>
  name !== "checks" || !PROTOCOLS[protocol].hasDirectives
    ? value
    : mapObjects(value, ({ condition = null, message, ...rule }) => {
        const result: Members = isObject<Json>(condition) ? condition : { valid: condition };
        const { valid = null } = result;
        const text = [result.message, message].find(isText) ?? "";
        const severity = SEVERITIES.find((known) => known === result.severity) ?? "error";
        return { ...rule, ...result, condition: valid, valid, message: text, severity };
      });
