/** Reads one message: its keys tell, by one table, which protocol it is of and what it asks for. */
import { isObject, isText, kindWords, type Members } from "../core/kinds.js";
import { put } from "../core/tree.js";
import type { Json } from "../types.js";
import { type Segments, segmentsOf } from "./paths.js";
import { orRefusal, type Problem, Refusal, shown } from "./refusal.js";
import type { SurfaceComponent, SurfaceInfo, SurfaceProtocol } from "./types.js";

export type Info = Partial<Omit<SurfaceInfo, "protocol" | "rendering">>;

/** The request of a message. `data` without a value deletes. */
type Request =
  | { kind: "header" | "delete" }
  | { kind: "components"; components: SurfaceComponent[] }
  | { kind: "data"; path: Segments; value?: Json }
  | { kind: "render" | "create"; info: Info };

type MessageKind = Request["kind"];

export type Message = Request & {
  line: number;
  protocol: SurfaceProtocol;
  surfaceId: string;
  /** Problems of a message that is applied all the same. */
  warnings: Problem[];
};

/** The kind and protocol of a message by its key. Data and rendering without `surfaceId` belong to GULF. */
const KINDS: Readonly<Record<string, { name: MessageKind; protocol: SurfaceProtocol }>> = {
  streamHeader: { name: "header", protocol: "gulf" },
  componentUpdate: { name: "components", protocol: "gulf" },
  surfaceUpdate: { name: "components", protocol: "a2ui-0.8" },
  updateComponents: { name: "components", protocol: "a2ui-0.9" },
  dataModelUpdate: { name: "data", protocol: "a2ui-0.8" },
  updateDataModel: { name: "data", protocol: "a2ui-0.9" },
  beginRendering: { name: "render", protocol: "a2ui-0.8" },
  createSurface: { name: "create", protocol: "a2ui-0.9" },
  deleteSurface: { name: "delete", protocol: "a2ui-0.8" },
};

/** The kind of a GULF message without an envelope, by one of its fields. */
const BARE = [
  ["components", "components"],
  ["contents", "data"],
  ["root", "render"],
  ["version", "header"],
] as const;

/** The surface of a stream without ids. */
export const MAIN = "main";

export const kindOf = (key: string) => (Object.hasOwn(KINDS, key) ? KINDS[key] : undefined);

export const isEnveloped = (value: Json): boolean => isObject(value) && Object.keys(value).some(kindOf);

/** Reads a message that began in the given line. */
export function readMessage(value: Json, line: number): Message | Refusal {
  const message = orRefusal(() => messageOf(value, line));
  if (!(message instanceof Refusal)) for (const warning of message.warnings) warning.line = line;
  return message;
}

/** Problems of the message as a whole are returned, not thrown: throwing takes as long as reading a short line. */
function messageOf(value: Json, line: number): Message | Refusal {
  if (!isObject<Json>(value)) return new Refusal(INVALID, `A message is an object, not ${kindWords(value)}.`);
  const [key, other] = Object.keys(value).filter(kindOf);
  if (other !== undefined) return new Refusal(INVALID, `An object is one message; this one has ${key} and ${other}.`);
  const bare = key === undefined ? BARE.find(([name]) => Object.hasOwn(value, name)) : undefined;
  let { name, protocol } = KINDS[key ?? ""] ?? { name: bare?.[1], protocol: "gulf" };
  if (name === undefined)
    return new Refusal(
      "UNKNOWN_MESSAGE",
      "The object has no key of a message, such as updateComponents or componentUpdate.",
    );
  const at = key === undefined ? "" : `/${key}`;
  const body = key === undefined ? value : value[key];
  if (!isObject<Json>(body)) return new Refusal(INVALID, `${key} must be an object, not ${kindWords(body)}.`, at);
  const isEither = name === "data" || name === "render";
  if (isEither && protocol === "a2ui-0.8" && !Object.hasOwn(body, "surfaceId")) protocol = "gulf";
  if (name === "delete" && Object.hasOwn(value, "version")) protocol = "a2ui-0.9";
  const surfaceId = protocol === "gulf" ? MAIN : body.surfaceId;
  if (!isName(surfaceId)) return wrongField(at, body, "surfaceId", NAME);
  const warnings: Problem[] = [];
  const request = requestOf(name, protocol, body, at, warnings);
  if (protocol === "a2ui-0.9") {
    if (!isText(value.version)) warnings.push(warning("The message has no version.", "/version"));
    else if (!/^v?0\.9/.test(value.version)) warnings.push(unknown(value.version, ""));
  }
  return { ...request, line, protocol, surfaceId, warnings };
}

function requestOf(
  kind: MessageKind,
  protocol: SurfaceProtocol,
  body: Members,
  at: string,
  warnings: Problem[],
): Request {
  const need = (field: string, wanted: string, fits: (value: Json | undefined) => boolean): void => {
    if (!fits(body[field])) throw wrongField(at, body, field, wanted);
  };
  switch (kind) {
    case "header":
      if (!isName(body.version)) throw wrongField(at, body, "version", NAME);
      if (!/^[01](?:\.|$)/.test(body.version)) warnings.push(unknown(body.version, at));
      return { kind };
    case "delete":
      return { kind };
    case "render":
      need("root", NAME, isName);
      need("styles", "an object", isObjectOrNothing);
      return { kind, info: pick(body, ["root", "styles", "catalogId"]) };
    case "create":
      need("theme", "an object", isObjectOrNothing);
      // A warning: a page with a single catalog can render the surface.
      if (!isName(body.catalogId)) warnings.push({ ...wrongField(at, body, "catalogId", NAME), severity: "warning" });
      return { kind, info: pick(body, ["catalogId", "theme", "sendDataModel"]) };
    case "components": {
      if (!Array.isArray(body.components)) throw wrongField(at, body, "components", "a list");
      const components = body.components.map((item, place) => componentOf(item, protocol, `${at}/components/${place}`));
      return { kind, components };
    }
    case "data":
      return { kind, ...dataOf(protocol, body, at) };
  }
}

