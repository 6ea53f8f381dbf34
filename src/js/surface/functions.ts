/** The functions of the basic catalog of A2UI v0.9 and 1.0, except `regex`: patterns from outside are not executed. */
import { getOrInsert, isObject } from "../core/kinds.js";
import type { Json } from "../types.js";
import { formatDate, type Localization } from "./dates.js";
import { PROTOCOLS } from "./protocols.js";
import type { SurfaceProtocol } from "./types.js";

type Args = Readonly<Record<string, Json>>;

/** The inputs of a function besides its arguments. */
type Context = Localization & { readonly protocol: SurfaceProtocol };

/** A function as the resolution of values calls it. Its arguments are resolved. It throws an Error if it fails. */
export type KnownFunction = (args: Args, context: Context) => Json;

/** The arguments that a call must have. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  required: ["value"],
  length: ["value"],
  numeric: ["value"],
  email: ["value"],
  and: ["values"],
  or: ["values"],
  not: ["value"],
  formatString: ["value"],
  formatNumber: ["value"],
  formatCurrency: ["value", "currency"],
  formatDate: ["value", "format"],
  pluralize: ["value", "other"],
  openUrl: ["url"],
};

/** Throws an Error for a missing argument. An argument whose data has not arrived is `null`, and not missing. */
export function requireArguments(name: string, args: Args): void {
  const missingArgument = REQUIRED[name]?.find((argument) => !Object.hasOwn(args, argument));
  if (missingArgument !== undefined) throw new Error(`the argument "${missingArgument}" is missing`);
}

/** The functions by name. Those that format return `null` while their data has not arrived. */
export const functions: Readonly<Record<string, KnownFunction>> = {
  required: ({ value }) => !isMissing(value) && !(Array.isArray(value) && value.length === 0),
  length: ({ value, min, max }) => {
    const length = typeof value === "string" || Array.isArray(value) ? value.length : 0;
    return isWithin(length, min, max);
  },
  numeric: ({ value, min, max }) => {
    const number = numberOf(value);
    return number !== undefined && isWithin(number, min, max);
  },
  email: ({ value }) => typeof value === "string" && isEmail(value),
  and: ({ values }, context) => Array.isArray(values) && values.every((value) => isTrue(value, context)),
  or: ({ values }, context) => Array.isArray(values) && values.some((value) => isTrue(value, context)),
  not: ({ value = null }, context) => !isTrue(value, context),
  formatNumber,
  formatCurrency: (args, context) =>
    formatNumber(args, context, { style: "currency", currency: String(args.currency ?? "") }),
  formatDate: ({ value, format }, context) => {
    if (isMissing(value)) return null;
    if (typeof format !== "string") throw new Error("the format must be a string");
    return formatDate(value, format, context);
  },
  pluralize: (args, { locale }) => {
    if (isMissing(args.value)) return null;
    const number = requireNumber(args.value);
    // English has no plural category for 0 and 2, but the texts `zero` and `two` mean exactly these numbers.
    const exactText = args[["zero", "one", "two"][number] ?? ""];
    const rules = formatter(plurals, `${locale}`, () => new Intl.PluralRules(locale));
    return exactText ?? args[rules.select(number)] ?? args.other ?? null;
  },
};

/** The size of each cache of formatters: creating one takes a hundred times as long as using it. */
const MAX_FORMATTERS = 100;
/** Caches, by the options of the formatters. */
const numbers = /* @__PURE__ */ new Map<string, Intl.NumberFormat>();
const plurals = /* @__PURE__ */ new Map<string, Intl.PluralRules>();

/** The formatter of a key in a cache, which is made on first use. */
function formatter<Formatter>(cache: Map<string, Formatter>, key: string, make: () => Formatter): Formatter {
  if (cache.size >= MAX_FORMATTERS) cache.clear();
  return getOrInsert(cache, key, make);
}

/** In A2UI 1.0 a check may return an object that says whether it has passed. */
const isTrue = (value: Json, { protocol }: Context): boolean =>
  PROTOCOLS[protocol].hasDirectives && isObject<Json>(value) && typeof value.valid === "boolean"
    ? value.valid
    : Boolean(value);

/** Whether a value is absent, null or an empty text. */
const isMissing = (value: Json | undefined): value is null | undefined | "" =>
  value === undefined || value === null || value === "";

/** Whether a number is between two bounds. Bounds that are not numbers are ignored. */
const isWithin = (number: number, min: Json | undefined, max: Json | undefined): boolean =>
  number >= (numberOf(min) ?? number) && number <= (numberOf(max) ?? number);

/** A number, or the number that a text means; `undefined` for any other value. */
function numberOf(value: Json | undefined): number | undefined {
  if (typeof value === "string" && value.trim() !== "") value = Number(value);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function requireNumber(value: Json | undefined): number {
  const number = numberOf(value);
  if (number === undefined) throw new Error("the value must be a number");
  return number;
}

/**
 * Formats a number with `decimals` digits after the point, and groups of thousands unless `grouping` is false; null without a
 * value. `style`: set for a currency.
 */
function formatNumber(
  { value, decimals, grouping }: Args,
  { locale }: Localization,
  style?: Intl.NumberFormatOptions,
): Json {
  if (isMissing(value)) return null;
  const decimalCount = numberOf(decimals);
  const digits = decimalCount !== undefined && {
    minimumFractionDigits: decimalCount,
    maximumFractionDigits: decimalCount,
  };
  const options = { useGrouping: grouping !== false, ...style, ...digits };
  const key = `${locale} ${options.useGrouping} ${style?.currency} ${decimalCount}`;
  return formatter(numbers, key, () => new Intl.NumberFormat(locale, options)).format(requireNumber(value));
}

/** Whether a text is a name, one `@`, and a domain: names separated by dots, the last with two characters or more. */
function isEmail(text: string): boolean {
  if (text.length > 254 || /\s/.test(text)) return false;
  const [name, host, secondHost] = text.split("@");
  const labels = (host ?? "").split(".");
  return !!name && secondHost === undefined && labels.length > 1 && !labels.includes("") && /[^.]{2}$/.test(host ?? "");
}
