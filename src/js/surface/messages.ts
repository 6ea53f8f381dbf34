/** One message: which protocol it is of, what it asks for. Told by its keys, in one table. */
import { isObject, isText } from "../core/kinds.js";
import { put } from "../mirror.js";
import type { Json } from "../types.js";
import { type Segments, segmentsOf } from "./paths.js";
import type { SurfaceComponent, SurfaceDiagnostic, SurfaceInfo, SurfaceProtocol } from "./types.js";

type JsonObject = { [key: string]: Json };

/** What a message says of its surface. */
export type Info = Partial<Omit<SurfaceInfo, "protocol" | "rendering">>;

export type Problem = Omit<SurfaceDiagnostic, "type" | "surfaceId">;

/** What a message asks for. Data without a value deletes. */
type Body =
  | [kind: "header" | "delete", line: number, protocol: SurfaceProtocol, surfaceId: string, body: null]
  | [kind: "components", line: number, protocol: SurfaceProtocol, surfaceId: string, body: SurfaceComponent[]]
  | [kind: "data", line: number, protocol: SurfaceProtocol, surfaceId: string, body: [Segments, value?: Json]]
  | [kind: "render" | "create", line: number, protocol: SurfaceProtocol, surfaceId: string, body: Info];

/** A message, perhaps with things that are wrong with it, for which it is taken all the same. */
export type Message = [...Body, warnings?: Problem[]];

/** What the framer says of a piece of the stream. */
export type Said =
  | Message
  /** A component of a message that is still arriving. */
  | [kind: "early", surfaceId: string, component: SurfaceComponent]
  /** What was early is over: its message follows, or will not come. */
  | [kind: "settled"]
  /** A line that is no message. */
  | [kind: "wrong", problem: Problem];

/** A key that messages have. */
interface Kind {
  name: Body[0];
  protocol: SurfaceProtocol;
  /** Without `surfaceId` the message is one of GULF. */
  bySurface?: boolean;
}

const KINDS: Readonly<Record<string, Kind>> = {
  streamHeader: { name: "header", protocol: "gulf" },
  componentUpdate: { name: "components", protocol: "gulf" },
  surfaceUpdate: { name: "components", protocol: "a2ui-0.8" },
  updateComponents: { name: "components", protocol: "a2ui-0.9" },
  dataModelUpdate: { name: "data", protocol: "a2ui-0.8", bySurface: true },
  updateDataModel: { name: "data", protocol: "a2ui-0.9" },
  beginRendering: { name: "render", protocol: "a2ui-0.8", bySurface: true },
  createSurface: { name: "create", protocol: "a2ui-0.9" },
  deleteSurface: { name: "delete", protocol: "a2ui-0.8" },
};

/** Messages of GULF may come without their envelope. */
const BARE: readonly (readonly [key: string, name: Body[0]])[] = [
  ["components", "components"],
  ["contents", "data"],
  ["root", "render"],
  ["version", "header"],
];

/** The surface of a stream without ids. */
const MAIN = "main";

/** The message that has this key. */
export const kindOf = (key: string): Kind | undefined => (Object.hasOwn(KINDS, key) ? KINDS[key] : undefined);

/** Whether a value has the key of a message. */
export const isEnveloped = (value: Json): boolean => isObject(value) && Object.keys(value).some(kindOf);

