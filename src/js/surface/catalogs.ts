/** `Catalogs`: the catalogs of a page, and which of them a component or a call means. */
import { misuse } from "../core/errors.js";
import { isText, type Members } from "../core/kinds.js";
import { type ArgumentKind, fits, OBJECT } from "../core/require.js";
import { Catalog } from "./catalog.js";
import { protocolOf } from "./protocols.js";
import { excerpt } from "./refusal.js";
import type { SurfaceIssue, SurfaceProtocol } from "./types.js";

/** The only protocol in which catalogs say who may call their functions. */
const FUNCTIONS_PROTOCOL: SurfaceProtocol = "a2ui-1.0";

/** Values of `allowedCallers`, by which a catalog says who may call a function. */
type Callers = "rendererOnly" | "agentOnly" | "rendererOrAgent";

export class Catalogs {
  readonly #all: readonly Catalog[];
  /** In a list, each component or call names its catalog; a single catalog is also for those that name none. */
  readonly #isList: boolean;

  /** @throws GenuiPatchError `INVALID_ARGUMENT` for a list without a catalog, or with one that has no id. */
  constructor(catalogs: Members | readonly Members[]) {
    this.#isList = Array.isArray(catalogs);
    this.#all = [catalogs].flat().map((root) => new Catalog(root));
    if (this.#all.length === 0 || (this.#isList && this.#all.some(({ id }) => id === undefined)))
      throw misuse("SurfaceStream: a list of catalogs needs at least one, each with a catalogId.");
  }

  /** The ids that a component may name. */
  get ids(): string[] {
    return this.#all.flatMap(({ id }) => id ?? []);
  }

  /**
   * The catalog with the id that a component or a call names, or else its surface; an issue if the page does not have it, or if
   * it is for another version.
   */
  find(protocol: SurfaceProtocol, ownId: unknown, surfaceCatalogId?: string): Catalog | SurfaceIssue {
    const [firstCatalog] = this.#all;
    const id = isText(ownId) ? ownId : this.#isList ? surfaceCatalogId : undefined;
    // Nothing needs to name a single catalog, or any in GULF and A2UI v0.8: without a name the first one counts.
    const isOptional = !this.#isList || protocol === "gulf" || protocol === "a2ui-0.8";
    const namedCatalog = id === undefined ? isOptional && firstCatalog : this.#all.find((catalog) => catalog.has(id));
    // A single catalog without an id matches every id.
    const catalog = namedCatalog || (!this.#isList && firstCatalog?.id === undefined && firstCatalog);
    if (!catalog) {
      const which =
        id === undefined ? "Neither it nor its surface names a catalog" : `There is no catalog "${excerpt(id, 80)}"`;
      return {
        code: "UNKNOWN_CATALOG",
        message: `${which}; there are ${this.ids.join(", ").slice(0, 300)}.`,
        path: "",
      };
    }
    const { version } = catalog;
    const isOfOtherVersion = protocol === "a2ui-1.0" && version !== undefined && protocolOf(version) !== protocol;
    if (!isOfOtherVersion) return catalog;
    const message = `The catalog "${catalog.id}" is for version ${version}, and cannot be mixed with ${protocol}.`;
    return { code: "UNKNOWN_CATALOG", message, path: "" };
  }

  /** Why a surface cannot have the catalog that it names; `undefined` if it can, or if the page has no list of catalogs. */
  issueFor(id: string | undefined, protocol: SurfaceProtocol): SurfaceIssue | undefined {
    const result = this.#isList && id !== undefined ? this.find(protocol, id) : undefined;
    return result && isIssue(result) ? result : undefined;
  }

  /** Why the agent must not call a function of the page; `undefined` if it may, or if no catalog describes functions. */
  refusesAgent(call: string, catalogId: string | undefined, isUserActive: () => boolean): string | undefined {
    if (!this.#all.some(({ functions }) => functions)) return undefined;
    const catalog = this.find(FUNCTIONS_PROTOCOL, catalogId);
    if (!(catalog instanceof Catalog)) return `Catalog not found: ${catalogId ?? "none is named"}`;
    const description = catalog.functions?.get(call);
    if (description === undefined) return `Function not found: ${excerpt(call, 80)}`;
    const callers = callersOf(description);
    if (callers === "rendererOnly")
      return `Function '${call}' cannot be called by agent (allowedCallers is ${callers}).`;
    const lacksUser = description.requiresUserActivation === true && !isUserActive();
    return lacksUser ? `Function '${call}' requires user activation context to execute.` : undefined;
  }

  /** Whether only the agent may call a function, so that components may not. */
  isForAgent(call: string, catalogId: string | undefined, surfaceCatalogId: string | undefined): boolean {
    const catalog = this.find(FUNCTIONS_PROTOCOL, catalogId, surfaceCatalogId);
    const description = catalog instanceof Catalog ? catalog.functions?.get(call) : undefined;
    return description !== undefined && callersOf(description) === "agentOnly";
  }
}

/** The allowed callers of a function: only the renderer, unless its description says otherwise. */
const callersOf = ({ allowedCallers: callers }: Members): Callers =>
  callers === "agentOnly" || callers === "rendererOrAgent" ? callers : "rendererOnly";

export const isIssue = (found: Catalog | SurfaceIssue): found is SurfaceIssue => !(found instanceof Catalog);

/** An option: one catalog, or a list of catalogs. */
export const CATALOGS: ArgumentKind = [
  "a catalog or a list of catalogs",
  (value) => [value].flat().every((one) => fits(OBJECT, one)),
];
