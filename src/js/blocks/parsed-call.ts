/** `ParsedCall`: a tool call with parsed arguments, which its tool has not validated yet. */

import { copyJson, parseJson } from "../core/json.js";
import { isObject, isText, type Members } from "../core/kinds.js";
import type { CustomTool } from "../definitions/types.js";
import type { Json } from "../types.js";
import type { Fix } from "./types.js";

/**
 * A tool call with parsed arguments. It is created once, where the call enters the package: in `agent.execute`
 * (streams, native calls and MCP) or in `callTool`. All later steps use this object and do not parse again.
 */
export interface ParsedCall {
  /** The tool's name as its definition spells it. */
  readonly tool: string;
  /**
   * The arguments: a copy of them if they were sent as a value, the parsed object if they were sent as text. `undefined` if they
   * are not an object: then `text` has them.
   */
  readonly args: Members | undefined;
  /** The arguments as JSON text, if they were sent as text or are not an object. Errors name positions in it. */
  readonly text?: string;
  /** The changes by which a repair turned damaged text into `args`. */
  readonly fixes?: readonly Fix[];
}

/** Repairs damaged JSON text of arguments; returns `undefined` if it cannot be repaired. */
export type RepairArguments = (
  tool: string,
  text: string,
  tools: readonly CustomTool[],
) => { args: Members; fixes: Fix[] } | undefined;

/**
 * `blocks/arguments.ts` sets `repair`, and callers of `parseCall` pass it on. A bundle without that file (and without
 * `blocks.wasm`) repairs no arguments.
 */
export const argumentRepair: { repair?: RepairArguments } = {};

/**
 * Parses the arguments of a call, given as a value or as JSON text. Text that is not a JSON object is passed to
 * `repair`.
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
  // Some models encode the arguments twice: then the value is again JSON text. A repair knows that too, and more; this is for
  // bundles without it.
  return { tool, args: isText(value) ? membersOf(decode(value)) : undefined, text: sent };
}

/** Blank text. Longer blank text is refused, as any text that is too long. */
const BLANK = /^\s{0,1000}$/;

/** Parses JSON text. Blank text is `{}`: some models send it for a call without arguments. */
const decode = (text: string): Json | undefined => (BLANK.test(text) ? {} : parseJson(text));

/** Returns an object's members. `null` is `{}`: some models send it for a call without arguments. */
const membersOf = (value: Json | undefined): Members | undefined =>
  value === null ? {} : isObject<Json>(value) ? value : undefined;