/** Reads a component of any protocol. `at` is its place in the message. @throws Refusal */
export function componentOf(item: Json, protocol: SurfaceProtocol, at: string): SurfaceComponent {
  if (!isObject<Json>(item)) throw new Refusal(INVALID, "A component is an object.", at);
  // In A2UI v0.9 the other members are its properties.
  const { id, weight, component, ...rest } = item;
  if (id === undefined) throw new Refusal(INVALID, "The component has no id.", `${at}/id`);
  if (!isName(id)) throw new Refusal(INVALID, `The id must be ${NAME}.`, `${at}/id`);
  if (weight !== undefined && weight !== null && typeof weight !== "number") {
    throw new Refusal(INVALID, "The weight must be a number.", `${at}/weight`);
  }
  const field = protocol === "gulf" ? "componentProperties" : "component";
  const isNew = protocol === "a2ui-0.9";
  const named = item[field];
  let type = isNew ? named : undefined;
  let props: Members = rest;
  if (!isNew && isObject<Json>(named)) {
    const [name, other] = Object.keys(named);
    if (name === undefined || other !== undefined) {
      throw new Refusal(INVALID, `${field} must have one key, which is the type.`, at);
    }
    const own = named[name] ?? null;
    if (own !== null && !isObject<Json>(own)) {
      throw new Refusal(INVALID, `The properties of ${name} must be an object.`, at);
    }
    type = name;
    props = own ?? {};
  }
  if (!isName(type)) throw new Refusal(INVALID, `The component "${id}" has no type in ${field}.`, at);
  return { id, type, ...(typeof weight === "number" && { weight }), props, protocol };
}

function dataOf(protocol: SurfaceProtocol, body: Members, at: string): { path: Segments; value?: Json } {
  const path = body.path ?? "";
  if (!isText(path)) throw wrongField(at, body, "path", "a string");
  const segments = segmentsOf(path, protocol);
  if (!segments) throw new Refusal("INVALID_PATH", `"${shown(path, 60)}" is not a valid path.`, `${at}/path`);
  const field = protocol === "a2ui-0.9" ? "value" : "contents";
  const value = body[field];
  if (protocol === "a2ui-0.9" && value === undefined) return { path: segments };
  if (protocol === "a2ui-0.8" && Array.isArray(value)) {
    return { path: segments, value: mapOf(value, `${at}/${field}`) };
  }
  if (value === undefined || protocol === "a2ui-0.8") throw wrongField(at, body, field, "the data");
  return { path: segments, value };
}

const VALUES: Readonly<Record<string, (value: Json) => boolean>> = {
  valueString: isText,
  valueNumber: (value) => typeof value === "number",
  valueBoolean: (value) => typeof value === "boolean",
  valueMap: Array.isArray,
};

/** `[{key, valueString | valueNumber | valueBoolean | valueMap}]` of A2UI v0.8. */
function mapOf(entries: readonly Json[], at: string): Json {
  const map: Members = {};
  for (const [place, entry] of entries.entries()) {
    const { key, ...rest } = isObject<Json>(entry) ? entry : {};
    // Other members may be null.
    const [[name = "", value = null] = [], other] = Object.entries(rest).filter(([, own]) => own !== null);
    const fits = !other && Object.hasOwn(VALUES, name) && VALUES[name]?.(value);
    if (!isText(key) || !fits) {
      const what = "An entry is a key with one of valueString, valueNumber, valueBoolean, valueMap.";
      throw new Refusal(INVALID, what, `${at}/${place}`);
    }
    const own = Array.isArray(value) ? mapOf(value, `${at}/${place}/valueMap`) : value;
    if (key === "." && entries.length === 1) return own;
    put(map, key, own);
  }
  return map;
}

function pick(body: Members, names: readonly string[]): Info {
  const fits = ([key, value]: [string, Json]): boolean =>
    names.includes(key) && (key === "catalogId" ? isName(value) : value !== null);
  return Object.fromEntries(Object.entries(body).filter(fits));
}

const INVALID = "INVALID_MESSAGE";
const NAME = "a string that is not empty";

function warning(message: string, path: string): Problem {
  return { severity: "warning", code: "UNSUPPORTED_VERSION", message, path };
}

const unknown = (version: string, at: string): Problem =>
  warning(`Version "${shown(version, 40)}" is not known.`, `${at}/version`);

function wrongField(at: string, body: Members, field: string, wanted: string): Refusal {
  const value = body[field];
  const found = value === undefined ? "missing" : kindWords(value);
  return new Refusal(INVALID, `${field} must be ${wanted}, it is ${found}.`, `${at}/${field}`);
}

const isName = (value: Json | undefined): value is string => isText(value) && value !== "";
const isObjectOrNothing = (value: Json | undefined): boolean => isObject(value ?? {});
