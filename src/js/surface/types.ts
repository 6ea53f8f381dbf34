/** The types of surfaces: options, events, nodes, diagnostics. */
import type { Author, DeepReadonly, Json, Limits } from "../types.js";

export type SurfaceErrorCode =
  | "INVALID_JSON"
  /** A message whose fields are missing or of the wrong kind. */
  | "INVALID_MESSAGE"
  /** An object without a key of a message. */
  | "UNKNOWN_MESSAGE"
  /** An error: an unknown version, or a message that the version does not have. A warning: no version, which means v0.9. */
  | "UNSUPPORTED_VERSION"
  | "UNKNOWN_SURFACE"
  | "SURFACE_EXISTS"
  | "SURFACE_DELETED"
  /** An invalid path, or one that leads through a scalar. */
  | "INVALID_PATH"
  /** A scalar in the way of a path was overwritten. */
  | "OVERWRITTEN"
  | "LIMIT_EXCEEDED"
  /** The stream ended before a surface was rendered. */
  | "MISSING_ROOT"
  /** The stream ended before a component that others refer to has arrived. */
  | "MISSING_COMPONENT"
  | "CYCLE"
  | "UNKNOWN_FUNCTION"
  /** A function failed, or lacks an argument. */
  | "FUNCTION_FAILED"
  /** An absolute path that leads nowhere was read from the template item. */
  | "PATH_FALLBACK"
  | "UNKNOWN_TYPE"
  | "INVALID_COMPONENT"
  /** A binding or call in a form that the version does not have. */
  | "INVALID_BINDING"
  /** A component or a call names a catalog that the page does not have, or none at all. */
  | "UNKNOWN_CATALOG"
  /** The catalog does not allow the component in the one that holds it. */
  | "UNALLOWED_PARENT"
  /** The catalog of the one that holds the component does not allow it. */
  | "UNALLOWED_CHILD"
  /** The caller may not call this function, or a call of the agent repeats the id of an earlier call. */
  | "INVALID_FUNCTION_CALL"
  /** The agent answers a call that does not wait. */
  | "UNKNOWN_CALL";

export type SurfaceProtocol = "gulf" | "a2ui-0.8" | "a2ui-0.9" | "a2ui-1.0";

/** A component of any protocol. */
export interface SurfaceComponent {
  readonly id: string;
  readonly type: string;
  /** As it was sent: its share of the room in the component around it. */
  readonly weight?: number;
  /** As they were sent, with bindings and children. */
  readonly props: { readonly [name: string]: Json };
  readonly protocol: SurfaceProtocol;
}

/** A violation of the catalog, or a binding that the protocol does not have. */
export interface SurfaceIssue {
  code:
    | "UNKNOWN_TYPE"
    | "INVALID_COMPONENT"
    | "INVALID_BINDING"
    | "UNKNOWN_CATALOG"
    | "UNALLOWED_PARENT"
    | "UNALLOWED_CHILD";
  message: string;
  /** A JSON Pointer into the properties. */
  path: string;
}

/** A node of a resolved tree. Immutable: an unchanged node is the same object in the next tree. */
export interface SurfaceNode {
  /** The component's id, followed in a template by the index of each item: `row:2`. */
  readonly id: string;
  readonly componentId: string;
  /** `""` until the component has arrived. */
  readonly type: string;
  readonly weight?: number;
  /** Bound values resolved (`null` without data), literals unwrapped, without children. `action` is as sent. */
  readonly props: Readonly<Record<string, Json>>;
  readonly children: readonly (SurfaceNode & { readonly slot: string })[];
  /**
   * `pending`: has not arrived; `unknown`: not in the catalog, not allowed at its place, or with a binding that its version does
   * not have; `cyclic`: contains itself, and is cut off here.
   */
  readonly state: "ready" | "pending" | "unknown" | "cyclic";
  /** The template item from which the node's relative paths are read, as a JSON Pointer; `""` outside of templates. */
  readonly dataPath: string;
  /** The property that holds the node, as a pointer: `children`, `child`, `tabItems/0/child`. The root has none. */
  readonly slot?: string;
  /** The paths of bound properties in the data, for {@link SurfaceStream.setData}. */
  readonly bindings?: { readonly [prop: string]: string };
  /** Violations of the catalog, and bindings that the protocol does not have. */
  readonly issues?: readonly SurfaceIssue[];
}

export interface SurfaceInfo {
  readonly protocol: SurfaceProtocol;
  /** Whether rendering has begun, so that there is a tree. */
  readonly rendering: boolean;
  /** The id of the root component, as `beginRendering` names it. */
  readonly root?: string;
  /** The rest is as the agent has sent it: `styles` in GULF and A2UI v0.8, `theme` in v0.9, `sendDataModel` in v0.9 and 1.0. */
  readonly styles?: DeepReadonly<Record<string, Json>>;
  readonly theme?: DeepReadonly<Record<string, Json>>;
  readonly catalogId?: string;
  readonly sendDataModel?: boolean;
}

export interface SurfaceDiagnostic {
  type: "diagnostic";
  /** `error`: the message, or the part at `path`, was not applied. */
  severity: "error" | "warning";
  code: SurfaceErrorCode;
  message: string;
  /** The line where the message began, from 1. */
  line?: number;
  /** A JSON Pointer into the message or, for a node, its id. */
  path?: string;
  surfaceId?: string;
}

