/** Reads the catalog of a host: words that it adds to the vocabulary, with descriptions and schemas. */
import { type HostCheck, registerCheck } from "../core/host-checks.js";
import { isObject, mapMembers } from "../core/kinds.js";
import { OBJECT, requireKind } from "../core/require.js";
import type { Catalog, CatalogField } from "./catalog-types.js";
import { readSchema } from "./schema.js";

/** A catalog as it was read. */
export interface ReadCatalog {
  /** For the prompt: every schema is a JSON Schema. */
  readonly catalog: Catalog;
  /** For the core: with the numbers of checks that only JavaScript can make. */
  readonly sent: object;
  /** The checks by number, kept as long as the catalog is in use. */
  readonly checks: readonly HostCheck[];
}

const WITH_SCHEMAS = ["blocks", "fields", "actions"] as const;
const SCHEMAS = ["props", "value"] as const;

/** Reads a catalog and its schemas. The core validates everything else in it. */
export function readCatalog(given: Catalog): ReadCatalog {
  requireKind("PatchStore", "catalog", given, OBJECT);
  const catalog: Catalog = { ...given };
  const sent: Record<string, unknown> = { ...given };
  const checks: HostCheck[] = [];
  for (const list of WITH_SCHEMAS) {
    const types = given[list];
    if (!isObject<CatalogField>(types)) continue;
    const known: Record<string, CatalogField> = {};
    sent[list] = mapMembers(types, (type, name) => {
      known[name] = type;
      if (!isObject<unknown>(type)) return type;
      const { jsonSchema, ...own } = type;
      const entry: CatalogField = { ...own };
      const numbers: Record<string, number> = {};
      for (const key of SCHEMAS) {
        if (own[key] === undefined) {
          delete entry[key];
          continue;
        }
        // The `jsonSchema` of an entry describes the `value` of a field that has one, else the `props`.
        const described = list === "fields" && own.value !== undefined ? "value" : "props";
        const written = key === described ? jsonSchema : undefined;
        const { json, check } = readSchema(`catalog.${list}.${name}.${key}`, own[key], written);
        entry[key] = json;
        if (check === undefined) continue;
        checks.push(check);
        numbers[`${key}Check`] = registerCheck(check);
      }
      known[name] = Object.freeze(entry);
      const { description: _, example: __, ...core } = entry;
      return { ...core, ...numbers };
    });
    catalog[list] = Object.freeze(known);
  }
  return { catalog: Object.freeze(catalog), sent, checks };
}
