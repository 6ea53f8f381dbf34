/** The forms of schemas and catalogs that a host passes. */

/** A JSON Schema (2020-12). */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** The interface that schemas of Zod 4, Valibot, ArkType and others share: https://standardschema.dev. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    /** The converter of the Standard JSON Schema, where a library has one. */
    readonly jsonSchema?: { readonly input: (options: { target: "draft-2020-12" }) => Record<string, unknown> };
  };
}

/** The result of a validation. */
export interface StandardResult {
  readonly issues?: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] | undefined;
}

/** A schema that a host may pass. `Output` is the type of the values that satisfy it. */
export type Schema<Output = unknown> = JsonSchema | StandardSchema<Output>;

/** The type of the values that satisfy a schema; `unknown` for a JSON Schema. */
export type SchemaOutput<Given> = Given extends StandardSchema<infer Output> ? Output : unknown;

/** A type of blocks or of actions that a host adds. */
export interface CatalogType {
  /** The purpose, in one sentence: the model reads it. */
  description?: string | undefined;
  /** The `props` of a block; of an action the properties that not every action has. */
  props?: Schema | undefined;
  /**
   * `props` as JSON Schema, for a Standard Schema whose library cannot write it. For a field that has a `value`, the schema of
   * that `value` instead.
   */
  jsonSchema?: JsonSchema | undefined;
  /** A whole block, field or action, for the model. */
  example?: object | undefined;
}

/** A type of fields that a host adds. `props` are the properties that not every field has. */
export interface CatalogField extends CatalogType {
  /** Its value in the state. */
  value?: Schema | undefined;
}

/** A list of names, or definitions by name. */
type Types<Type> = readonly string[] | { readonly [name: string]: Type };

/**
 * The words that a host (the application that shows the page) adds to the vocabulary of a page. The names in `actions` are types
 * of actions or ids of actions. A field of an added type needs `key`, `label` and `type`.
 */
export interface Catalog {
  blocks?: Types<CatalogType> | undefined;
  fields?: Types<CatalogField> | undefined;
  actions?: Types<CatalogType> | undefined;
  styles?: readonly string[] | undefined;
  layouts?: readonly string[] | undefined;
  statuses?: readonly string[] | undefined;
}
