/** The types of surfaces: options, events, nodes, diagnostics. */
import type { DeepReadonly, Json, Limits } from "../types.js";

export type SurfaceErrorCode =
  | "INVALID_JSON"
  /** A message whose fields are missing or of the wrong kind. */
  | "INVALID_MESSAGE"
  /** An object that is none of the messages. */
  | "UNKNOWN_MESSAGE"
  /** A version that is not known; what it says is read all the same. */
  | "UNSUPPORTED_VERSION"
  | "UNKNOWN_SURFACE"
  | "SURFACE_EXISTS"
  | "SURFACE_DELETED"
  /** A path that is none, or that leads through what is neither list nor object. */
  | "INVALID_PATH"
  /** A scalar stood in the way of a path, and gave way. */
  | "OVERWRITTEN"
  | "LIMIT_EXCEEDED"
  /** The stream ended and a surface has nothing to begin with. */
  | "MISSING_ROOT"
  /** The stream ended and a component that is asked for has not come. */
  | "MISSING_COMPONENT"
  | "CYCLE"
  | "UNKNOWN_FUNCTION"
  /** A function that failed, or whose arguments it cannot use. */
  | "FUNCTION_FAILED"
  /** An absolute path that leads nowhere was read from the item. */
  | "PATH_FALLBACK"
  | "UNKNOWN_TYPE"
  | "INVALID_COMPONENT";

export type SurfaceProtocol = "gulf" | "a2ui-0.8" | "a2ui-0.9";

/** A component as all protocols have it. */
export interface SurfaceComponent {
  readonly id: string;
  readonly type: string;
  readonly weight?: number;
  /** As they were sent: bindings, children and all. */
  readonly props: { readonly [name: string]: Json };
  readonly protocol: SurfaceProtocol;
}

/** What the catalog does not allow. */
export interface SurfaceIssue {
  code: "UNKNOWN_TYPE" | "INVALID_COMPONENT";
  message: string;
  /** A JSON Pointer into the properties. */
  path: string;
}

/** A node of a resolved tree. Immutable: one that did not change is the same object in the next tree. */
export interface SurfaceNode {
  /** The component's id; behind it, in a template, the index of each item: `row:2`. */
  readonly id: string;
  readonly componentId: string;
  /** `""` while the component has not come. */
  readonly type: string;
  readonly weight?: number;
  /** Bound values resolved (`null` where there is no data), literals unwrapped, children taken out. `action` is as sent. */
  readonly props: Readonly<Record<string, Json>>;
  readonly children: readonly (SurfaceNode & { readonly slot: string })[];
  /** `pending`: has not come; `unknown`: not in the catalog; `cyclic`: stands inside itself, and is cut here. */
  readonly state: "ready" | "pending" | "unknown" | "cyclic";
  /** The item whose data the node's relative paths mean, as a JSON Pointer; `""` outside of templates. */
  readonly dataPath: string;
  /** The property that holds the node, as a pointer: `children`, `child`, `tabItems/0/child`. The root has none. */
  readonly slot?: string;
  /** The places in the data of properties that are bound, for {@link SurfaceStream.setData}. */
  readonly bindings?: { readonly [prop: string]: string };
  /** What the catalog does not allow. */
  readonly issues?: readonly SurfaceIssue[];
}

export interface SurfaceInfo {
  readonly protocol: SurfaceProtocol;
  /** Whether there is a tree: rendering has begun. */
  readonly rendering: boolean;
  readonly root?: string;
  readonly styles?: DeepReadonly<Record<string, Json>>;
  readonly theme?: DeepReadonly<Record<string, Json>>;
  readonly catalogId?: string;
  readonly sendDataModel?: boolean;
}

export interface SurfaceDiagnostic {
  type: "diagnostic";
  /** `error`: what it speaks of was not taken. */
  severity: "error" | "warning";
  code: SurfaceErrorCode;
  message: string;
  /** The line where the message began, from 1. */
  line?: number;
  /** A JSON Pointer into the message or, for a node, its id. */
  path?: string;
  surfaceId?: string;
}

/** What happened. `nodes`, of a `tree`, are the ids of nodes that are new or whose own properties or children have changed. */
export type SurfaceEvent =
  | { type: "surface" | "tree" | "data" | "deleted"; surfaceId: string; nodes?: string[] }
  | SurfaceDiagnostic;

/** A function of A2UI v0.9, added by the page: its arguments resolved, its result JSON. */
export type SurfaceFunction = (args: Readonly<Record<string, Json>>) => Json;

export interface SurfaceStreamOptions {
  /** A JSON Schema of the components: types and properties that it does not allow are diagnostics. */
  catalog?: object | undefined;
  /** Show components of a message that is still arriving. */
  partial?: boolean | undefined;
  /** Functions by name; one with a known name replaces it. `regex` is here only if the page adds it. */
  functions?: Readonly<Record<string, SurfaceFunction>> | undefined;
  /** For dates and numbers; that of the platform by default. */
  locale?: string | undefined;
  timeZone?: string | undefined;
  limits?: Partial<Limits> | undefined;
}

/** What the client tells the server of an action. */
export type ClientEvent =
  | { actionName: string; sourceComponentId: string; timestamp: string; resolvedContext: Record<string, Json> }
  | { userAction: SurfaceAction }
  | { version: "v0.9"; action: SurfaceAction };

export interface SurfaceAction {
  name: string;
  surfaceId: string;
  sourceComponentId: string;
  timestamp: string;
  context: Record<string, Json>;
}

/** An action that stays on the client: an instruction to the page, such as `openUrl`. Nothing was done. */
export interface FunctionAction {
  functionCall: { call: string; args: Record<string, Json> };
}
