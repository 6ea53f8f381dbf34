/** Reads a call that a model sent, in whatever form its provider hands it on: a tool's name, and its arguments. */
import { toText } from "../core/json.js";
import { isObject } from "../core/kinds.js";

export interface SentCall {
  id?: string | undefined;
  tool: string;
  /** The arguments: JSON text, or a value. */
  args: unknown;
}

type Entries = { readonly [key: string]: unknown };

/** Reads a call. Each property is read once: what decides on a call and what makes it see the same. */
export function readSent(sent: unknown): SentCall {
  const outer = toEntries(sent);
  const { function: one, functionCall: two = one, params: three = two } = outer;
  const name = nameOf(outer);
  const inner = name === undefined ? toEntries(three) : outer;
  const { arguments: text, input = text, args = input } = inner;
  const { id: own = inner.id, toolCallId = own, call_id: id = toolCallId } = outer;
  const isBlock = typeof outer.tool === "string";
  return {
    tool: name ?? nameOf(inner) ?? "",
    args: isBlock && typeof args !== "string" ? blockArguments(outer, args) : (args ?? {}),
    ...(id !== undefined && id !== null && { id: String(id) }),
  };
}

/** The arguments as JSON text. Throws for what JSON cannot carry. */
export function argumentsOf({ args }: SentCall): string {
  return typeof args === "string" ? args : toText(args, "arguments");
}

function nameOf({ tool, toolName = tool, name = toolName }: Entries): string | undefined {
  return [tool, toolName, name].find((name) => typeof name === "string") as string | undefined;
}

/** The fields of a block's call count before those of its `args`: its path is the normalised one. */
function blockArguments({ path, content, search_replace }: Entries, args: unknown): unknown {
  const { tool: _, ...rest } = toEntries(args);
  return {
    ...rest,
    ...(path !== undefined && path !== "" && { path }),
    ...(content !== undefined && { content }),
    ...(search_replace !== undefined && { search_replace }),
  };
}

function toEntries(value: unknown): Entries {
  return isObject(value) ? value : {};
}
