/** The functions of A2UI v0.9's basic catalog. `regex` is not among them: no pattern from outside is run. */
import type { Json } from "../types.js";
import { formatDate, type Place } from "./dates.js";

type Args = Readonly<Record<string, Json>>;

export type KnownFunction = (args: Args, place: Place) => Json;

/** A function gives `null` for data that has not come. */
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
  and: ({ values }) => Array.isArray(values) && values.every(Boolean),
  or: ({ values }) => Array.isArray(values) && values.some(Boolean),
  not: ({ value }) => !value,
  formatNumber,
  formatCurrency: (args, place) =>
    formatNumber(args, place, { style: "currency", currency: String(args.currency ?? "") }),
  formatDate: ({ value, format }, place) => {
    if (isMissing(value)) return null;
    if (typeof format !== "string") throw new Error("the format must be a string");
    return formatDate(value, format, place);
  },
  pluralize: (args, { locale }) => {
    if (isMissing(args.value)) return null;
    const number = wanted(args.value);
    // English has no category for none and for two, but a text for exactly that number is meant.
    const exact = args[["zero", "one", "two"][number] ?? ""];
    return exact ?? args[new Intl.PluralRules(locale).select(number)] ?? args.other ?? null;
  },
};

const isMissing = (value: Json | undefined): value is null | undefined | "" =>
  value === undefined || value === null || value === "";

/** What is no number is no bound. */
const isWithin = (number: number, min: Json | undefined, max: Json | undefined): boolean =>
  number >= (numberOf(min) ?? number) && number <= (numberOf(max) ?? number);

function numberOf(value: Json | undefined): number | undefined {
  if (typeof value === "string" && value.trim() !== "") value = Number(value);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function wanted(value: Json | undefined): number {
  const number = numberOf(value);
  if (number === undefined) throw new Error("the value must be a number");
  return number;
}

function formatNumber({ value, decimals, grouping }: Args, { locale }: Place, style?: Intl.NumberFormatOptions): Json {
  if (isMissing(value)) return null;
  const count = numberOf(decimals);
  const digits = count !== undefined && { minimumFractionDigits: count, maximumFractionDigits: count };
  return new Intl.NumberFormat(locale, { useGrouping: grouping !== false, ...style, ...digits }).format(wanted(value));
}

/** Something before one `@`, behind it names with dots between, the last of two letters or more. */
function isEmail(text: string): boolean {
  if (text.length > 254 || /\s/.test(text)) return false;
  const [name, host, more] = text.split("@");
  const labels = (host ?? "").split(".");
  return !!name && more === undefined && labels.length > 1 && !labels.includes("") && /[^.]{2}$/.test(host ?? "");
}
