/** The protocols, one row each: everything in which they differ by more than their messages. */
import type { SurfaceProtocol } from "./types.js";

interface ProtocolRules {
  /** The version in the page's events. GULF and A2UI v0.8 have none. */
  readonly version: "v0.9" | "v1.0" | undefined;
  /**
   * A component is flat: its type is in `component`, its properties are next to it. These protocols have `createSurface`,
   * functions, `checks`, and a root component with the id `root`.
   */
  readonly isFlat: boolean;
  /** The member of a component with its type; if it is not flat, with its type and properties. */
  readonly typeField: "component" | "componentProperties";
  /** The property of tabs, whose items hold the children. */
  readonly tabs: "tabItems" | "tabs";
  /** Keys that begin with `@` are the protocol's: `@path`, `@call`. `@@` at the start of a key is an escaped `@`. */
  readonly hasDirectives: boolean;
  /** `updateDataModel` needs a value, and null deletes. */
  readonly nullDeletes: boolean;
  /** Values that users have typed stay on top of the agent's data until the agent confirms them. */
  readonly keepsEdits: boolean;
  /** `createSurface` must name a catalog. */
  readonly needsCatalog: boolean;
}

/** The rules that GULF and A2UI v0.8 share. */
const OLD = {
  version: undefined,
  isFlat: false,
  tabs: "tabItems",
  hasDirectives: false,
  nullDeletes: false,
  needsCatalog: false,
} as const;
/** The rules that A2UI v0.9 and 1.0 share. */
const FLAT = { isFlat: true, typeField: "component", tabs: "tabs", keepsEdits: true } as const;

export const PROTOCOLS: Readonly<Record<SurfaceProtocol, ProtocolRules>> = {
  gulf: { ...OLD, typeField: "componentProperties", keepsEdits: false },
  "a2ui-0.8": { ...OLD, typeField: "component", keepsEdits: true },
  "a2ui-0.9": {
    ...FLAT,
    version: "v0.9",
    hasDirectives: false,
    nullDeletes: false,
    needsCatalog: true,
  },
  "a2ui-1.0": {
    ...FLAT,
    version: "v1.0",
    hasDirectives: true,
    nullDeletes: true,
    needsCatalog: false,
  },
};

const VERSIONS = [
  [/^v?0\.8(?:\.|$)/, "a2ui-0.8"],
  [/^v?0\.9(?:\.|$)/, "a2ui-0.9"],
  [/^v?1\.0(?:\.|$)/, "a2ui-1.0"],
] as const;

/** The protocol of a version as messages name it; `undefined` for one that is not known. */
export const protocolOf = (version: string): SurfaceProtocol | undefined =>
  VERSIONS.find(([form]) => form.test(version))?.[1];

/** The properties of A2UI 1.0 that every component may have, by their names with `@`. */
const COMMON_PROPERTIES: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["@catalogId", "catalogId"],
  ["@checks", "checks"],
  ["@accessibility", "accessibility"],
  ["@metadata", "metadata"],
]);

/** The name of a component's property. The properties that every component of A2UI 1.0 may have lose their `@`. */
export const propertyName = (name: string, protocol: SurfaceProtocol): string =>
  (PROTOCOLS[protocol].hasDirectives && COMMON_PROPERTIES.get(name)) || name;
