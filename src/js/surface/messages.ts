/** Reads one message. Its key, by the table {@link FORMS}, says which protocol it is of and what it asks for. */
import { isObject, isText, type Members, typeName } from "../core/kinds.js";
import type { Json } from "../types.js";
import { outcomeIn } from "./calls.js";
import { callOf } from "./directives.js";
import { PROTOCOLS, protocolOf } from "./protocols.js";
import { excerpt, orRefusal, type Problem, Refusal } from "./refusal.js";
import {
  type ComponentsRequest,
  componentsIn,
  type DataRequest,
  dataIn,
  INVALID,
  type Info,
  isName,
  NAME,
  needObject,
  pick,
  type RenderRequest,
  renderIn,
  wrongField,
} from "./requests.js";
import type { FunctionOutcome, SurfaceCall, SurfaceComponent, SurfaceProtocol } from "./types.js";

/** A call of the agent, or its answer to a call of the page. Neither belongs to a surface. */
export type CallRequest =
  | { kind: "call"; call: SurfaceCall }
  | { kind: "answer"; callId: string; outcome: FunctionOutcome };

/** The request of a message. A `header` only names the version of GULF. */
type Request =
  | { kind: "header" | "delete" }
  | ComponentsRequest
  | DataRequest
  | RenderRequest
  /** `text`: the body as JSON, by which a repetition is recognized. `data` is `undefined` without a `dataModel`. */
  | { kind: "create"; info: Info; components: SurfaceComponent[]; data: Json | undefined; text: string }
  | CallRequest;

type MessageKind = Request["kind"];

export interface Message {
  request: Request;
  /** The line where the message began, from 1. */
  line: number;
  protocol: SurfaceProtocol;
  /** {@link MAIN} in GULF; also for calls and answers, which belong to no surface. */
  surfaceId: string;
  /** Problems of a message that is applied all the same. */
  warnings: Problem[];
}

/** A kind of message, and the protocols that have it. The first one counts for a message without `version`. */
interface MessageForm {
  kind: MessageKind;
  protocols: readonly [SurfaceProtocol, ...SurfaceProtocol[]];
}

/** The messages by their key. `dataModelUpdate` and `beginRendering` without a `surfaceId` are of GULF. */
const FORMS: ReadonlyMap<string, MessageForm> = /* @__PURE__ */ new Map([
  ["streamHeader", { kind: "header", protocols: ["gulf"] }],
  ["componentUpdate", { kind: "components", protocols: ["gulf"] }],
  ["surfaceUpdate", { kind: "components", protocols: ["a2ui-0.8"] }],
  ["updateComponents", { kind: "components", protocols: ["a2ui-0.9", "a2ui-1.0"] }],
  ["dataModelUpdate", { kind: "data", protocols: ["a2ui-0.8"] }],
  ["updateDataModel", { kind: "data", protocols: ["a2ui-0.9", "a2ui-1.0"] }],
  ["beginRendering", { kind: "render", protocols: ["a2ui-0.8"] }],
  ["createSurface", { kind: "create", protocols: ["a2ui-0.9", "a2ui-1.0"] }],
  ["deleteSurface", { kind: "delete", protocols: ["a2ui-0.8", "a2ui-0.9", "a2ui-1.0"] }],
  ["callRendererFunction", { kind: "call", protocols: ["a2ui-1.0"] }],
  ["agentFunctionResponse", { kind: "answer", protocols: ["a2ui-1.0"] }],
]);

/** A GULF message may be the bare body: its kind, by one of its fields. */
const KINDS_OF_BODIES = [
  ["components", "components"],
  ["contents", "data"],
  ["root", "render"],
  ["version", "header"],
] as const;

/** The id of the only surface of a stream without ids, as in GULF. */
export const MAIN = "main";

/** The kind of message with this key, and its protocols; `undefined` for any other key. */
export const formOf = (key: string) => FORMS.get(key);

/** Whether a value is `{ key: body }` with a key of {@link FORMS}. A GULF message may be the bare body. */
export const hasMessageKey = (value: Json): boolean =>
  isObject(value) && Object.keys(value).some((key) => FORMS.has(key));

/** Reads a message that began in the given line. */
export function readMessage(value: Json, line: number): Message | Refusal {
  const message = orRefusal(() => messageOf(value, line));
  if (!(message instanceof Refusal)) for (const warning of message.warnings) warning.line = line;
  return message;
}

/**
 * Reads the key of the message, then its protocol (by the key, the `surfaceId` and the `version`), then the body. Problems of the
 * message as a whole are returned, not thrown: throwing takes as long as reading a short line. @throws Refusal for a problem of
 * the body.
 */
