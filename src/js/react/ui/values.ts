/**
 * Reads values of documents as objects, lists or texts. A value of another kind, which an agent may write, is read as an empty
 * one.
 */
import { isObject } from "../../core/kinds.js";
import { fill } from "../fill.js";
import { isList, type View } from "../use-field.js";

export { fill, type View };
/** An object in a document. */
export type ViewObject = { readonly [key: string]: View };

/** A value as text: "" for null and `undefined`, JSON for lists and objects. */
export const textOf = (value: View): string =>
  value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

/** The list; an empty one for any other value. */
export const listOf = (value: View): readonly View[] => (isList(value) ? value : []);

/** The objects in a list; other items are left out. */
export const objectsOf = (value: View): ViewObject[] => listOf(value).filter((item) => isObject<View>(item));

/** The object; an empty one for any other value. */
export const objectOf = (value: View): ViewObject => (isObject<View>(value) ? value : {});

/** The first of several values that is not empty, as text; "" if all are. */
export const firstText = (...values: View[]): string => values.map(textOf).find((text) => text !== "") ?? "";

/** The given ids as a list for `aria-describedby`, without the empty ones; `undefined` if none is left. */
export const idList = (...ids: (string | false | undefined)[]): string | undefined =>
  ids.filter(Boolean).join(" ") || undefined;

const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"] as const;

/** The element of a heading; `level` counts from 1. HTML has six levels, so deeper headings are `h6`. */
export const headingTag = (level: number): (typeof HEADINGS)[number] => HEADINGS[Math.max(1, level) - 1] ?? "h6";

/** The word for a name in a table of the host's, or the name itself. */
export const wordFor = (words: { readonly [name: string]: string }, name: string): string =>
  (Object.hasOwn(words, name) && words[name]) || name;
