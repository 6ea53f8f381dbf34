/** `OwnTools`: the tools of the application, read when the agent is made. What their calls need is loaded with the first call. */
import { unlessAborted } from "../../core/abort.js";
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
import type { JsonSchema } from "../../document/catalog-types.js";
import { type ReadSchema, readSchema } from "../../document/schema.js";
import { failed, type ToolSet } from "../tool-set.js";
import type { OwnCalls } from "./calls.js";
import type { AgentTool, CallProposal } from "./types.js";

/** A tool as it was read. */
export interface OwnTool {
  readonly name: string;
  readonly tool: AgentTool;
  readonly schema: ReadSchema;
}

/** Names that every provider accepts. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

export const FLAG_OR_FUNCTION: ArgumentKind = [
  "true, false or a function",
  (value) => typeof value === "boolean" || typeof value === "function",
];
const REQUIRED = ["description", "execute"] as const;
const TOOL = {
  description: ["a text", (value) => isText(value) && value !== ""],
  schema: ANY,
  jsonSchema: ANY,
  execute: FUNCTION,
  approve: FLAG_OR_FUNCTION,
  readOnly: FLAG,
  timeout: ["above 0", (value) => typeof value === "number" && value > 0],
} satisfies Kinds;

/** Reads the tools of `agentTools`. @throws GenuiPatchError for a tool that is not understood. */
export function readOwnTools(tools: { readonly [name: string]: AgentTool }): OwnTool[] {
  requireKind("agentTools", "tools", tools, OBJECT);
  return Object.entries(tools).map(([name, tool]) => {
    const place = `agentTools: tools.${name}`;
    if (!NAME.test(name)) throw misuse(`${place} must have a name of 1 to 64 letters, digits, _ or -.`);
    requireOptions(place, tool, TOOL);
    for (const key of REQUIRED) requireKind(place, key, tool[key], TOOL[key]);
    const schema = readSchema(`${place}.schema`, tool.schema, tool.jsonSchema);
    const { properties } = objectSchema(place, schema.json);
    if (isObject(properties) && "tool" in properties)
      throw misuse(`${place}.schema must not have a property "tool", which names the tool.`);
    return { name, tool, schema };
  });
}

/** The schema of an object, as providers require it. */
function objectSchema(place: string, json: JsonSchema): ObjectSchema {
  if (!isObject(json) || (json.type !== undefined && json.type !== "object"))
    throw misuse(`${place}.schema must describe an object: the arguments of a call.`);
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
  #calls: OwnCalls | undefined;

  constructor(
    private readonly tools: readonly OwnTool[],
    private readonly changed: () => void,
  ) {
    this.definitions = tools.map(({ name, tool: { description, readOnly = false }, schema }) => ({
      name,
      description,
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
    const fault = this.#calls === undefined ? "UNKNOWN_PROPOSAL" : this.#calls.refuse(id, reason)?.error.code;
    if (fault !== undefined) throw new GenuiPatchError(fault, `No open proposal has the id "${id}".`);
  }

  async load(): Promise<OwnCalls> {
    if (this.#calls !== undefined) return this.#calls;
    const { OwnCalls } = await import("./calls.js");
    this.#calls ??= new OwnCalls(this.tools, this.changed, { failed, copyJson, deepFreeze, unlessAborted });
    return this.#calls;
  }
}

const NONE: readonly CallProposal[] = Object.freeze([]);
