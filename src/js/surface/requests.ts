/**
 * Reads what a message asks for: the requests that several protocols share. `at` is the JSON Pointer of what is read in the
 * message, for refusals, which these functions throw.
 */
import { isObject, isText, type Members, typeName } from "../core/kinds.js";
import { put } from "../core/tree.js";
import type { Json } from "../types.js";
import { type Segments, segmentsOf } from "./paths.js";
import { PROTOCOLS } from "./protocols.js";
import { excerpt, Refusal } from "./refusal.js";
import type { SurfaceComponent, SurfaceInfo, SurfaceProtocol } from "./types.js";

/** Facts about a surface that one message has. */
export type Info = Partial<Omit<SurfaceInfo, "protocol" | "rendering">>;

export interface ComponentsRequest {
  kind: "components";
  components: SurfaceComponent[];
}

/** Sets the value at a path; `undefined` deletes it. */
export interface DataRequest {
  kind: "data";
  path: Segments;
  value: Json | undefined;
}

export interface RenderRequest {
  kind: "render";
  info: Info;
}

/** Reads `beginRendering`. */
export function renderIn(body: Members, at: string): RenderRequest {
  if (!isName(body.root)) throw wrongField(at, body, "root", NAME);
  needObject(body, "styles", at);
  return { kind: "render", info: pick(body, ["root", "styles", "catalogId"]) };
}

/** Reads a list of components. */
export function componentsIn(body: Members, protocol: SurfaceProtocol, at: string): ComponentsRequest {
  const { components } = body;
  if (!Array.isArray(components)) throw wrongField(at, body, "components", "a list");
  return {
    kind: "components",
    components: components.map((item, index) => componentOf(item, protocol, `${at}/components/${index}`)),
  };
}

/**
 * Reads a component of any protocol. In the flat protocols (A2UI v0.9 and 1.0) its type is a string and its properties are the
 * other members; in GULF and A2UI v0.8 both are in one object, `{Type: {…properties}}`. @throws Refusal
 */
export function componentOf(item: Json, protocol: SurfaceProtocol, at: string): SurfaceComponent {
  if (!isObject<Json>(item)) throw new Refusal(INVALID, "A component is an object.", at);
  const { id, weight, component, ...rest } = item;
  if (id === undefined) throw new Refusal(INVALID, "The component has no id.", `${at}/id`);
  if (!isName(id)) throw new Refusal(INVALID, `The id must be ${NAME}.`, `${at}/id`);
  if (weight !== undefined && weight !== null && typeof weight !== "number") {
    throw new Refusal(INVALID, "The weight must be a number.", `${at}/weight`);
  }
  const { typeField: field, isFlat, hasDirectives } = PROTOCOLS[protocol];
  const sentType = item[field];
  let type = isFlat ? sentType : undefined;
  let props: Members = rest;
  if (!isFlat && isObject<Json>(sentType)) {
    const [name, secondName] = Object.keys(sentType);
    if (name === undefined || secondName !== undefined) {
      throw new Refusal(INVALID, `${field} must have one key, which is the type.`, at);
    }
    const members = sentType[name] ?? null;
    if (members !== null && !isObject<Json>(members)) {
      throw new Refusal(INVALID, `The properties of ${name} must be an object.`, at);
    }
    type = name;
    props = members ?? {};
  }
  if (!isName(type)) throw new Refusal(INVALID, `The component "${id}" has no type in ${field}.`, at);
  // A2UI 1.0, the only protocol with directives, reserves this type.
  if (hasDirectives && type === "Surface") {
    throw new Refusal(INVALID, "The type Surface is reserved for what holds the root. Use another one.", at);
  }
  return { id, type, ...(typeof weight === "number" && { weight }), props, protocol };
}

/** Reads data. In A2UI v0.8 it is a list of entries, see {@link mapOf}; in the other protocols, any JSON. */
export function dataIn(body: Members, protocol: SurfaceProtocol, at: string): DataRequest {
  const path = body.path ?? "";
  if (!isText(path)) throw wrongField(at, body, "path", "a string");
  const segments = segmentsOf(path, protocol);
  if (!segments) throw new Refusal("INVALID_PATH", `"${excerpt(path, 60)}" is not a valid path.`, `${at}/path`);
  const { isFlat, nullDeletes } = PROTOCOLS[protocol];
  const field = isFlat ? "value" : "contents";
  const value = body[field];
  if (nullDeletes && value === undefined) throw wrongField(at, body, field, "the data, or null to delete it");
  const isDeletion = isFlat && (value === undefined || (nullDeletes && value === null));
  if (isDeletion) return { kind: "data", path: segments, value: undefined };
  if (protocol === "a2ui-0.8" && Array.isArray(value)) {
    return { kind: "data", path: segments, value: mapOf(value, `${at}/${field}`) };
  }
  if (value === undefined || protocol === "a2ui-0.8") throw wrongField(at, body, field, "the data");
  return { kind: "data", path: segments, value };
}

/** The checks of the values in an entry of A2UI v0.8, by the member that has the value. */
const VALUES: Readonly<Record<string, (value: Json) => boolean>> = {
  valueString: isText,
  valueNumber: (value) => typeof value === "number",
  valueBoolean: (value) => typeof value === "boolean",
  valueMap: Array.isArray,
};

/** The object that `[{key, valueString | valueNumber | valueBoolean | valueMap}]` of A2UI v0.8 means. */
function mapOf(entries: readonly Json[], at: string): Json {
  const map: Members = {};
  for (const [index, entry] of entries.entries()) {
    const { key, ...rest } = isObject<Json>(entry) ? entry : {};
    // Members that are null count as absent: one must remain.
    const [[name = "", value = null] = [], secondMember] = Object.entries(rest).filter(([, member]) => member !== null);
    const hasValue = !secondMember && Object.hasOwn(VALUES, name) && VALUES[name]?.(value);
    if (!isText(key) || !hasValue) {
      const what = "An entry is a key with one of valueString, valueNumber, valueBoolean, valueMap.";
      throw new Refusal(INVALID, what, `${at}/${index}`);
    }
    const plain = Array.isArray(value) ? mapOf(value, `${at}/${index}/valueMap`) : value;
    // A single entry with the key `.` is the whole value: it takes the place of the map.
    if (key === "." && entries.length === 1) return plain;
    put(map, key, plain);
  }
  return map;
}

/** The members with these names that are not null. A `catalogId` that is not a string, or empty, counts as absent. */
export function pick(body: Members, names: readonly string[]): Info {
  const isPicked = ([key, value]: [string, Json]): boolean =>
    names.includes(key) && (key === "catalogId" ? isName(value) : value !== null);
  return Object.fromEntries(Object.entries(body).filter(isPicked));
}

/** The code for a message whose fields are missing or of the wrong kind. */
export const INVALID = "INVALID_MESSAGE";
/** What {@link wrongField} says is wanted where {@link isName} must hold. */
export const NAME = "a string that is not empty";

/** The refusal of a field that is missing or of the wrong kind. `at`: the place of the body in the message. */
export function wrongField(at: string, body: Members, field: string, wanted: string): Refusal {
  const value = body[field];
  const kind = value === undefined ? "missing" : typeName(value);
  return new Refusal(INVALID, `${field} must be ${wanted}, it is ${kind}.`, `${at}/${field}`);
}

/** Requires an object, null or nothing. */
export function needObject(body: Members, field: string, at: string): void {
  if (!isObject(body[field] ?? {})) throw wrongField(at, body, field, "an object");
}

/** Whether a value is a string that may be an id, a type or another name: any but the empty one. */
export const isName = (value: Json | undefined): value is string => isText(value) && value !== "";
