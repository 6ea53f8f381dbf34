/** Dates by a pattern of Unicode TR 35, in the words of a locale. */
import type { Json } from "../types.js";
import type { Settings } from "./settings.js";

/** For whom numbers and dates are written. */
export type Place = Pick<Settings, "locale" | "timeZone">;

/** The parts of a date by the letter that a pattern has for them. */
const DATE = { y: "year", M: "month", E: "weekday", d: "day" } as const;
const PARTS = { ...DATE, H: "hour", h: "hour", m: "minute", s: "second", a: "dayPeriod" } as const;
const FIELD = /^(?:y|yy|yyyy|M{1,4}|E{1,4}|a|([dHhms])\1?)$/;
const TOKEN = /'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']+|'/g;
/** Fields whose words are the locale's; the others are digits. */
const WORDS = /^(?:E|MMM|a)/;
const ZONED = /(?:[Zz]|[+-]\d\d:?\d\d)$/;
/** What says in which zone a time is, and names of zones. */
const ZONE = /\s*(?:[A-Za-z]{1,4})?(?:[+-]\d\d:?\d\d)?(?:\s*\(.*\))?$/;
const ISO = /^\d{4}-\d\d/;
const MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";

/** Writes a date by a pattern, or as ISO 8601 for `ISO`. A text without a zone means the time that it says. Throws. */
export function formatDate(value: Json, pattern: string, { locale, timeZone }: Place): string {
  const floating = typeof value === "string" && !ZONED.test(value);
  const isTime = floating && value.includes(":");
  const date = new Date(isTime ? `${value.trim().replace(" ", "T")}Z` : (value as string | number));
  if ((typeof value !== "string" && typeof value !== "number") || Number.isNaN(date.getTime())) {
    throw new Error("the value must be a date");
  }
  if (typeof value === "string" && !exists(value)) throw new Error(`there is no such date as ${value.slice(0, 40)}`);
  if (pattern === "ISO") return date.toISOString();
  const zone = floating ? "UTC" : timeZone;
  return pattern.replace(TOKEN, (token: string) => {
    if (token.startsWith("'")) return token === "''" ? "'" : token.slice(1, -1).replaceAll("''", "'");
    if (!/[A-Za-z]/.test(token)) return token;
    if (!FIELD.test(token)) throw new Error(`"${token}" is no field of a date`);
    return fieldOf(date, token, locale, zone);
  });
}

function fieldOf(date: Date, token: string, locale: string | undefined, timeZone: string | undefined): string {
  const part = PARTS[token[0] as keyof typeof PARTS];
  const isWord = WORDS.test(token);
  const isMonth = isWord && part === "month";
  const style = !isWord || part === "dayPeriod" ? "numeric" : token.length === 4 ? "long" : "short";
  const written = formatter(isWord ? locale : "en-US", {
    [part === "dayPeriod" ? "hour" : part]: style,
    ...(isMonth && { day: "numeric" }),
    hourCycle: token.startsWith("H") ? "h23" : "h12",
    ...(timeZone !== undefined && { timeZone }),
  });
  const text = written.formatToParts(date).find(({ type }) => type === part)?.value ?? "";
  if (isWord) return text;
  const digits = String(Number(text));
  return token.length === 2 ? digits.slice(-2).padStart(2, "0") : digits;
}

/** `Date` reads 30 February as a day in March, and 24:00 as the next day: a day too many is in another month. */
function exists(text: string): boolean {
  const said = text.trim().toLowerCase();
  if (/(?:^|[t\s])24:/.test(said)) return false;
  const isIso = ISO.test(said);
  const plain = said.replace(isIso ? ZONED : ZONE, "");
  const date = new Date(isIso && plain.includes(":") ? `${plain.replace(" ", "t").toUpperCase()}Z` : plain);
  // Texts that are no ISO 8601 mean the time where the page is.
  const month = isIso ? date.getUTCMonth() : date.getMonth();
  const [first = 0, second] = plain.match(/\d+/g)?.map(Number) ?? [];
  const number = first > 31 ? second : first;
  // A year alone is its first day.
  return number === undefined || number === month + 1 || plain.includes(MONTHS.slice(3 * month, 3 * month + 3));
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(locale: string | undefined, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const found = formatters.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formatters.set(key, found);
  return found;
}
