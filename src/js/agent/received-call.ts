/** Finds the tool's name and the arguments in a call, whichever provider's format it is in. */
import { isObject, isText } from "../core/kinds.js";
import { envelopeKeys } from "../generated/facts.js";

/** A call as it was received: nothing in it is validated yet. */
export interface ReceivedCall {
  /** The provider's id of the call, or that of its tool block; absent if it was sent without one. */
  id?: string | undefined;
  /** The name of the tool as it was sent; empty if the call has no name. */
  tool: string;
  /** The arguments: JSON text, or a value. */
  args: unknown;
  /** An error message, if the input is no call: then `tool` is empty. */
  refusal?: string;
}

/** A property of an object that was received. */
interface Entry {
  key: string;
  /** The key in lower case, without `_` and `-`, as the tables of keys have it. */
  folded: string;
  value: unknown;
}

/** Keys of providers' objects, folded. The keys of envelopes come from the table that streams use. */
const IDS = ["callid", "toolcallid", "id"];
/** Keys that are not arguments, in a call whose arguments are properties of the call itself. */
const METADATA = ["type", "status", ...IDS];
/** All keys that this file reads, folded. */
const KNOWN_KEYS = new Set(["jsonrpc", "method", "params", ...METADATA, ...Object.values(envelopeKeys).flat()]);

/** The type of a part that is the result of a call: `tool_result`, `function_call_output`, `tool-output-error`. */
const RESULT = /(result|output|response|error)$/;

/** Levels of envelopes inside each other: an object that contains itself must not be opened forever. */
const MAX_DEPTH = 8;

/**
 * Reads a call. Each property is read once, so that a getter cannot show a policy one call and execute another.
 * `isTool` accepts the names of tools. Among several names in one message the first one that it accepts counts.
 *
 * In this order the message is: a JSON-RPC request, whose `params` are the call; the result of a call, which is refused; a call,
 * if it names a known tool; a list with one call; an envelope around a call; else a call of an unknown tool.
 */
export function receiveCall(input: unknown, isTool: (name: string) => boolean, depth = 0): ReceivedCall {
  const outer = readOnce(input);
  const [jsonrpc, method, params, type] = ["jsonrpc", "method", "params", "type"].map((key) => propertyOf(outer, key));
  const namesTool = (value: unknown): value is string => isText(value) && isTool(bareName(value));
  const hasName = find(outer, envelopeKeys.name, namesTool) !== undefined;
  // MCP clients may pass the method and the params alone.
  const isRpc = jsonrpc !== undefined || (isText(method) && params !== undefined && !hasName);
  if (isRpc) {
    if (method !== "tools/call")
      return notACall(`${subject(method)} is not a tool call: in JSON-RPC only "tools/call" is.`);
    return callOf(readOnce(params), namesTool, idOf(outer));
  }
  if (isText(type) && RESULT.test(type)) return notACall(`${subject(type)} is the result of a call, not a call.`);
  if (hasName || depth === MAX_DEPTH) return callOf(outer, namesTool, idOf(outer));
  const calls = find(outer, envelopeKeys.calls, isList)?.value;
  if (calls !== undefined && calls.length > 1)
    return notACall(`The message has ${calls.length} calls: one is executed at a time.`);
  if (calls !== undefined) return receiveCall(calls[0], isTool, depth + 1);
  const inner = find(outer, envelopeKeys.call, isObject)?.value;
  if (inner === undefined) return callOf(outer, namesTool, idOf(outer));
  const call = receiveCall(inner, isTool, depth + 1);
  const id = idOf(outer) ?? call.id;
  return { ...call, ...(id !== undefined && { id }) };
}

