/** Dates by a pattern of Unicode TR 35, in the words of a locale. */
import type { Json } from "../types.js";
import type { Place } from "./functions.js";

type Options = Intl.DateTimeFormatOptions;

const two = (text: string): string => text.padStart(2, "0");

/** The longest first. */
const FIELDS: Record<
  string,
  (part: (name: keyof Intl.DateTimeFormatPartTypesRegistry, options: Options) => string) => string
> = {
  yyyy: (part) => part("year", { year: "numeric" }),
  yy: (part) => two(part("year", { year: "numeric" }).slice(-2)),
  y: (part) => part("year", { year: "numeric" }),
  MMMM: (part) => part("month", { month: "long", day: "numeric" }),
  MMM: (part) => part("month", { month: "short", day: "numeric" }),
  MM: (part) => two(part("month", { month: "numeric" })),
  M: (part) => part("month", { month: "numeric" }),
  dd: (part) => two(part("day", { day: "numeric" })),
  d: (part) => part("day", { day: "numeric" }),
  EEEE: (part) => part("weekday", { weekday: "long" }),
  EEE: (part) => part("weekday", { weekday: "short" }),
  EE: (part) => part("weekday", { weekday: "short" }),
  E: (part) => part("weekday", { weekday: "short" }),
  HH: (part) => two(part("hour", { hour: "numeric", hourCycle: "h23" })),
  H: (part) => String(Number(part("hour", { hour: "numeric", hourCycle: "h23" }))),
  hh: (part) => two(part("hour", { hour: "numeric", hourCycle: "h12" })),
  h: (part) => String(Number(part("hour", { hour: "numeric", hourCycle: "h12" }))),
  mm: (part) => two(part("minute", { minute: "numeric" })),
  m: (part) => String(Number(part("minute", { minute: "numeric" }))),
  ss: (part) => two(part("second", { second: "numeric" })),
  s: (part) => String(Number(part("second", { second: "numeric" }))),
  a: (part) => part("dayPeriod", { hour: "numeric", hourCycle: "h12" }),
};

const TOKEN = /'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']+|'/g;
/** Fields whose words are the locale's; the others are digits. */
const WORDS = /^(?:E|MMM|a)/;
const ZONED = /(?:[Zz]|[+-]\d\d:?\d\d)$/;
/** What says in which zone a time is, and names of zones. */
const ZONE = /\s*(?:[A-Za-z]{1,4})?(?:[+-]\d\d:?\d\d)?(?:\s*\(.*\))?$/;
const ISO = /^\d{4}-\d\d/;
const MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";

/**
 * A date written by a pattern, or by ISO 8601 for `ISO`. A text without a zone means the time that it says, wherever it is read.
 * @throws Error for what is no date, and for letters that mean nothing.
 */
export function formatDate(value: Json, pattern: string, { locale, timeZone }: Place): string {
  const floating = typeof value === "string" && !ZONED.test(value);
  const isTime = floating && value.includes(":");
  const date = new Date(floating && isTime ? `${value.trim().replace(" ", "T")}Z` : (value as string | number));
  if ((typeof value !== "string" && typeof value !== "number") || Number.isNaN(date.getTime())) {
    throw new Error("the value must be a date");
  }
  if (typeof value === "string" && !exists(value)) throw new Error(`there is no such date as ${value.slice(0, 40)}`);
  if (pattern === "ISO") return date.toISOString();
  const zone = floating ? "UTC" : timeZone;
  return pattern.replace(TOKEN, (token: string) => {
    if (token.startsWith("'")) return token === "''" ? "'" : token.slice(1, -1).replaceAll("''", "'");
    if (!/[A-Za-z]/.test(token)) return token;
    const field = Object.hasOwn(FIELDS, token) ? FIELDS[token] : undefined;
    if (field === undefined) throw new Error(`"${token}" is no field of a date`);
    const words = WORDS.test(token) ? locale : "en-US";
    return field((name, options) => {
      const parts = formatter(words, { ...options, ...(zone !== undefined && { timeZone: zone }) }).formatToParts(date);
      return parts.find((part) => part.type === name)?.value ?? "";
    });
  });
}

/**
 * Whether there is a date that a text names. `Date` reads the 30th of February as a day in March, and 24:00 as the next
 * day: a day too many is always in another month.
 */
function exists(text: string): boolean {
  const said = text.trim().toLowerCase();
  if (/(?:^|[t\s])24:/.test(said)) return false;
  const isIso = ISO.test(said);
  const plain = said.replace(isIso ? ZONED : ZONE, "");
  const isTime = plain.includes(":");
  const date = new Date(isIso && isTime ? `${plain.replace(" ", "t").toUpperCase()}Z` : plain);
  // Texts that are no ISO 8601 mean the time where the page is.
  const month = isIso ? date.getUTCMonth() : date.getMonth();
  const [first = 0, second] = plain.match(/\d+/g)?.map(Number) ?? [];
  const number = first > 31 ? second : first;
  // A year alone is its first day.
  return number === undefined || number === month + 1 || plain.includes(MONTHS.slice(3 * month, 3 * month + 3));
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(locale: string | undefined, options: Options): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  let found = formatters.get(key);
  if (found === undefined) {
    found = new Intl.DateTimeFormat(locale, options);
    formatters.set(key, found);
  }
  return found;
}