/** Reads a message, or tells what is wrong with it. */
export function read(value: Json): Message | Problem {
  if (!isObject(value)) return problem("INVALID_MESSAGE", `A message is an object, not ${kindWords(value)}.`);
  const [key, other] = Object.keys(value).filter(kindOf);
  if (other !== undefined) {
    return problem("INVALID_MESSAGE", `An object is one message; this one has ${key} and ${other}.`);
  }
  const bare = key === undefined ? BARE.find(([name]) => Object.hasOwn(value, name)) : undefined;
  const kind: Kind | undefined = bare
    ? { name: bare[1], protocol: "gulf" }
    : key === undefined
      ? undefined
      : KINDS[key];
  if (kind === undefined) return problem("UNKNOWN_MESSAGE", "The object has none of the keys of a message.");
  const body = key === undefined ? value : (value[key] as Json);
  if (!isObject(body)) {
    return problem("INVALID_MESSAGE", `${key} must be an object, not ${kindWords(body)}.`, `/${key}`);
  }
  const hasVersion = Object.hasOwn(value, "version");
  let { protocol } = kind;
  if (kind.bySurface && !Object.hasOwn(body, "surfaceId")) protocol = "gulf";
  if (kind.name === "delete" && hasVersion) protocol = "a2ui-0.9";
  const at = key === undefined ? "" : `/${key}`;
  const surfaceId = protocol === "gulf" ? MAIN : body.surfaceId;
  if (!isName(surfaceId)) return wrongField(at, body, "surfaceId", NAME);
  const message = bodyOf(kind.name, protocol, surfaceId, body, at);
  if (Array.isArray(message) && protocol === "a2ui-0.9") {
    const version = isText(value.version) ? value.version : undefined;
    if (version === undefined || !/^v?0\.9/.test(version)) {
      message[5] ??= [];
      message[5].push(
        version === undefined ? warning("The message has no version.", "/version") : unknown(version, ""),
      );
    }
  }
  return message;
}

function bodyOf(
  name: Body[0],
  protocol: SurfaceProtocol,
  surfaceId: string,
  body: JsonObject,
  at: string,
): Message | Problem {
  switch (name) {
    case "header": {
      const { version } = body;
      if (!isName(version)) return wrongField(at, body, "version", NAME);
      const isKnown = /^[01](?:\.|$)/.test(version);
      return [name, 0, protocol, surfaceId, null, isKnown ? [] : [unknown(version, at)]];
    }
    case "delete":
      return [name, 0, protocol, surfaceId, null];
    case "render":
      if (!isName(body.root)) return wrongField(at, body, "root", NAME);
      if (!isObject(body.styles ?? {})) return wrongField(at, body, "styles", "an object");
      return [name, 0, protocol, surfaceId, pick(body, ["root", "styles", "catalogId"])];
    case "create": {
      if (!isObject(body.theme ?? {})) return wrongField(at, body, "theme", "an object");
      const info = pick(body, ["catalogId", "theme", "sendDataModel"]);
      if (isName(body.catalogId)) return [name, 0, protocol, surfaceId, info];
      // A page that knows one catalog can show the surface all the same.
      const missing = wrongField(at, body, "catalogId", NAME);
      return [name, 0, protocol, surfaceId, info, [{ ...missing, severity: "warning" }]];
    }
    case "components": {
      if (!Array.isArray(body.components)) return wrongField(at, body, "components", "a list");
      const components: SurfaceComponent[] = [];
      for (const [place, item] of body.components.entries()) {
        const component = componentOf(item, protocol);
        if (Array.isArray(component)) {
          return problem("INVALID_MESSAGE", component[1], `${at}/components/${place}${component[0]}`);
        }
        components.push(component);
      }
      return [name, 0, protocol, surfaceId, components];
    }
    case "data":
      return dataOf(protocol, surfaceId, body, at);
  }
}

/** A component as all protocols have it; or the field that is wrong, and what is. */
export function componentOf(item: Json, protocol: SurfaceProtocol): SurfaceComponent | [field: string, what: string] {
  if (!isObject(item)) return ["", "A component is an object."];
  const { id, weight } = item;
  if (id === undefined) return ["/id", "The component has no id."];
  if (!isName(id)) return ["/id", "The id must be a string that is not empty."];
  if (weight !== undefined && weight !== null && typeof weight !== "number") {
    return ["/weight", "The weight must be a number."];
  }
  const field = protocol === "gulf" ? "componentProperties" : "component";
  let type = item[field];
  let props: JsonObject = {};
  if (protocol === "a2ui-0.9") {
    for (const key of Object.keys(item)) {
      if (key !== "id" && key !== "weight" && key !== "component") put(props, key, item[key] as Json);
    }
  } else if (isObject(type)) {
    const names = Object.keys(type);
    const [name] = names;
    if (name === undefined || names.length > 1) return ["", `${field} must have one key, which is the type.`];
    const own = type[name] as Json;
    if (own !== null && !isObject(own)) return ["", `The properties of ${name} must be an object.`];
    type = name;
    props = own ?? props;
  } else {
    type = undefined;
  }
  if (!isName(type)) return ["", `The component "${id}" has no type in ${field}.`];
  return typeof weight === "number" ? { id, type, weight, props, protocol } : { id, type, props, protocol };
}

