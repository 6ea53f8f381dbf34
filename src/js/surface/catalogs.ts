/** `Catalogs`: the catalogs of a page, and which of them a component or a call means. */
import { misuse } from "../core/errors.js";
import { isText, type Members } from "../core/kinds.js";
import { type ArgumentKind, fits, OBJECT } from "../core/require.js";
import { Catalog } from "./catalog.js";
import { protocolOf } from "./protocols.js";
import { shown } from "./refusal.js";
import type { SurfaceIssue, SurfaceProtocol } from "./types.js";

/** Values of `allowedCallers`, by which a catalog says who may call a function. */
type Callers = "rendererOnly" | "agentOnly" | "rendererOrAgent";

export class Catalogs {
  readonly #all: readonly Catalog[];
  /** In a list, each component or call names its catalog; a single catalog is also for those that name none. */
  readonly #isList: boolean;

  /** @throws GenuiPatchError `INVALID_ARGUMENT` for a list without a catalog, or with one that has no id. */
  constructor(given: Members | readonly Members[]) {
    this.#isList = Array.isArray(given);
    this.#all = [given].flat().map((root) => new Catalog(root));
    if (this.#all.length === 0 || (this.#isList && this.#all.some(({ id }) => id === undefined)))
      throw misuse("SurfaceStream: a list of catalogs needs at least one, each with a catalogId.");
  }

  /** The ids that a component may name. */
  get ids(): string[] {
    return this.#all.flatMap(({ id }) => id ?? []);
  }

  /**
   * The catalog that a component or a call names (`ownId`), else that of its surface (`ofSurface`, also the id of a catalog); an
   * issue if the page has no such catalog.
   */
  find(ownId: unknown, ofSurface: string | undefined, protocol: SurfaceProtocol): Catalog | SurfaceIssue {
    const [first] = this.#all;
    const id = isText(ownId) ? ownId : this.#isList ? ofSurface : undefined;
    // In these cases no catalog needs to be named: then the first one counts.
    const isOptional = !this.#isList || protocol === "gulf" || protocol === "a2ui-0.8";
    const chosen = id === undefined ? isOptional && first : this.#all.find((catalog) => catalog.has(id));
    // A single catalog without an id matches every id.
    const found = chosen || (!this.#isList && first?.id === undefined && first);
    if (!found) {
      const which =
        id === undefined ? "Neither it nor its surface names a catalog" : `There is no catalog "${shown(id, 80)}"`;
      return {
        code: "UNKNOWN_CATALOG",
        message: `${which}; there are ${this.ids.join(", ").slice(0, 300)}.`,
        path: "",
      };
    }
    const { version } = found;
    const isOfOtherVersion = protocol === "a2ui-1.0" && version !== undefined && protocolOf(version) !== protocol;
    if (!isOfOtherVersion) return found;
    const message = `The catalog "${found.id}" is for version ${version}, and cannot be mixed with ${protocol}.`;
    return { code: "UNKNOWN_CATALOG", message, path: "" };
  }

  /** Why a surface cannot have the catalog that it names; `undefined` if it can, or if the page has no list of catalogs. */
  issueFor(id: string | undefined, protocol: SurfaceProtocol): SurfaceIssue | undefined {
    const result = this.#isList && id !== undefined ? this.find(id, undefined, protocol) : undefined;
    return result && isIssue(result) ? result : undefined;
  }

  /** Why the agent must not call a function of the page; `undefined` if it may, or if no catalog describes functions. */
  refusesAgent(call: string, catalogId: string | undefined, isUserActive: () => boolean): string | undefined {
    if (!this.#all.some(({ functions }) => functions)) return undefined;
    const catalog = this.find(catalogId, undefined, "a2ui-1.0");
    if (!(catalog instanceof Catalog)) return `Catalog not found: ${catalogId ?? "none is named"}`;
    const description = catalog.functions?.get(call);
    if (description === undefined) return `Function not found: ${shown(call, 80)}`;
    const callers = callersOf(description);
    if (callers === "rendererOnly")
      return `Function '${call}' cannot be called by agent (allowedCallers is ${callers}).`;
    const lacksUser = description.requiresUserActivation === true && !isUserActive();
    return lacksUser ? `Function '${call}' requires user activation context to execute.` : undefined;
  }

  /** Whether only the agent may call a function, so that components may not. `ofSurface`: the catalog that the surface names. */
  isForAgent(call: string, catalogId: string | undefined, ofSurface: string | undefined): boolean {
    const catalog = this.find(catalogId, ofSurface, "a2ui-1.0");
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
