/**
 * `OwnTools`: the tools of the application, checked when the agent is made. The code for their calls is loaded with the first
 * call.
 */

import type { CallProposal } from "../../approval/types.js";
import { type ReadSchema, readSchema } from "../../catalog/schema.js";
import { unlessAborted } from "../../core/abort.js";
import type { JsonSchema } from "../../core/catalog-types.js";
import { GenuiPatchError, misuse } from "../../core/errors.js";
import { copyJson } from "../../core/json.js";
import { isObject, isText } from "../../core/kinds.js";
import {
  ANY,
  type ArgumentKind,
  FLAG,
  FUNCTION,
  type Kinds,
  OBJECT,
  requireKind,
  requireOptions,
} from "../../core/require.js";
import { deepFreeze } from "../../core/tree.js";
import type { ObjectSchema, ToolDefinition } from "../../definitions/types.js";
import { failed, type ToolSet } from "../../tools/tool-set.js";
import type { OwnCalls } from "./calls.js";
import type { AgentTool } from "./types.js";

/** A tool of the application that was checked, with its schema as JSON Schema. */
export interface OwnTool {
  readonly name: string;
  readonly tool: AgentTool;
  readonly schema: ReadSchema;
}

/** Names that every provider accepts. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The kind of options that are `true`, `false`, or a function that decides for each call. */
export const FLAG_OR_FUNCTION: ArgumentKind = [
  "true, false or a function",
  (value) => typeof value === "boolean" || typeof value === "function",
];
/** The required keys of `TOOL` beside the schema, which `readSchema` requires. */
const REQUIRED = ["description", "execute"] as const;
/** The kind of each key of a tool. */
const TOOL = {
  description: ["a text", (value) => isText(value) && value !== ""],
  schema: ANY,
  jsonSchema: ANY,
  execute: FUNCTION,
  approve: FLAG_OR_FUNCTION,
  readOnly: FLAG,
  timeout: ["above 0", (value) => typeof value === "number" && value > 0],
} satisfies Kinds;

/** Checks the option `tools` of `agentTools`. @throws GenuiPatchError for a tool that is invalid. */
export function readOwnTools(tools: { readonly [name: string]: AgentTool }): OwnTool[] {
  requireKind("agentTools", "tools", tools, OBJECT);
  return Object.entries(tools).map(([name, tool]) => {
    // The beginning of error messages.
    const label = `agentTools: tools.${name}`;
    if (!NAME.test(name)) throw misuse(`${label} must have a name of 1 to 64 letters, digits, _ or -.`);
    requireOptions(label, tool, TOOL);
    for (const key of REQUIRED) requireKind(label, key, tool[key], TOOL[key]);
    const schema = readSchema(`${label}.schema`, tool.schema, tool.jsonSchema);
    const { properties } = objectSchema(label, schema.json);
    // In a tool block the arguments are written beside the key "tool".
    if (isObject(properties) && "tool" in properties)
      throw misuse(`${label}.schema must not have a property "tool", which names the tool.`);
    return { name, tool, schema };
  });
}

/**
 * A schema of arguments as providers require it: with the type "object", and without `$schema`. `label` begins the message of the
 * error for a schema of anything else.
 */
function objectSchema(label: string, json: JsonSchema): ObjectSchema {
  if (!isObject(json) || (json.type !== undefined && json.type !== "object"))
    throw misuse(`${label}.schema must describe an object: the arguments of a call.`);
  const { $schema: _, properties, required, ...rest } = json;
  return {
    ...rest,
    type: "object",
    ...(isObject<object>(properties) && { properties }),
    ...(Array.isArray(required) && { required }),
  };
}

export class OwnTools implements ToolSet {
  readonly definitions: readonly ToolDefinition[];
  /** `undefined` until the first call. */
  #calls: OwnCalls | undefined;

  constructor(
    private readonly tools: readonly OwnTool[],
    /** Called when proposals have changed. */
    private readonly changed: () => void,
  ) {
    this.definitions = tools.map(({ name, tool: { description, readOnly = false }, schema }) => ({
      name,
      description,
      // Where there is a `schema`, `input` is not read. `objectSchema` throws nothing here: `readOwnTools` has called it before.
      input: {},
      schema: objectSchema(name, schema.json),
      readOnly,
    }));
  }

  readonly validate: ToolSet["validate"] = async (call) => (await this.load()).validate(call);

  /** The calls that wait for the user, and those that were decided on. */
  proposals(): readonly CallProposal[] {
    return this.#calls?.list() ?? NONE;
  }

  /** @throws GenuiPatchError `UNKNOWN_PROPOSAL`, `PROPOSAL_SETTLED`. */
  refuse(id: string, reason: string | undefined): void {
    const errorCode = this.#calls === undefined ? "UNKNOWN_PROPOSAL" : this.#calls.refuse(id, reason)?.error.code;
    if (errorCode !== undefined) throw new GenuiPatchError(errorCode, `No open proposal has the id "${id}".`);
  }

  /** The object that checks and executes calls. */
  async load(): Promise<OwnCalls> {
    if (this.#calls !== undefined) return this.#calls;
    const { OwnCalls } = await import("./calls.js");
    // Several first calls may wait for the import: all must get the same object. The functions are passed, so that a bundler need
    // not put what they are in into a third file, which both parts load.
    this.#calls ??= new OwnCalls(this.tools, this.changed, { failed, copyJson, deepFreeze, unlessAborted });
    return this.#calls;
  }
}

/** One list for all calls of `proposals`, as React requires of a store's snapshot. */
const NONE: readonly CallProposal[] = Object.freeze([]);
