/** The types of an agent's own tools. */
import type { ApprovalFunction } from "../../approval/policy.js";
import type { JsonSchema, Schema } from "../../core/catalog-types.js";

/** The type of the values that a JSON Schema describes, as far as `type`, `enum`, `const`, `properties` and `items` say. */
type DescribedBy<Given> = Given extends { readonly const: infer Value }
  ? Value
  : Given extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Given extends { readonly type: infer Type }
      ? OfType<Type extends readonly (infer One)[] ? One : Type, Given>
      : unknown;

/** The values of one type that the schema `Given` describes. */
type OfType<Type, Given> = Type extends "string"
  ? string
  : Type extends "number" | "integer"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "array"
          ? (Given extends { readonly items: infer Items } ? DescribedBy<Items> : unknown)[]
          : Type extends "object"
            ? Properties<Given>
            : unknown;

/** An object: the names in `required` are required, the others optional. */
type Properties<Given> = Given extends { readonly properties: infer Own }
  ? Given extends { readonly required: readonly (infer Required)[] }
    ? { [Name in keyof Own as Name extends Required ? Name : never]: DescribedBy<Own[Name]> } & {
        [Name in keyof Own as Name extends Required ? never : Name]?: DescribedBy<Own[Name]>;
      }
    : { [Name in keyof Own]?: DescribedBy<Own[Name]> }
  : { [property: string]: unknown };

/**
 * The type of a tool's arguments: what a Standard Schema takes (values are checked, not transformed), or what a JSON Schema
 * describes.
 */
export type ToolArguments<Given> = Given extends { readonly "~standard": { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : unknown
  : DescribedBy<Given>;

/** A tool of the application's own, which an agent may call beside those of stores, workspaces and task flows. */
export interface AgentTool<Given extends Schema = Schema> {
  /** The purpose, for the model. */
  readonly description: string;
  /** The arguments, an object: a JSON Schema (2020-12), or a Standard Schema (Zod, Valibot, ArkType). */
  readonly schema: Given;
  /** `schema` as JSON Schema, for a Standard Schema whose library cannot write it. */
  readonly jsonSchema?: JsonSchema | undefined;
  /**
   * Executes a call with valid arguments. What it returns goes to the model as JSON; the message of what it throws does too. The
   * signal is aborted with the call's own, and when the time is over.
   */
  execute(args: ToolArguments<Given>, options: { readonly signal: AbortSignal }): unknown;
  /** Which calls the user approves, in place of the agent's `approve`: all (true), none (false), or those that a function says. */
  readonly approve?: boolean | ApprovalFunction | undefined;
  /** The tool changes nothing: no call of it needs an approval, unless its own `approve` says so. Default false. */
  readonly readOnly?: boolean | undefined;
  /** Milliseconds until a call is given up. Default 60,000. */
  readonly timeout?: number | undefined;
}

/** Own tools by name, each with the schema of its arguments. */
export type AgentToolTable<Schemas extends { readonly [name: string]: Schema }> = {
  readonly [Name in keyof Schemas]: AgentTool<Schemas[Name]>;
};
