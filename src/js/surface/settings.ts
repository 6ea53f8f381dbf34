/** Reads the options of a stream. */
import { misuse } from "../core/errors.js";
import { fromText, writeText } from "../core/json.js";
import { type ArgumentKind, FLAG, FUNCTION, OBJECT, requireKind, requireOptions, TEXT } from "../core/require.js";
import { limits as defaults } from "../generated/facts.js";
import type { Limits } from "../types.js";
import { Catalog } from "./catalog.js";
import { type KnownFunction, functions as known, requireArguments } from "./functions.js";
import { messageOf } from "./text.js";
import type { SurfaceStreamOptions } from "./types.js";

const OPTIONS = { catalog: OBJECT, partial: FLAG, functions: OBJECT, locale: TEXT, timeZone: TEXT, limits: OBJECT };
const LIMIT: ArgumentKind = ["a whole number from 0", (value) => typeof value === "number" && value >>> 0 === value];

/** The highest depth that a page may allow: walking a value uses the stack. */
const DEEPEST = 512;

export type Settings = Readonly<ReturnType<typeof readSettings>>;

/** @throws GenuiPatchError `INVALID_ARGUMENT` for options that are not understood. */
export function readSettings(options: SurfaceStreamOptions) {
  requireOptions("SurfaceStream", options, OPTIONS);
  const { catalog, functions: added = {}, locale, timeZone, limits: given = {} } = options;
  const read = catalog === undefined ? undefined : new Catalog(JSON.parse(writeText(catalog, "catalog")));
  const functions = new Map<string, KnownFunction>();
  for (const [name, own] of Object.entries(known)) {
    functions.set(name, (args, place) => {
      requireArguments(name, args);
      return own(args, place);
    });
  }
  for (const [name, own] of Object.entries(added)) {
    requireKind("SurfaceStream", "functions", own, FUNCTION);
    functions.set(name, (args) => fromText(JSON.stringify(own(args) ?? null)));
  }
  // Only if needed: the first formatter of a page takes as long as everything else in a first use.
  if (locale !== undefined || timeZone !== undefined) {
    try {
      new Intl.DateTimeFormat(locale, { timeZone });
    } catch (cause) {
      throw misuse(`SurfaceStream: ${messageOf(cause)}.`);
    }
  }
  requireOptions(
    "SurfaceStream",
    given,
    Object.fromEntries(Object.keys(defaults).map((name) => [name, LIMIT])),
    "limits",
  );
  const own = Object.entries(given).filter(([, value]) => value !== undefined);
  const limits: Limits = { ...defaults, ...Object.fromEntries(own) };
  limits.maxDepth = Math.min(limits.maxDepth, DEEPEST);
  return { catalog: read, functions, locale, timeZone, limits };
}
