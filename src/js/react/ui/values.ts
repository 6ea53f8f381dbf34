/** Reads values of documents as objects, lists or texts, whatever an agent wrote there. */
import { isObject } from "../../core/kinds.js";
import type { DeepReadonly, Json } from "../../types.js";

/** A value of a snapshot. */
export type View = DeepReadonly<Json> | undefined;
export type ViewObject = { readonly [key: string]: View };

export const textOf = (value: View): string =>
  value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

export const listOf = (value: View): readonly View[] => (Array.isArray(value) ? value : []);

export const objectsOf = (value: View): ViewObject[] => listOf(value).filter((item) => isObject<View>(item));

export const objectOf = (value: View): ViewObject => (isObject<View>(value) ? value : {});

/** The first text of several that is not empty. */
export const firstText = (...values: View[]): string => values.map(textOf).find((text) => text !== "") ?? "";

/** The ids of elements that are there, as `aria-describedby` lists them. */
export const idList = (...ids: (string | false | undefined)[]): string | undefined =>
  ids.filter(Boolean).join(" ") || undefined;

/** One label or several ways to say it: a text in which `{name}` is filled in. */
export const fill = (text: string, values: { readonly [name: string]: string | number }): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(values, name) ? String(values[name]) : whole));
