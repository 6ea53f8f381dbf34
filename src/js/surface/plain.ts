/**
 * Messages as most of them are, read by `JSON.parse`: components and data. Whatever is not plain is
 * left to the module, which is asked for everything that is wrong and for all other messages.
 */

import { measure } from "../measure.js";
import { put } from "../mirror.js";
import { hasLoneSurrogate } from "../surrogates.js";
import type { Json, Limits } from "../types.js";
import type { Message } from "./messages.js";
import { segmentsOf } from "./paths.js";
import type { SurfaceComponent, SurfaceProtocol } from "./types.js";

type JsonObject = { [key: string]: Json };

const SURROGATE = /\\u[dD][89a-fA-F]/;

/** The message of a line, or of the data of an event, if it is plain. */
export function plain(line: string, limits: Limits): Message | undefined {
  // The module counts bytes, and replaces lone surrogates.
  if (line.length * 3 > limits.maxCallBytes || hasLoneSurrogate(line)) return undefined;
  if (line.includes("\\u") && SURROGATE.test(line)) return undefined;
  let message: Json;
  try {
    message = JSON.parse(line) as Json;
  } catch {
    return undefined;
  }
  if (!isObject(message)) return undefined;
  const { depth, negativeZero } = measure(message);
  if (depth > limits.maxDepth || negativeZero) return undefined;
  const keys = Object.keys(message);
  if (keys.length === 1) {
    const key = keys[0] as string;
    const body = message[key];
    if (!isObject(body)) return undefined;
    if (key === "componentUpdate") return components(body, "gulf", "main");
    if (key === "dataModelUpdate") {
      if (body.surfaceId === undefined) return data(body, body.contents, "gulf", "main");
      return data(body, mapOf(body.contents), "a2ui-0.8", body.surfaceId);
    }
    if (key === "surfaceUpdate") return components(body, "a2ui-0.8", body.surfaceId);
    return undefined;
  }
  if (keys.length !== 2 || message.version !== "v0.9") return undefined;
  const { updateComponents, updateDataModel } = message;
  if (isObject(updateComponents)) return components(updateComponents, "a2ui-0.9", updateComponents.surfaceId);
  if (isObject(updateDataModel))
    return data(updateDataModel, updateDataModel.value, "a2ui-0.9", updateDataModel.surfaceId);
  return undefined;
}

function components(
  { components }: JsonObject,
  protocol: SurfaceProtocol,
  surfaceId: Json | undefined,
): Message | undefined {
  if (!isName(surfaceId) || !Array.isArray(components)) return undefined;
  const read: SurfaceComponent[] = [];
  for (const item of components) {
    if (!isObject(item)) return undefined;
    const component = protocol === "a2ui-0.9" ? flat(item) : wrapped(item, protocol);
    if (component === undefined) return undefined;
    read.push(component);
  }
  return ["components", 0, protocol, surfaceId, read];
}

/** `{id, weight?, componentProperties: {Type: {…}}}` */
function wrapped(item: JsonObject, protocol: SurfaceProtocol): SurfaceComponent | undefined {
  const { id, weight } = item;
  const wrapper = item[protocol === "gulf" ? "componentProperties" : "component"];
  if (!isName(id) || !isWeight(weight) || !isObject(wrapper)) return undefined;
  const [type, other] = Object.keys(wrapper);
  const props = wrapper[type as string];
  if (!isName(type) || other !== undefined || !isObject(props)) return undefined;
  return weight === undefined ? { id, type, props, protocol } : { id, type, weight, props, protocol };
}

/** `{id, weight?, component: "Type", …}` */
function flat(item: JsonObject): SurfaceComponent | undefined {
  const { id, weight, component: type } = item;
  if (!isName(id) || !isWeight(weight) || !isName(type)) return undefined;
  const props: JsonObject = {};
  for (const key of Object.keys(item)) {
    if (key !== "id" && key !== "weight" && key !== "component") put(props, key, item[key] as Json);
  }
  const protocol = "a2ui-0.9";
  return weight === undefined ? { id, type, props, protocol } : { id, type, weight, props, protocol };
}

/** `[{key, valueString | valueNumber | valueBoolean | valueMap}]` */
function mapOf(entries: Json | undefined): JsonObject | undefined {
  if (!Array.isArray(entries)) return undefined;
  const map: JsonObject = {};
  for (const entry of entries) {
    if (!isObject(entry) || typeof entry.key !== "string" || Object.keys(entry).length !== 2) return undefined;
    const { key, valueString, valueNumber, valueBoolean, valueMap } = entry;
    let value: Json | undefined;
    if (typeof valueString === "string") value = valueString;
    else if (typeof valueNumber === "number") value = valueNumber;
    else if (typeof valueBoolean === "boolean") value = valueBoolean;
    else value = mapOf(valueMap);
    if (value === undefined) return undefined;
    put(map, key, value);
  }
  return map;
}

function data(
  { path = "" }: JsonObject,
  value: Json | undefined,
  protocol: SurfaceProtocol,
  surfaceId: Json | undefined,
): Message | undefined {
  if (!isName(surfaceId) || typeof path !== "string" || value === undefined) return undefined;
  const segments = segmentsOf(path, protocol);
  return segments && ["data", 0, protocol, surfaceId, [segments, value]];
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isName = (value: Json | undefined): value is string => typeof value === "string" && value !== "";

const isWeight = (value: Json | undefined): value is number | undefined =>
  value === undefined || typeof value === "number";
