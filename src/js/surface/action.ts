/** Actions: what the client tells the server. */
import { isObject, isText, type Members } from "../core/kinds.js";
import type { Json } from "../types.js";
import { requireArguments } from "./functions.js";
import type { ClientEvent, FunctionAction, SurfaceNode } from "./types.js";
import { isKnown, reportFailure, resolveAll, type Scope } from "./values.js";

/** The event of a node's action, or the instruction that it is; `undefined` without an action that is one. */
export function actionOf(surfaceId: string, node: SurfaceNode, scope: Scope): ClientEvent | FunctionAction | undefined {
  const sent = node.props.action as Json | undefined;
  if (!isObject<Json>(sent)) return undefined;
  const isGulf = scope.protocol === "gulf";
  const isNew = scope.protocol === "a2ui-0.9";
  // An event of A2UI v0.9 may stand without what is around it.
  const told = isNew && isObject<Json>(sent.event) ? sent.event : sent;
  const name = isGulf ? told.action : told.name;
  if (isText(name)) {
    const context = resolveAll(isNew ? told.context : listed(told.context), scope);
    const from = { sourceComponentId: node.componentId, timestamp: new Date().toISOString() };
    if (isGulf) return { actionName: name, ...from, resolvedContext: context };
    const action = { name, surfaceId, ...from, context };
    return isNew ? { version: "v0.9", action } : { userAction: action };
  }
  const { functionCall } = sent;
  if (!isNew || !isObject<Json>(functionCall) || !isText(functionCall.call)) return undefined;
  const { call } = functionCall;
  const args = resolveAll(functionCall.args, scope);
  if (isKnown(call, scope) && !scope.functions.has(call)) {
    try {
      requireArguments(call, args);
    } catch (cause) {
      reportFailure(call, cause, scope);
    }
  }
  return { functionCall: { call, args } };
}

/** A context that is a list `[{key, value}]`. */
function listed(context: Json | undefined): Members {
  const entries = Array.isArray(context) ? context : [];
  const values = entries.flatMap((entry) =>
    isObject<Json>(entry) && isText(entry.key) ? [[entry.key, entry.value ?? null] as const] : [],
  );
  return Object.fromEntries(values);
}
