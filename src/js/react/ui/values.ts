/** Reads values of documents as objects, lists or texts, whatever an agent wrote there. */
import { isObject } from "../../core/kinds.js";
import { fill } from "../fill.js";
import { isList, type View } from "../use-field.js";

export { fill, type View };
export type ViewObject = { readonly [key: string]: View };

/** A value as text: "" for null and nothing, JSON for lists and objects. */
export const textOf = (value: View): string =>
  value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

export const listOf = (value: View): readonly View[] => (isList(value) ? value : []);

export const objectsOf = (value: View): ViewObject[] => listOf(value).filter((item) => isObject<View>(item));

export const objectOf = (value: View): ViewObject => (isObject<View>(value) ? value : {});

/** The first text of several that is not empty. */
export const firstText = (...values: View[]): string => values.map(textOf).find((text) => text !== "") ?? "";

/** The given ids as a list for `aria-describedby`; empty values are left out. */
export const idList = (...ids: (string | false | undefined)[]): string | undefined =>
  ids.filter(Boolean).join(" ") || undefined;

const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"] as const;

/** The element of a heading. HTML has six levels, so deeper headings are `h6`. */
export const headingTag = (level: number): (typeof HEADINGS)[number] => HEADINGS[Math.max(1, level) - 1] ?? "h6";

/** The host's word for a name, or the name itself. */
export const wordFor = (words: { readonly [name: string]: string }, name: string): string =>
  (Object.hasOwn(words, name) && words[name]) || name;
