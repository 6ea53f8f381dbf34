/** Reads a call that a model sent, in whatever form its provider hands it on: a tool's name, and its arguments. */
import { toText } from "../core/json.js";
import { isObject, isText } from "../core/kinds.js";

export interface SentCall {
  id?: string | undefined;
  /** The name of the tool; empty where there is none. */
  tool: string;
  /** The arguments: JSON text, or a value. */
  args: unknown;
  /** Why this is no call, although it may name a tool. */
  refused?: string;
}

type Entries = { readonly [key: string]: unknown };

/** The properties that hold the tool's name, its arguments and the call's id. Of several that are there the first counts. */
const NAMES = ["tool", "toolName", "name", "tool_name", "function", "action"];
const ARGUMENTS = ["args", "input", "arguments", "parameters", "tool_input", "action_input"];
const IDS = ["call_id", "toolCallId", "id"];
/** Properties that hold the call itself: OpenAI's, its older form, Gemini's. */
const WRAPPERS = ["function", "function_call", "functionCall"];
/** What providers write beside the fields of a call whose arguments are not in a property of their own. */
const METADATA = ["type", "status", ...IDS];

/** The type of a part that is the result of a call: `tool_result`, `function_call_output`, `tool-output-error`. */
const RESULT = /(result|output|response|error)$/;

/** Reads a call. Each property is read once: what decides on a call and what makes it see the same. */
export function readSent(sent: unknown): SentCall {
  const outer = readOnce(sent);
  const { jsonrpc, method, params, type } = outer;
  if (jsonrpc !== undefined || (isText(method) && params !== undefined && nameOf(outer) === undefined)) {
    if (method !== "tools/call")
      return notACall(`${words(method)} is no call of a tool: in JSON-RPC only "tools/call" is.`);
    return callOf(readOnce(params), outer);
  }
  if (isText(type) && RESULT.test(type)) return notACall(`${words(type)} is the result of a call, not a call.`);
  const wrapped = nameOf(outer) === undefined ? first(outer, WRAPPERS) : undefined;
  return callOf(wrapped === undefined ? outer : readOnce(wrapped), outer);
}

/** The arguments as JSON text. Throws for what JSON cannot carry. */
export function argumentsOf({ args }: SentCall): string {
  return typeof args === "string" ? args : toText(args, "arguments");
}

function callOf(call: Entries, outer: Entries): SentCall {
  const id = first(outer, IDS) ?? first(call, IDS);
  const args = first(call, ARGUMENTS);
  return {
    tool: (nameOf(call) ?? "").trim().replace(/^functions\./, ""),
    args: args === undefined ? fieldsOf(call) : isText(call.tool) && !isText(args) ? blockArguments(call, args) : args,
    ...(id !== undefined && { id: String(id) }),
  };
}

/** The properties of an object, inherited ones of these tables included. */
function readOnce(value: unknown): Entries {
  if (!isObject(value)) return {};
  const read: { [key: string]: unknown } = { ...value };
  for (const key of ["jsonrpc", "method", "params", "type", ...NAMES, ...ARGUMENTS, ...IDS, ...WRAPPERS]) {
    if (!Object.hasOwn(read, key) && key in value) read[key] = value[key];
  }
  return read;
}

const first = (entries: Entries, keys: readonly string[]): unknown =>
  keys.map((key) => entries[key]).find((value) => value !== undefined && value !== null);

const nameOf = (entries: Entries): string | undefined => NAMES.map((key) => entries[key]).find(isText);

/** The fields of a call that stand beside its tool, as in a tool block. */
function fieldsOf(call: Entries): Entries {
  const name = NAMES.find((key) => isText(call[key]));
  const left = [...METADATA, ...ARGUMENTS, name];
  return Object.fromEntries(Object.entries(call).filter(([key, value]) => !left.includes(key) && value !== undefined));
}

/** The fields of a block's call count before those of its `args`: its path is the normalised one. */
function blockArguments({ path, content, search_replace }: Entries, args: unknown): unknown {
  if (!isObject(args)) return args;
  const { tool: _, ...rest } = args;
  return {
    ...rest,
    ...(path !== undefined && path !== "" && { path }),
    ...(content !== undefined && { content }),
    ...(search_replace !== undefined && { search_replace }),
  };
}

const notACall = (refused: string): SentCall => ({ tool: "", args: {}, refused });

const words = (value: unknown): string =>
  isText(value) ? JSON.stringify(value.slice(0, 60)) : "A message without a method";