/** The call in an object that is no envelope. `outerId` is the id of the message around it, which has priority. */
function callOf(
  call: readonly Entry[],
  namesTool: (value: unknown) => value is string,
  outerId?: string,
): ReceivedCall {
  const name = find(call, envelopeKeys.name, namesTool) ?? find(call, envelopeKeys.name, isText);
  const args = find(call, envelopeKeys.arguments, isThere)?.value;
  // Calls of tool blocks have `tool` and, in `args`, an object.
  const isBlock = isText(propertyOf(call, "tool")) && !isText(args);
  const id = outerId ?? idOf(call);
  return {
    tool: bareName(name?.value ?? ""),
    args: args === undefined ? fieldsOf(call, name) : isBlock ? blockArguments(call, args) : args,
    ...(id !== undefined && { id }),
  };
}

/**
 * The properties of an object, and the inherited or not enumerable ones whose keys are known: calls of providers' clients may be
 * instances of classes with getters. A value that is no object has none.
 */
function readOnce(value: unknown): Entry[] {
  if (!isObject(value)) return [];
  // Without a prototype, so that `in` finds only what was read.
  const values: { [key: string]: unknown } = { __proto__: null, ...value };
  for (let owner: object | null = value; owner !== null; owner = Object.getPrototypeOf(owner)) {
    for (const key of Object.getOwnPropertyNames(owner)) {
      if (!(key in values) && KNOWN_KEYS.has(fold(key))) values[key] = value[key];
    }
  }
  return Object.entries(values).map(([key, value]) => ({ key, folded: fold(key), value }));
}

/** A key or name in lower case, without `_` and `-`: equal for all its spellings. */
export const fold = (key: string): string => key.replace(/[_-]/g, "").toLowerCase();

/** The name of a tool without `functions.`, which models of OpenAI write before it. */
const bareName = (name: string): string => name.trim().replace(/^functions\./, "");

/** The first property, in the order of `keys` (which are folded), whose value is accepted. */
function find<Value>(
  entries: readonly Entry[],
  keys: readonly string[],
  accept: (value: unknown) => value is Value,
): { key: string; value: Value } | undefined {
  for (const wantedKey of keys)
    for (const { key, folded, value } of entries) if (folded === wantedKey && accept(value)) return { key, value };
  return undefined;
}

const isThere = (value: unknown): value is NonNullable<unknown> => value !== undefined && value !== null;
const isList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;

/** The value of the property of exactly this key. */
const propertyOf = (entries: readonly Entry[], wantedKey: string): unknown =>
  entries.find(({ key }) => key === wantedKey)?.value;

/** The id of a call; some providers send a number. */
function idOf(entries: readonly Entry[]): string | undefined {
  const id = find(entries, IDS, isThere)?.value;
  return id === undefined ? undefined : String(id);
}

/** The arguments of a call that has them as its own properties, such as `{ tool, path }`: all but the tool and the metadata. */
function fieldsOf(call: readonly Entry[], name: { key: string } | undefined): { [key: string]: unknown } {
  const otherKeys = [...METADATA, ...envelopeKeys.arguments];
  const fields = call.filter(({ key, folded, value }) => {
    return key !== name?.key && !otherKeys.includes(folded) && value !== undefined;
  });
  return Object.fromEntries(fields.map(({ key, value }) => [key, value]));
}

/**
 * The arguments of a tool block's call, which has these four fields in `args` and as its own properties. The properties are
 * normalised, so they replace those in `args`.
 */
function blockArguments(call: readonly Entry[], args: unknown): unknown {
  if (!isObject(args)) return args;
  const [path, content, search_replace, edits] = ["path", "content", "search_replace", "edits"].map((key) =>
    propertyOf(call, key),
  );
  // The `args` of a block are its whole JSON object, with the key `tool`.
  const { tool: _, ...rest } = args;
  return {
    ...rest,
    ...(path !== undefined && path !== "" && { path }),
    ...(content !== undefined && { content }),
    ...(search_replace !== undefined && { search_replace }),
    ...(edits !== undefined && { edits }),
  };
}

const notACall = (refusal: string): ReceivedCall => ({ tool: "", args: {}, refusal });

/** The subject of an error message: a method or a type, quoted and cut off. Any other value is a missing `method`. */
const subject = (value: unknown): string =>
  isText(value) ? JSON.stringify(value.slice(0, 60)) : "A message without a method";
