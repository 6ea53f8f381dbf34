/** `ParsedCall`: a tool call after it has entered, and before the tool has validated it. */
import type { Fix } from "../blocks/types.js";
import { copyJson, parseJson } from "../core/json.js";
import { isObject, isText, type Members } from "../core/kinds.js";
import type { CustomTool } from "../definitions/types.js";
import type { Json } from "../types.js";

/**
 * A call on its way from a model to a tool. It is made once, where the call enters: `agent.execute` for streams, native calls
 * and MCP, or `callTool`. Everything after that uses its values, and results refer to them.
 */
export interface ParsedCall {
  /** The tool's name as its definition spells it. */
  readonly tool: string;
  /** Values that only this call refers to. `undefined` if the arguments are not an object; then `text` has them. */
  readonly args: Members | undefined;
  /** The arguments as text, if they were sent so: errors name positions in it. */
  readonly text?: string;
  /** The repairs that made `args` out of damaged text. */
  readonly fixes?: readonly Fix[];
}

/** Repairs the text of arguments; `undefined` where that is not possible. */
export type RepairArguments = (
  tool: string,
  text: string,
  tools: readonly CustomTool[],
) => { args: Members; fixes: Fix[] } | undefined;

/** Set by `blocks/arguments.ts`: a bundle without it, and so without the module for tool blocks, does not repair arguments. */
export const argumentRepair: { repair?: RepairArguments } = {};

/**
 * Parses the arguments of a call: a value, or its JSON text. `repair` is asked about text that is not a JSON object.
 * @throws GenuiPatchError for a value that JSON cannot carry.
 */
export function parseCall(
  tool: string,
  sent: unknown,
  repair?: (text: string) => ReturnType<RepairArguments>,
): ParsedCall {
  if (!isText(sent)) {
    const value = copyJson(sent ?? {}, "arguments");
    const args = membersOf(value);
    return args === undefined ? { tool, args, text: JSON.stringify(value) } : { tool, args };
  }
  const value = decode(sent);
  const args = membersOf(value);
  if (args !== undefined) return { tool, args, text: sent };
  const repaired = repair?.(sent);
  if (repaired !== undefined) return { tool, ...repaired, text: sent };
  // Some models encode their arguments twice.
  return { tool, args: isText(value) ? membersOf(decode(value)) : undefined, text: sent };
}

/** A longer blank text is refused, by its length or as text that is not JSON. */
const BLANK = /^\s{0,1000}$/;

/** A model that has no arguments to send may send an empty text. */
const decode = (text: string): Json | undefined => (BLANK.test(text) ? {} : parseJson(text));

/** A model that has no arguments to send may send null. */
const membersOf = (value: Json | undefined): Members | undefined =>
  value === null ? {} : isObject<Json>(value) ? value : undefined;
