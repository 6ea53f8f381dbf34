/** The types of a page's document under the structure rules, and of stores with typed documents. */
import type { DeepReadonly, Json } from "../types.js";

export type {
  Action,
  Block,
  BlockProps,
  Field,
  FieldOption,
  Layout,
  PageDocument,
  PageMeta,
  PageState,
  Panel,
  TableColumn,
} from "../generated/vocabulary.js";

/** The documents of a store without declared types. */
export type AnyDocuments = Record<string, Json>;

/** The type of the document with a name; Json if the type is not declared. */
export type DocumentOf<Documents, Name extends string> = Name extends keyof Documents ? Documents[Name] : Json;

/** The type of a document for `load`: for a declared type also its JSON text, for any other name every value. */
export type LoadedDocument<Documents, Name extends string> = string extends keyof Documents
  ? unknown
  : Name extends keyof Documents
    ? Documents[Name] | DeepReadonly<Documents[Name]> | string
    : unknown;

/** The type of the value at a path with dots; Json where the type is unknown, or the path has another spelling. */
export type ValueAt<Value, Path extends string> = Path extends `${infer Key}.${infer Rest}`
  ? ValueAt<Member<Value, Key>, Rest>
  : Member<Value, Path>;

/** The type of a member of an object, or of an item of a list; Json for a key that is not a literal type. */
type Member<Value, Key extends string> = string extends Key
  ? Json
  : Value extends readonly (infer Item)[]
    ? Key extends `${number}`
      ? Item
      : Json
    : Key extends keyof Value
      ? Exclude<Value[Key], undefined>
      : Json;

/** Carries the types of a store's documents. The property never exists. */
export declare const documentTypes: unique symbol;

/** A store that declares the types of its documents: hooks infer them from it. */
export interface TypedStore<Documents> {
  readonly [documentTypes]?: Documents;
}
