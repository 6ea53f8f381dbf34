/** A page's document, as the structure rules ask for it, and stores that know the types of their documents. */
import type { FieldType } from "../generated/facts.js";
import type { DeepReadonly, Json } from "../types.js";

/** A word of the structure rules, or one that a catalog adds. */
type Word<Known extends string> = Known | (string & Record<never, never>);

/** What an option, a column, a tab stands for: `value`, `key`, `id`. Further properties are the page's own. */
interface Open {
  [property: string]: unknown;
}

/** What a select, a radio group or a multiselect offers. */
export interface FieldOption extends Open {
  value: string | number | boolean | null;
  label: string;
}

export interface TableColumn extends Open {
  key: string;
  label?: string;
}

/** An input, or something shown, of a block. Its value is in the state: the block's `bind` and the field's `key`. */
export interface Field extends Open {
  key: string;
  /** Every type but `html` needs one. */
  label?: string;
  type: Word<FieldType>;
  /** The value that it has at first. */
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
  /** Where in the state the values of its fields are. */
  bind?: string;
  props?: BlockProps;
}

/** What a button does. `runAction` runs it. */
export interface Action extends Open {
  id: string;
  label: string;
  style?: Word<"primary" | "secondary" | "danger" | "warning" | "success" | "default">;
  action_type?: "api" | "navigate" | "navigate_block" | "modal" | "apply_patch";
  disabled?: boolean;
}

/** A page under the rules `"ui"`. Write an interface of your own on top for what its state holds. */
export interface PageDocument extends Open {
  /** Or `meta.pageKey`. */
  page_key?: string;
  meta?: Open & { pageKey?: string; step?: { current: number; total: number }; status?: Word<"idle" | "submitted"> };
  state: { params: { [name: string]: Json }; runtime: { [name: string]: Json } };
  layout: Open & { type: Word<"single" | "flex" | "grid" | "tabs"> };
  blocks: Block[];
  actions?: Action[];
}

/** The documents of a store that was given no types. */
export type AnyDocuments = Record<string, Json>;

/** The type of a document by its name: that of a name that nobody named is Json. */
export type DocumentOf<Documents, Name extends string> = Name extends keyof Documents ? Documents[Name] : Json;

/** What `load` takes under a name. */
export type LoadedDocument<Documents, Name extends string> = string extends keyof Documents
  ? unknown
  : Name extends keyof Documents
    ? Documents[Name] | DeepReadonly<Documents[Name]> | string
    : unknown;

/** What stands at a path of dots; Json where the type says no more, or the path is in another spelling. */
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

/** By which a store says of what type its documents are. Never there. */
export declare const documentTypes: unique symbol;

export interface TypedStore<Documents> {
  readonly [documentTypes]?: Documents;
}
