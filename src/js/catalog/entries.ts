/** The entries of the lists of a catalog. */

import type { CatalogField } from "../core/catalog-types.js";
import { isObject, isTexts } from "../core/kinds.js";

/**
 * The types or words of one list of a catalog, with the host's definition of each: an empty one for a word that is only named.
 */
export function catalogEntries(list: unknown): [string, CatalogField][] {
  if (isObject<CatalogField>(list)) return Object.entries(list);
  return isTexts(list) ? list.map((name) => [name, {}]) : [];
}