/**
 * An event of a surface. `surface`: it is new, or its {@link SurfaceInfo} has changed. `tree`, `data`: {@link SurfaceStream.tree}
 * or {@link SurfaceStream.dataModel} returns something else. `nodes` of a `tree` event: the ids of nodes that are new, or whose
 * properties or children changed.
 */
export type SurfaceEvent =
  | { type: "surface" | "tree" | "data" | "deleted"; surfaceId: string; nodes?: string[] }
  | SurfaceCall
  | SurfaceReply
  | SurfaceDiagnostic;

/**
 * The agent calls a function of the page (`callRendererFunction` of A2UI 1.0). Nothing is executed: the page does that, and
 * sends what {@link SurfaceStream.respond} returns.
 */
export interface SurfaceCall {
  type: "call";
  /** The id for the page's answer. */
  callId: string;
  call: string;
  args: { readonly [name: string]: Json };
  catalogId?: string;
  /** The surface that the agent names, if any. */
  surfaceId?: string;
  /** Never set: with it, `event.nodes` can be read without a check of `event.type`. */
  nodes?: never;
}

/** A call of the agent was refused by the catalog: send the message to the agent. */
export interface SurfaceReply {
  type: "reply";
  callId: string;
  /** The name of the function. */
  call: string;
  message: RendererResponse;
  /** Never set, nor is `nodes`: see {@link SurfaceCall.nodes}. */
  surfaceId?: never;
  nodes?: never;
}

/** The value that a function has returned, or why it has failed. */
export type FunctionOutcome =
  | { value: Json; error?: undefined }
  | { error: { code: string; message: string }; value?: undefined };

/** The page's answer to a call of the agent, for the agent. */
export interface RendererResponse {
  version: "v1.0";
  rendererFunctionResponse: { functionCallId: string } & FunctionOutcome;
}

/** A call of the page, for the agent. */
export interface AgentCallMessage {
  version: "v1.0";
  callAgentFunction: {
    surfaceId: string;
    functionCallId: string;
    callFunction: { "@call": string; catalogId?: string; args: { [name: string]: Json } };
  };
}

/** A call of a function of the agent: see {@link SurfaceStream.callAgent}. */
export interface SurfaceAgentCall {
  callId: string;
  /** To be sent to the agent. */
  message: AgentCallMessage;
  /**
   * The value that the function returns. Rejects with a `GenuiPatchError`: with the code of the agent's error; `CANCELLED` if the
   * surface is deleted or the stream ends first; `DISPOSED`.
   */
  result: Promise<Json>;
}

export interface CallAgentOptions {
  /** The catalog of the function. */
  catalogId?: string | undefined;
}

/** A value that a user has typed into a surface and that the agent has not confirmed: see {@link SurfaceStream.pending}. */
export interface SurfaceEdit {
  /** A JSON Pointer to the place in the data. */
  readonly path: string;
  readonly value: DeepReadonly<Json>;
  readonly author: Author;
}

/**
 * A function of A2UI v0.9 and 1.0 that the page adds. Its arguments are resolved; it returns JSON. In `checks` that is true or
 * false, or in A2UI 1.0 an object `{valid, code?, message?, severity?}`.
 */
export type SurfaceFunction = (args: Readonly<Record<string, Json>>) => Json;

export interface SurfaceStreamOptions {
  /**
   * A JSON Schema of the components. Types and properties that it does not allow are reported. With a list of catalogs, each
   * with a `catalogId`, components and calls choose theirs, or the surface does for them.
   */
  catalog?: object | readonly object[] | undefined;
  /** Show complete components of a message that is still arriving. */
  partial?: boolean | undefined;
  /**
   * Functions by name, which may replace known ones. `regex` exists only if the page adds it. An object in place of a function
   * has the functions of the catalog with this id, for calls that name it.
   */
  functions?: Readonly<Record<string, SurfaceFunction | Readonly<Record<string, SurfaceFunction>>>> | undefined;
  /**
   * Whether the user has just done something, for functions with `requiresUserActivation` that the agent calls. Default:
   * `navigator.userActivation`; `false` on platforms without it.
   */
  isUserActive?: (() => boolean) | undefined;
  /** For dates and numbers. Default: the locale of the platform. */
  locale?: string | undefined;
  /** For dates, such as `Europe/Berlin`. Default: the time zone of the platform. */
  timeZone?: string | undefined;
  limits?: Partial<Limits> | undefined;
}

/** The event of an action, for the server: in the form of GULF, of A2UI v0.8, or of v0.9 and 1.0. */
export type ClientEvent =
  | { actionName: string; sourceComponentId: string; timestamp: string; resolvedContext: Record<string, Json> }
  | { userAction: SurfaceAction }
  | { version: "v0.9" | "v1.0"; action: SurfaceAction };

export interface SurfaceAction {
  name: string;
  /** A sentence that says what the user did. */
  userMessage?: string;
  surfaceId: string;
  sourceComponentId: string;
  /** ISO 8601, UTC. */
  timestamp: string;
  context: Record<string, Json>;
}

/**
 * An action for the page itself, such as `openUrl`. It is not executed. A function that the page does not have may be one of the
 * agent's: see {@link SurfaceStream.callAgent}.
 */
export interface FunctionAction {
  functionCall: { call: string; args: Record<string, Json>; catalogId?: string };
}
