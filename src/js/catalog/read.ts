/** Reads the catalog of a host (the application): words that it adds to the vocabulary, with descriptions and schemas. */

import type { Catalog, CatalogField } from "../core/catalog-types.js";
import { type HostCheck, registerCheck } from "../core/host-checks.js";
import { isObject, mapMembers } from "../core/kinds.js";
import { OBJECT, requireKind } from "../core/require.js";
import { readSchema } from "./schema.js";

/** A catalog as it was read. */
export interface ReadCatalog {
  /** For the prompt: every schema is a JSON Schema. */
  readonly catalog: Catalog;
  /** For the core: with the numbers of checks that only JavaScript can make. */
  readonly coreCatalog: object;
  /** These checks, which are collected as garbage unless the catalog holds them. */
  readonly checks: readonly HostCheck[];
}

/** The lists of a catalog whose types may have schemas. */
const WITH_SCHEMAS = ["blocks", "fields", "actions"] as const;
/** The members of a type that are schemas. */
const SCHEMAS = ["props", "value"] as const;

/**
 * Reads a catalog and its schemas. Both catalogs in the result have the schemas as JSON. `coreCatalog` also has the numbers of the
 * checks for Standard Schemas, as `propsCheck` and `valueCheck`, and lacks texts for the model. The core validates it.
 */
export function readCatalog(hostCatalog: Catalog): ReadCatalog {
  requireKind("PatchStore", "catalog", hostCatalog, OBJECT);
  const catalog: Catalog = { ...hostCatalog };
  const coreCatalog: Record<string, unknown> = { ...hostCatalog };
  const checks: HostCheck[] = [];
  for (const list of WITH_SCHEMAS) {
    const types = hostCatalog[list];
    // A list of names alone has no schemas.
    if (!isObject<CatalogField>(types)) continue;
    const typesForPrompt: Record<string, CatalogField> = {};
    coreCatalog[list] = mapMembers(types, (type, name) => {
      typesForPrompt[name] = type;
      // The core refuses it.
      if (!isObject<unknown>(type)) return type;
      const { jsonSchema, ...definition } = type;
      const entry: CatalogField = { ...definition };
      const checkNumbers: Record<string, number> = {};
      for (const key of SCHEMAS) {
        // `props: undefined` counts as absent.
        if (definition[key] === undefined) {
          delete entry[key];
          continue;
        }
        // The `jsonSchema` of a type is that of the `value` of a field that has one, else of the `props`.
        const keyOfJsonSchema = list === "fields" && definition.value !== undefined ? "value" : "props";
        const schemaAsJson = key === keyOfJsonSchema ? jsonSchema : undefined;
        const { json, check } = readSchema(`catalog.${list}.${name}.${key}`, definition[key], schemaAsJson);
        entry[key] = json;
        if (check === undefined) continue;
        checks.push(check);
        checkNumbers[`${key}Check`] = registerCheck(check);
      }
      typesForPrompt[name] = Object.freeze(entry);
      const { description: _, example: __, ...core } = entry;
      return { ...core, ...checkNumbers };
    });
    catalog[list] = Object.freeze(typesForPrompt);
  }
  return { catalog: Object.freeze(catalog), coreCatalog, checks };
}
