/** Finds the tool's name and the arguments in a call, whichever provider's format it is in. */
import { isObject, isText } from "../core/kinds.js";
import { envelopeKeys } from "../generated/facts.js";

export interface ReceivedCall {
  id?: string | undefined;
  /** The name of the tool as it was sent; empty if the call has no name. */
  tool: string;
  /** The arguments: JSON text, or a value. */
  args: unknown;
  /** Why the message is not a call, although it may name a tool. */
  refused?: string;
}

/** A property of the message. */
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
const KNOWN_KEYS = new Set(["jsonrpc", "method", "params", ...METADATA, ...Object.values(envelopeKeys).flat()]);

/** The type of a part that is the result of a call: `tool_result`, `function_call_output`, `tool-output-error`. */
const RESULT = /(result|output|response|error)$/;

/** Levels of envelopes inside each other. */
const MAX_DEPTH = 8;

/**
 * Reads a call. Each property is read once, so that a getter cannot show a policy one call and execute another.
 * `isTool` accepts the names of tools. Among several names in one message the first one that it accepts counts.
 */
export function receiveCall(input: unknown, isTool: (name: string) => boolean, depth = 0): ReceivedCall {
  const outer = readOnce(input);
  const [jsonrpc, method, params, type] = ["jsonrpc", "method", "params", "type"].map((key) => propertyOf(outer, key));
  const known = (value: unknown): value is string => isText(value) && isTool(trimmed(value));
  const hasName = find(outer, envelopeKeys.name, known) !== undefined;
  if (jsonrpc !== undefined || (isText(method) && params !== undefined && !hasName)) {
    if (method !== "tools/call")
      return notACall(`${words(method)} is not a tool call: in JSON-RPC only "tools/call" is.`);
    return callOf(readOnce(params), known, idOf(outer));
  }
  if (isText(type) && RESULT.test(type)) return notACall(`${words(type)} is the result of a call, not a call.`);
  if (hasName || depth === MAX_DEPTH) return callOf(outer, known, idOf(outer));
  const calls = find(outer, envelopeKeys.calls, isList)?.value;
  if (calls !== undefined && calls.length > 1)
    return notACall(`The message has ${calls.length} calls: one is executed at a time.`);
  if (calls !== undefined) return receiveCall(calls[0], isTool, depth + 1);
  const inner = find(outer, envelopeKeys.call, isObject)?.value;
  if (inner === undefined) return callOf(outer, known, idOf(outer));
  const call = receiveCall(inner, isTool, depth + 1);
  const id = idOf(outer) ?? call.id;
  return { ...call, ...(id !== undefined && { id }) };
}

function callOf(call: readonly Entry[], isKnown: (value: unknown) => value is string, outerId?: string): ReceivedCall {
  const name = find(call, envelopeKeys.name, isKnown) ?? find(call, envelopeKeys.name, isText);
  const args = find(call, envelopeKeys.arguments, isThere)?.value;
  const isBlock = isText(propertyOf(call, "tool")) && !isText(args);
  const id = outerId ?? idOf(call);
  return {
    tool: trimmed(name?.value ?? ""),
    args: args === undefined ? fieldsOf(call, name) : isBlock ? blockArguments(call, args) : args,
    ...(id !== undefined && { id }),
  };
}

/** The properties of an object, and the inherited ones whose keys are known. */
function readOnce(value: unknown): Entry[] {
  if (!isObject(value)) return [];
  const read: { [key: string]: unknown } = { __proto__: null, ...value };
  for (let owner: object | null = value; owner !== null; owner = Object.getPrototypeOf(owner)) {
    for (const key of Object.getOwnPropertyNames(owner)) {
      if (!(key in read) && KNOWN_KEYS.has(fold(key))) read[key] = value[key];
    }
  }
  return Object.entries(read).map(([key, value]) => ({ key, folded: fold(key), value }));
}

/** A key or name in lower case, without `_` and `-`: equal for all its spellings. */
export const fold = (key: string): string => key.replace(/[_-]/g, "").toLowerCase();

const trimmed = (name: string): string => name.trim().replace(/^functions\./, "");

/** The first property, in the order of the keys, whose value is accepted. */
function find<Value>(
  entries: readonly Entry[],
  keys: readonly string[],
  accept: (value: unknown) => value is Value,
): { key: string; value: Value } | undefined {
  for (const own of keys)
    for (const { key, folded, value } of entries) if (folded === own && accept(value)) return { key, value };
  return undefined;
}

const isThere = (value: unknown): value is NonNullable<unknown> => value !== undefined && value !== null;
const isList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;

/** The value of the property of exactly this key. */
const propertyOf = (entries: readonly Entry[], wanted: string): unknown =>
  entries.find(({ key }) => key === wanted)?.value;

function idOf(entries: readonly Entry[]): string | undefined {
  const id = find(entries, IDS, isThere)?.value;
  return id === undefined ? undefined : String(id);
}

/** The fields of a tool block: everything beside its tool. */
function fieldsOf(call: readonly Entry[], name: { key: string } | undefined): { [key: string]: unknown } {
  const left = [...METADATA, ...envelopeKeys.arguments];
  const fields = call.filter(({ key, folded, value }) => {
    return key !== name?.key && !left.includes(folded) && value !== undefined;
  });
  return Object.fromEntries(fields.map(({ key, value }) => [key, value]));
}

/** The call of a tool block has its fields twice. Those of the call itself are normalised, so they win over those in `args`. */
function blockArguments(call: readonly Entry[], args: unknown): unknown {
  if (!isObject(args)) return args;
  const [path, content, search_replace, edits] = ["path", "content", "search_replace", "edits"].map((key) =>
    propertyOf(call, key),
  );
  const { tool: _, ...rest } = args;
  return {
    ...rest,
    ...(path !== undefined && path !== "" && { path }),
    ...(content !== undefined && { content }),
    ...(search_replace !== undefined && { search_replace }),
    ...(edits !== undefined && { edits }),
  };
}

const notACall = (refused: string): ReceivedCall => ({ tool: "", args: {}, refused });

const words = (value: unknown): string =>
  isText(value) ? JSON.stringify(value.slice(0, 60)) : "A message without a method";
