/** Reads the options of a stream. */
import { misuse } from "../core/errors.js";
import { fromText, writeText } from "../core/json.js";
import { type ArgumentKind, FLAG, FUNCTION, OBJECT, requireKind, requireOptions, TEXT } from "../core/require.js";
import { limits as defaults } from "../generated/facts.js";
import type { Limits } from "../types.js";
import { CATALOGS, Catalogs } from "./catalogs.js";
import { functions as basicFunctions, type KnownFunction, requireArguments } from "./functions.js";
import { messageOf } from "./text.js";
import type { SurfaceFunction, SurfaceStreamOptions } from "./types.js";

const OPTIONS = {
  catalog: CATALOGS,
  partial: FLAG,
  functions: OBJECT,
  isUserActive: FUNCTION,
  locale: TEXT,
  timeZone: TEXT,
  limits: OBJECT,
};
/** `>>> 0` keeps the whole numbers below 2³² as they are, and no others. */
const LIMIT: ArgumentKind = ["a whole number from 0", (value) => typeof value === "number" && value >>> 0 === value];

/** The highest `maxDepth` that a page may allow, in levels: walking a value uses the stack. */
const DEEPEST = 512;

/** The options of a stream, checked and with defaults. `functions` has those of A2UI's basic catalog and of the page. */
export type Settings = Readonly<ReturnType<typeof readSettings>>;

/** Checks the options and adds defaults. @throws GenuiPatchError `INVALID_ARGUMENT` for options that are not understood. */
export function readSettings(options: SurfaceStreamOptions) {
  requireOptions("SurfaceStream", options, OPTIONS);
  const {
    catalog,
    functions: customFunctions = {},
    isUserActive = isActive,
    locale,
    timeZone,
    limits: limitOptions = {},
  } = options;
  const catalogs = catalog === undefined ? undefined : new Catalogs(JSON.parse(writeText(catalog, "catalog")));
  // By name, or by `functionKey`.
  const functions = new Map<string, KnownFunction>();
  for (const [name, basic] of Object.entries(basicFunctions)) {
    functions.set(name, (args, context) => {
      requireArguments(name, args);
      return basic(args, context);
    });
  }
  // The result of a page's function goes through JSON: the copy can be shared and frozen.
  const add = (key: string, custom: SurfaceFunction): void => {
    requireKind("SurfaceStream", "functions", custom, FUNCTION);
    functions.set(key, (args) => fromText(JSON.stringify(custom(args) ?? null)));
  };
  for (const [key, value] of Object.entries(customFunctions)) {
    if (typeof value !== "object") add(key, value);
    // The key is the id of a catalog, the value has its functions.
    else for (const [name, custom] of Object.entries(value)) add(functionKey(name, key), custom);
  }
  // `Intl` throws for an unknown locale or zone. Only if one is given, since it is slow: the first formatter of a page takes as
  // long as all other work for its first stream.
  if (locale !== undefined || timeZone !== undefined) {
    try {
      new Intl.DateTimeFormat(locale, { timeZone });
    } catch (cause) {
      throw misuse(`SurfaceStream: ${messageOf(cause)}.`);
    }
  }
  requireOptions(
    "SurfaceStream",
    limitOptions,
    Object.fromEntries(Object.keys(defaults).map((name) => [name, LIMIT])),
    "limits",
  );
  const changes = Object.entries(limitOptions).filter(([, value]) => value !== undefined);
  const limits: Limits = { ...defaults, ...Object.fromEntries(changes) };
  limits.maxDepth = Math.min(limits.maxDepth, DEEPEST);
  return { catalogs, functions, isUserActive, locale, timeZone, limits };
}

/** The key of a function that the page gives for one catalog only. All other functions have their names as keys. */
export const functionKey = (name: string, catalogId: string): string => `${name}\n${catalogId}`;

/** Without `navigator.userActivation`, as on a server, no user is active. */
const isActive = (): boolean => globalThis.navigator?.userActivation?.isActive ?? false;
