/** Reading documents. They are checked where rules name a property, and anything elsewhere. */
import type { DeepReadonly, Json } from "genui-patch";

export type View = DeepReadonly<Json>;
export type ViewObject = { readonly [key: string]: View };

const nothing: ViewObject = {};
const none: readonly View[] = [];

const isObject = (value: View | undefined): value is ViewObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isList = (value: View | undefined): value is readonly View[] => Array.isArray(value);

/** The object, or an empty one. */
export const objectOf = (value: View | undefined): ViewObject => (isObject(value) ? value : nothing);

/** The list, or an empty one. */
export const listOf = (value: View | undefined): readonly View[] => (isList(value) ? value : none);

/** The objects of a list. */
export const objectsOf = (value: View | undefined): readonly ViewObject[] => listOf(value).filter(isObject);

/** A value as text for the user: strings as they are, null as an empty text, the rest as JSON. */
export function textOf(value: View | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
