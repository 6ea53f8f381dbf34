/** Actions: what the client tells the server. */
import { isObject, isText, type Members } from "../core/kinds.js";
import type { Json } from "../types.js";
import type { ClientEvent, FunctionAction, SurfaceNode } from "./types.js";
import { isFunction, reportUnknown, resolveAll, type Scope } from "./values.js";

/** The event of a node's action, or the instruction that it is; `undefined` without an action that is one. */
export function actionOf(surfaceId: string, node: SurfaceNode, scope: Scope): ClientEvent | FunctionAction | undefined {
  const sent = node.props.action as Json | undefined;
  if (!isObject<Json>(sent)) return undefined;
  const timestamp = new Date().toISOString();
  const sourceComponentId = node.componentId;
  const { action: actionName, name, event, functionCall } = sent;
  if (scope.protocol === "gulf") {
    if (!isText(actionName)) return undefined;
    return { actionName, sourceComponentId, timestamp, resolvedContext: listed(sent.context, scope) };
  }
  const about = { surfaceId, sourceComponentId, timestamp };
  if (scope.protocol === "a2ui-0.8") {
    return isText(name) ? { userAction: { name, ...about, context: listed(sent.context, scope) } } : undefined;
  }
  // An event may stand without what is around it.
  const told = isObject<Json>(event) ? event : sent;
  if (isText(told.name)) {
    return { version: "v0.9", action: { name: told.name, ...about, context: resolveAll(told.context, scope) } };
  }
  if (!isObject<Json>(functionCall) || !isText(functionCall.call)) return undefined;
  const { call } = functionCall;
  const args = resolveAll(functionCall.args, scope);
  if (!isFunction(call, scope)) reportUnknown(call, scope);
  return { functionCall: { call, args } };
}

/** A context as `[{key, value}]`. */
function listed(context: Json | undefined, scope: Scope): Members {
  const entries = Array.isArray(context) ? context : [];
  const values = entries.flatMap((entry) =>
    isObject<Json>(entry) && isText(entry.key) ? [[entry.key, entry.value ?? null] as const] : [],
  );
  return resolveAll(Object.fromEntries(values), scope);
}
