/** `a2uiCatalog`: a client's catalogs, to check components before they are written. */
import { writeText } from "../core/json.js";
import { requireKind } from "../core/require.js";
import { CATALOGS, Catalogs, isIssue } from "../surface/catalogs.js";
import type { A2uiCatalog } from "./types.js";

/**
 * Prepares a client's catalog, or a list of them (each with a `catalogId`), for an `A2uiWriter`. It is separate from the writer,
 * so that the bundle of a page without catalogs does not contain the check.
 *
 * ```ts
 * const writer = new A2uiWriter({ catalog: a2uiCatalog(catalog) });
 * ```
 * @throws GenuiPatchError `INVALID_ARGUMENT` for a catalog that is not an object, or a list without ids.
 */
export function a2uiCatalog(catalog: object | readonly object[]): A2uiCatalog {
  requireKind("a2uiCatalog", "catalog", catalog, CATALOGS);
  const catalogs = new Catalogs(JSON.parse(writeText(catalog, "catalog")));
  return {
    ids: catalogs.ids,
    check(component, catalogId) {
      const { props, protocol } = component;
      // A component of A2UI 1.0 may write its own properties with or without `@`.
      const ownId = protocol === "a2ui-1.0" ? (props["@catalogId"] ?? props.catalogId) : undefined;
      // A page with a single catalog uses it even for surfaces that name another one. Here an unknown id is an issue, also if it
      // is the surface that names it.
      const result = catalogs.find(protocol, ownId ?? catalogId);
      return isIssue(result) ? result : result.check(component)[0];
    },
  };
}