function messageOf(value: Json, line: number): Message | Refusal {
  if (!isObject<Json>(value)) return new Refusal(INVALID, `A message is an object, not ${typeName(value)}.`);
  let key: string | undefined;
  for (const member of Object.keys(value)) {
    if (!FORMS.has(member)) continue;
    if (key !== undefined) return new Refusal(INVALID, `An object is one message; this one has ${key} and ${member}.`);
    key = member;
  }
  const form = key === undefined ? undefined : FORMS.get(key);
  const kind = form?.kind ?? KINDS_OF_BODIES.find(([field]) => Object.hasOwn(value, field))?.[1];
  let protocol: SurfaceProtocol = form?.protocols[0] ?? "gulf";
  if (kind === undefined)
    return new Refusal(
      "UNKNOWN_MESSAGE",
      "The object has no key of a message, such as updateComponents or componentUpdate.",
    );
  const at = key === undefined ? "" : `/${key}`;
  const body = key === undefined ? value : value[key];
  if (!isObject<Json>(body)) return new Refusal(INVALID, `${key} must be an object, not ${typeName(body)}.`, at);
  const isAlsoOfGulf = kind === "data" || kind === "render";
  if (isAlsoOfGulf && protocol === "a2ui-0.8" && !Object.hasOwn(body, "surfaceId")) protocol = "gulf";
  // `deleteSurface` is also of A2UI v0.8, which has no `version`. With one, it is of v0.9 unless
  // the version names another protocol, which null does not.
  if (kind === "delete" && Object.hasOwn(value, "version")) protocol = "a2ui-0.9";
  const warnings: Problem[] = [];
  const { version } = value;
  if (version !== undefined && version !== null && protocol !== "gulf") {
    const versionText = isText(version) ? version : JSON.stringify(version);
    const protocolOfVersion = isText(version) ? protocolOf(version) : undefined;
    const quotedVersion = `"${excerpt(versionText, 40)}"`;
    if (protocolOfVersion === undefined) return unsupportedVersion(`Version ${quotedVersion} is not known.`);
    if (!form?.protocols.includes(protocolOfVersion))
      return unsupportedVersion(`Version ${quotedVersion} has no ${key}.`);
    protocol = protocolOfVersion;
  }
  const surfaceId = protocol === "gulf" || kind === "call" || kind === "answer" ? MAIN : body.surfaceId;
  if (!isName(surfaceId)) return wrongField(at, body, "surfaceId", NAME);
  const request = requestOf(kind, protocol, body, at, warnings);
  if (PROTOCOLS[protocol].version && !isText(version))
    warnings.push(versionWarning("The message has no version.", "/version"));
  return { request, line, protocol, surfaceId, warnings };
}

/** Reads the body of a message, whose pointer is `at`. Warnings are added to the list. @throws Refusal */
function requestOf(
  kind: MessageKind,
  protocol: SurfaceProtocol,
  body: Members,
  at: string,
  warnings: Problem[],
): Request {
  switch (kind) {
    case "header":
      if (!isName(body.version)) throw wrongField(at, body, "version", NAME);
      // Versions 2 and later are read as 1.0.
      if (!/^[01](?:\.|$)/.test(body.version)) warnings.push(unknownVersion(body.version, at));
      return { kind };
    case "delete":
      return { kind };
    case "render":
      return renderIn(body, at);
    case "create": {
      const { needsCatalog, hasDirectives } = PROTOCOLS[protocol];
      // Of the protocols with `createSurface`, only 1.0 has directives, and only v0.9 has themes.
      const hasTheme = !hasDirectives;
      if (!hasTheme && (body.theme ?? null) !== null)
        warnings.push(versionWarning("A2UI 1.0 has no theme.", `${at}/theme`));
      else needObject(body, "theme", at);
      needObject(body, "dataModel", at);
      // A warning: a page with a single catalog can render the surface.
      if (needsCatalog && !isName(body.catalogId))
        warnings.push({ ...wrongField(at, body, "catalogId", NAME), severity: "warning" });
      const components = (body.components ?? null) === null ? [] : componentsIn(body, protocol, at).components;
      const info = pick(body, ["catalogId", "sendDataModel", ...(hasTheme ? ["theme"] : [])]);
      return { kind, info, components, data: body.dataModel ?? undefined, text: JSON.stringify(body) };
    }
    case "components":
      return componentsIn(body, protocol, at);
    case "call":
      return { kind, call: callIn(body, protocol, at) };
    case "answer":
      return answerIn(body, at);
    case "data":
      return dataIn(body, protocol, at);
  }
}

/** Reads `callRendererFunction`. */
function callIn(body: Members, protocol: SurfaceProtocol, at: string): SurfaceCall {
  const { functionCallId: callId, callFunction, surfaceId } = body;
  if (!isName(callId)) throw wrongField(at, body, "functionCallId", NAME);
  const parsedCall = isObject<Json>(callFunction) ? callOf(callFunction, protocol) : undefined;
  if (!parsedCall || !isObject<Json>(callFunction)) throw wrongField(at, body, "callFunction", "a call");
  const { call, args, catalogId } = parsedCall;
  if (!isObject(args ?? {})) throw wrongField(`${at}/callFunction`, callFunction, "args", "an object");
  return {
    type: "call",
    callId,
    call,
    args: isObject<Json>(args) ? args : {},
    ...(catalogId !== undefined && { catalogId }),
    ...(isName(surfaceId) && { surfaceId }),
  };
}

/** Reads `agentFunctionResponse`. */
function answerIn(body: Members, at: string): Request {
  const { functionCallId: callId } = body;
  if (!isName(callId)) throw wrongField(at, body, "functionCallId", NAME);
  const outcome = outcomeIn(body);
  if (outcome) return { kind: "answer", callId, outcome };
  throw new Refusal(INVALID, "An answer has either a value, or an error with the strings code and message.", at);
}

function versionWarning(message: string, path: string): Problem {
  return { severity: "warning", code: "UNSUPPORTED_VERSION", message, path };
}

/** An error, unlike {@link versionWarning}. */
const unsupportedVersion = (message: string): Refusal => new Refusal("UNSUPPORTED_VERSION", message, "/version");

const unknownVersion = (version: string, at: string): Problem =>
  versionWarning(`Version "${excerpt(version, 40)}" is not known.`, `${at}/version`);
