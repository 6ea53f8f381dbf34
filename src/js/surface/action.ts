/** Actions: the events that the client sends to the server. */
import { isObject, isText, type Members } from "../core/kinds.js";
import type { Json } from "../types.js";
import { callOf } from "./directives.js";
import { requireArguments } from "./functions.js";
import { PROTOCOLS } from "./protocols.js";
import type { ClientEvent, FunctionAction, SurfaceNode } from "./types.js";
import { functionOf, mayCall, reportFailure, resolve, resolveAll, type Scope } from "./values.js";

/** The event that a node's action sends, or the call that the page executes; `undefined` without a valid action. */
export function actionOf(surfaceId: string, node: SurfaceNode, scope: Scope): ClientEvent | FunctionAction | undefined {
  const sentAction = node.props.action;
  if (!isObject<Json>(sentAction)) return undefined;
  const isGulf = scope.protocol === "gulf";
  const { isFlat, version } = PROTOCOLS[scope.protocol];
  // In A2UI v0.9 and 1.0 an event may come without its `event` wrapper.
  const event = isFlat && isObject<Json>(sentAction.event) ? sentAction.event : sentAction;
  const name = isGulf ? event.action : event.name;
  if (isText(name)) {
    const context = resolveAll(isFlat ? event.context : membersIn(event.context), scope);
    const source = { sourceComponentId: node.componentId, timestamp: new Date().toISOString() };
    if (isGulf) return { actionName: name, ...source, resolvedContext: context };
    const userMessage = isFlat && event.userMessage !== undefined ? resolve(event.userMessage, scope) : undefined;
    const action = { name, ...(isText(userMessage) && { userMessage }), surfaceId, ...source, context };
    return version ? { version, action } : { userAction: action };
  }
  const { functionCall } = sentAction;
  const parsedCall = isObject<Json>(functionCall) && callOf(functionCall, scope.protocol);
  if (!parsedCall) return undefined;
  const { call, catalogId } = parsedCall;
  const args = resolveAll(parsedCall.args, scope);
  // A known function that the page has not added, such as `openUrl`: a missing argument is reported here.
  if (mayCall(parsedCall, scope) && functionOf(parsedCall, scope) === undefined) {
    try {
      requireArguments(call, args);
    } catch (cause) {
      reportFailure(call, cause, scope);
    }
  }
  return { functionCall: { call, args, ...(catalogId !== undefined && { catalogId }) } };
}

/** The members of a context written as a list, `[{key, value}]`. */
function membersIn(context: Json | undefined): Members {
  const entries = Array.isArray(context) ? context : [];
  const values = entries.flatMap((entry) =>
    isObject<Json>(entry) && isText(entry.key) ? [[entry.key, entry.value ?? null] as const] : [],
  );
  return Object.fromEntries(values);
}