function dataOf(protocol: SurfaceProtocol, surfaceId: string, body: JsonObject, at: string): Message | Problem {
  const path = body.path ?? "";
  if (!isText(path)) return wrongField(at, body, "path", "a string");
  const segments = segmentsOf(path, protocol);
  if (segments === undefined) return problem("INVALID_PATH", `"${shown(path, 60)}" is no path.`, `${at}/path`);
  const field = protocol === "a2ui-0.9" ? "value" : "contents";
  const value = body[field];
  if (protocol === "a2ui-0.9" && value === undefined) return ["data", 0, protocol, surfaceId, [segments]];
  if (value === undefined) return wrongField(at, body, field, "the data");
  if (protocol !== "a2ui-0.8") return ["data", 0, protocol, surfaceId, [segments, value]];
  if (!Array.isArray(value)) return wrongField(at, body, field, "the data");
  const map = mapOf(value);
  if (!isText(map)) return ["data", 0, protocol, surfaceId, [segments, map.value]];
  const what = "An entry is a key with one of valueString, valueNumber, valueBoolean, valueMap.";
  return problem("INVALID_MESSAGE", what, `${at}/${field}${map}`);
}

/** The value of an entry under each name that it may have. */
const VALUES: Readonly<Record<string, (value: Json) => boolean>> = {
  valueString: isText,
  valueNumber: (value) => typeof value === "number",
  valueBoolean: (value) => typeof value === "boolean",
  valueMap: Array.isArray,
};

/** `[{key, valueString | valueNumber | valueBoolean | valueMap}]` of A2UI v0.8; or the pointer to an entry that is none. */
function mapOf(entries: readonly Json[]): { value: Json } | string {
  const map: JsonObject = {};
  for (const [place, entry] of entries.entries()) {
    if (!isObject(entry) || !isText(entry.key)) return `/${place}`;
    let value: Json | undefined;
    for (const [name, own] of Object.entries(entry)) {
      // Empty members may stand beside the one that counts.
      if (name === "key" || own === null) continue;
      if (value !== undefined || !Object.hasOwn(VALUES, name) || !VALUES[name]?.(own)) return `/${place}`;
      value = own;
      if (Array.isArray(own)) {
        const inner = mapOf(own);
        if (isText(inner)) return `/${place}/valueMap${inner}`;
        value = inner.value;
      }
    }
    if (value === undefined) return `/${place}`;
    if (entry.key === "." && entries.length === 1) return { value };
    put(map, entry.key, value);
  }
  return { value: map };
}

/** These fields where they are there. */
function pick(body: JsonObject, names: readonly string[]): Info {
  const entries = Object.entries(body).filter(([key, value]) => value !== null && names.includes(key));
  return Object.fromEntries(entries.filter(([key, value]) => key !== "catalogId" || isName(value)));
}

const NAME = "a string that is not empty";

function problem(code: Problem["code"], message: string, path = ""): Problem {
  return { severity: "error", code, message, ...(path !== "" && { path }) };
}

function warning(message: string, path: string): Problem {
  return { ...problem("UNSUPPORTED_VERSION", message, path), severity: "warning" };
}

const unknown = (version: string, at: string): Problem =>
  warning(`Version "${shown(version, 40)}" is not known.`, `${at}/version`);

function wrongField(at: string, body: JsonObject, field: string, wanted: string): Problem {
  const value = body[field];
  const found = value === undefined ? "missing" : kindWords(value);
  return problem("INVALID_MESSAGE", `${field} must be ${wanted}, it is ${found}.`, `${at}/${field}`);
}

const kindWords = (value: Json): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : (typeof value as string);

/** The beginning of a text, in whole characters. */
export const shown = (text: string, length: number): string => [...text.slice(0, 2 * length)].slice(0, length).join("");

const isName = (value: Json | undefined): value is string => isText(value) && value !== "";
