/** Actions: what the client tells the server. */
import { isObject } from "../core/kinds.js";
import { put } from "../mirror.js";
import type { Json } from "../types.js";
import type { ClientEvent, FunctionAction, SurfaceNode } from "./types.js";
import { isKnown, reportUnknown, resolve, type Scope } from "./values.js";

type JsonObject = { [key: string]: Json };

/** The event of a node's action, or the instruction that it is; `undefined` without an action that is one. */
export function actionOf(surfaceId: string, node: SurfaceNode, scope: Scope): ClientEvent | FunctionAction | undefined {
  const action = node.props.action as Json | undefined;
  if (!isObject(action)) return undefined;
  const timestamp = new Date().toISOString();
  const sourceComponentId = node.componentId;
  if (scope.protocol === "gulf") {
    const { action: actionName, context } = action;
    if (typeof actionName !== "string") return undefined;
    return { actionName, sourceComponentId, timestamp, resolvedContext: listed(context, scope) };
  }
  if (scope.protocol === "a2ui-0.8") {
    const { name, context } = action;
    if (typeof name !== "string") return undefined;
    return { userAction: { name, surfaceId, sourceComponentId, timestamp, context: listed(context, scope) } };
  }
  const { event, functionCall } = action;
  if (isObject(event) && typeof event.name === "string") {
    const context = isObject(event.context) ? resolved(event.context, scope) : {};
    return { version: "v0.9", action: { name: event.name, surfaceId, sourceComponentId, timestamp, context } };
  }
  if (isObject(functionCall) && typeof functionCall.call === "string") {
    const args = isObject(functionCall.args) ? resolved(functionCall.args, scope) : {};
    if (!isKnown(functionCall.call, scope)) reportUnknown(functionCall.call, scope);
    return { functionCall: { call: functionCall.call, args } };
  }
  return undefined;
}

/** A context as `[{key, value}]`. */
function listed(context: Json | undefined, scope: Scope): JsonObject {
  const object: JsonObject = {};
  if (!Array.isArray(context)) return object;
  for (const entry of context) {
    if (isObject(entry) && typeof entry.key === "string") put(object, entry.key, resolve(entry.value ?? null, scope));
  }
  return object;
}

function resolved(values: JsonObject, scope: Scope): JsonObject {
  const object: JsonObject = {};
  for (const [key, value] of Object.entries(values)) put(object, key, resolve(value, scope));
  return object;
}
