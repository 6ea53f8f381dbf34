/** The options of a store: checked, and written for the module. */

import type { ReadCatalog } from "../catalog/read.js";
import { toText } from "../core/json.js";
import { FLAG, FUNCTION, OBJECT, requireKind, requireOptions, TEXT } from "../core/require.js";
import { requireUrlPolicy } from "../core/url.js";
import type { PatchStoreOptions } from "../types.js";

/** The key of options that only this package sets. */
export const internal: unique symbol = Symbol("genui-patch.internal");

/**
 * The key of the method that tells a store of a new connection to its server (1), or of its end (-1). A registered symbol, which
 * two bundles of the package share.
 */
export const connected: unique symbol = Symbol.for("genui-patch.connected");

/** The key of the method that returns the implementation of a store, for servers. */
export const contents: unique symbol = Symbol("genui-patch.contents");

/**
 * Options that may have the text of a saved store, for `restore`. `owner` decides which proposals of the text are valid: its type
 * is that of `approval/patches.ts`, which this file cannot import.
 */
export interface StoreOptions<Owner = unknown> extends PatchStoreOptions {
  readonly [internal]?: { readonly saved?: string | undefined; readonly owner?: Owner };
}

/** The options as JSON text, without functions: the module does not need those. */
export function writeOptions(options: PatchStoreOptions, catalog: ReadCatalog | undefined): string {
  requireKind("PatchStore", "options", options, OBJECT);
  // The module checks the options in `rest`.
  const { freeze = true, criteria = {}, displayLanguage = "", clientId = randomId(), urls = {}, ...rest } = options;
  const kinds = { freeze: FLAG, clientId: TEXT, displayLanguage: TEXT, criteria: OBJECT };
  requireOptions("PatchStore", { freeze, clientId, displayLanguage, criteria }, kinds);
  for (const [name, check] of Object.entries(criteria))
    requireKind("PatchStore", `criterion "${name}"`, check, FUNCTION);
  requireUrlPolicy("PatchStore", urls);
  return toText({ ...rest, clientId, ...(catalog && { catalog: catalog.coreCatalog }) }, "options");
}

/** 12 characters of 36 kinds, or 62 random bits, so that two clients of one server have different ids. */
function randomId(): string {
  return Array.from({ length: 12 }, () => Math.floor(Math.random() * 36).toString(36)).join("");
}
