/** Dates by a pattern of Unicode TR 35, in the words of a locale. */
import { getOrInsert } from "../core/kinds.js";
import type { Json } from "../types.js";
import type { SurfaceStreamOptions } from "./types.js";

/** The locale and the time zone of a text. Default: those of the platform. */
export type Localization = Pick<SurfaceStreamOptions, "locale" | "timeZone">;

/** The parts of a date by their letter in patterns. `Y`, the year of a week, is read as the calendar year. */
const PARTS = {
  y: "year",
  Y: "year",
  M: "month",
  E: "weekday",
  d: "day",
  H: "hour",
  h: "hour",
  m: "minute",
  s: "second",
  a: "dayPeriod",
} as const;
/** The fields that patterns may contain. */
const FIELD = /^(?:[yY]|yy|YY|yyyy|YYYY|M{1,4}|E{1,4}|a|([dHhms])\1?)$/;
/** Splits a pattern into text in quotes, fields (a letter, once or more), other text, and quotes that are not closed. */
const TOKEN = /'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']+|'/g;
/** Fields that are words of the locale; the others are digits. */
const WORDS = /^(?:E|MMM|a)/;
/** Each name has three letters. */
const MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";
/** The time after a day: hours, minutes, seconds, `am` or `pm`, the zone, and the zone's name in parentheses. */
const TIME =
  /[t ]([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d+))?)?(?: ?([ap])m)? ?(z|(?:utc?|gmt)?(?:([+-](?:[01]\d|2[0-3])):?([0-5]\d))?)(?: ?\([^()]*\))?$/;
const WEEKDAY = /^(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*\.? /;
/** A beginning of ISO 8601, or the same with slashes; `month/day/year`; a month by its name, before or after the day. */
const DAYS = [
  /^(?<y>\d{4}|[+-]\d{6})(?:([-/])(?<m>\d\d?)(?:\2(?<d>\d\d?))?)?$/,
  /^(?<m>\d\d?)\/(?<d>\d\d?)\/(?<y>\d\d|\d{4})$/,
  /^(?<d>\d\d?)[ -](?<m>[a-z]{3})[a-z]*\.?[ -](?<y>\d{4})$/,
  /^(?<m>[a-z]{3})[a-z]*\.?[ -](?:(?<d>\d\d?)[ -])?(?<y>\d{4})$/,
];

/**
 * Formats a date (a text, or milliseconds since 1970) by a pattern; `ISO` means ISO 8601. A text without a zone keeps its own
 * time.
 * @throws Error for a value that is not a date, or a pattern with an unknown field
 */
export function formatDate(value: Json, pattern: string, { locale, timeZone }: Localization): string {
  const [date, zone] =
    typeof value === "string" ? parse(value, timeZone) : [new Date(typeof value === "number" ? value : ""), timeZone];
  if (Number.isNaN(date.getTime())) {
    throw new Error(`not a date: ${JSON.stringify(value).slice(0, 40)}`);
  }
  if (pattern === "ISO") return date.toISOString();
  // The fields that have been formatted: a pattern may repeat them.
  const fields = new Map<string, string>();
  return pattern.replace(TOKEN, (token: string, letter?: string) => {
    if (token.startsWith("'")) return token === "''" ? "'" : token.slice(1, -1).replaceAll("''", "'");
    if (!letter) return token;
    if (!FIELD.test(token) || !isPart(letter)) throw new Error(`"${token}" is not a field of a date pattern`);
    return getOrInsert(fields, token, () => fieldOf(date, token, letter, locale, zone));
  });
}

/**
 * Parses a date, in the same way in every engine (unlike `Date`). Returns it with the zone to format it in; the date is invalid
 * if the text is not a date.
 */
function parse(text: string, timeZone: string | undefined): [Date, string | undefined] {
  const normalText = text
    .toLowerCase()
    .replace(/[\s,]+/g, " ")
    .trim();
  const time = TIME.exec(normalText);
  const day = normalText.slice(0, time?.index).replace(WEEKDAY, "");
  // Without a year, `Number("none")` makes the date invalid.
  const { y = "none", m = "1", d = "1" } = DAYS.map((form) => form.exec(day)?.groups).find(Boolean) ?? {};
  const [, hour = 0, minute = 0, second = 0, fraction = "", meridiem, zone, zoneHours = "+0", zoneMinutes = 0] =
    time ?? [];
  // Two digits mean a year from 1950 to 2049.
  const year = Number(y) + (y.length > 2 ? 0 : y < "50" ? 2000 : 1900);
  // Counts from 0. For letters that name no month, `indexOf` returns -1 or an index between two names. Both give a fraction, which
  // is refused below.
  const month = (Number(m) || MONTHS.indexOf(m) / 3 + 1) - 1;
  const date = new Date(0);
  date.setUTCFullYear(year, month, Number(d));
  let hours = Number(hour);
  // A day that does not exist falls into another month, and a fraction is not a month: NaN makes the date invalid.
  if (date.getUTCMonth() !== month || (meridiem && (hours < 1 || hours > 12))) hours = Number.NaN;
  if (meridiem) hours = (hours % 12) + (meridiem === "p" ? 12 : 0);
  // The minutes of a zone have the sign of its hours.
  const minutes = Number(minute) - Number(`${zoneHours[0]}${zoneMinutes}`);
  date.setUTCHours(hours - Number(zoneHours), minutes, Number(second), Number(`${fraction}000`.slice(0, 3)));
  return [date, zone ? timeZone : "UTC"];
}

/** A cache by the options of the formatters. Patterns have few fields, and a page few locales and zones: it needs no limit. */
const formatters = new Map<string, Intl.DateTimeFormat>();

const isPart = (letter: string): letter is keyof typeof PARTS => Object.hasOwn(PARTS, letter);

/**
 * The text of a field: words in the locale's form, numbers with the digits of English. `token`: the field in the pattern, such as
 * `MMM`.
 */
function fieldOf(
  date: Date,
  token: string,
  letter: keyof typeof PARTS,
  locale: string | undefined,
  timeZone: string | undefined,
): string {
  const part = PARTS[letter];
  const isWord = WORDS.test(token);
  const isMonth = isWord && part === "month";
  const style = !isWord || part === "dayPeriod" ? "numeric" : token.length === 4 ? "long" : "short";
  // `AM` and `PM` come only with an hour of the 12-hour cycle, so `a` is formatted as an hour, and its `dayPeriod` taken.
  const formatterWith = (day?: "numeric"): Intl.DateTimeFormat =>
    getOrInsert(formatters, `${[isWord && locale, timeZone, token, day]}`, () => {
      const hourCycle = token.startsWith("H") ? "h23" : "h12";
      // Numbers are of this calendar; a locale may have another one, whose months have other names.
      const calendar = "gregory";
      const options = { day, [part === "dayPeriod" ? "hour" : part]: style, hourCycle, timeZone, calendar } as const;
      return new Intl.DateTimeFormat(isWord ? locale : "en-US", options);
    });
  const parts = formatterWith(isMonth ? "numeric" : undefined).formatToParts(date);
  let text = parts.find(({ type }) => type === part)?.value ?? "";
  // `MMMM` is the form of a month in a date, as next to a day: in Russian `марта`, which alone is `март`. Where that form is a
  // number, e.g. the `3` of `3月1日` in Japanese, it is the form of a month alone: `3月`.
  if (isMonth && !/\p{L}/u.test(text)) text = formatterWith().format(date);
  if (isWord) return text;
  const digits = String(Number(text));
  return token.length === 2 ? digits.slice(-2).padStart(2, "0") : digits;
}
