/** The types of a page's document under the structure rules, and of stores with typed documents. */
import type { FieldType } from "../generated/facts.js";
import type { DeepReadonly, Json } from "../types.js";

/** A word of the structure rules, or a word that a catalog adds. */
type Word<Known extends string> = Known | (string & Record<never, never>);

/** An object that may have further properties. */
interface Open {
  [property: string]: unknown;
}

/** An option of a select, a radio group or a multiselect. */
export interface FieldOption extends Open {
  value: string | number | boolean | null;
  label: string;
}

export interface TableColumn extends Open {
  key: string;
  label?: string;
}

/** A field of a block. Its value is in state, at the block's `bind` and the field's `key`. */
export interface Field extends Open {
  key: string;
  /** Required for every type except `html`. */
  label?: string;
  type: Word<FieldType>;
  /** The initial value. */
  value?: Json;
  options?: FieldOption[];
  columns?: TableColumn[];
}

/** A tab of a block, or a panel. */
export interface Panel extends Open {
  id: string;
  title?: string;
  fields?: Field[];
  actions?: Action[];
}

export interface BlockProps extends Open {
  fields?: Field[];
  actions?: Action[];
  tabs?: Panel[];
  panels?: Panel[];
}

export interface Block extends Open {
  id: string;
  type: Word<"form" | "grid" | "tabs" | "accordion">;
  layout?: unknown;
  title?: string;
  /** The path in state of the fields' values. Default `state.params`. */
  bind?: string;
  props?: BlockProps;
}

/** The action of a button, for `runAction`. */
export interface Action extends Open {
  id: string;
  label: string;
  style?: Word<"primary" | "secondary" | "danger" | "warning" | "success" | "default">;
  action_type?: "api" | "navigate" | "navigate_block" | "modal" | "apply_patch";
  disabled?: boolean;
}

/** A document under the rules `"ui"`. Extend the interface to declare the types of your state. */
export interface PageDocument extends Open {
  /** Or `meta.pageKey`. */
  page_key?: string;
  meta?: Open & { pageKey?: string; step?: { current: number; total: number }; status?: Word<"idle" | "submitted"> };
  state: { params: { [name: string]: Json }; runtime: { [name: string]: Json } };
  layout: Open & { type: Word<"single" | "flex" | "grid" | "tabs"> };
  blocks: Block[];
  actions?: Action[];
}

/** The documents of a store without declared types. */
export type AnyDocuments = Record<string, Json>;

/** The type of the document with a name; Json if the type is not declared. */
export type DocumentOf<Documents, Name extends string> = Name extends keyof Documents ? Documents[Name] : Json;

/** The type of a document for `load`. */
export type LoadedDocument<Documents, Name extends string> = string extends keyof Documents
  ? unknown
  : Name extends keyof Documents
    ? Documents[Name] | DeepReadonly<Documents[Name]> | string
    : unknown;

/** The type of the value at a path with dots; Json where the type is unknown, or the path has another spelling. */
export type ValueAt<Value, Path extends string> = Path extends `${infer Key}.${infer Rest}`
  ? ValueAt<Member<Value, Key>, Rest>
  : Member<Value, Path>;

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

export interface TypedStore<Documents> {
  readonly [documentTypes]?: Documents;
}
