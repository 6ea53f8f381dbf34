/** Repairs the arguments of native calls that arrive whole, as the streams repair theirs, and writes them as text. */

import { toText } from "../core/json.js";
import type { Members } from "../core/kinds.js";
import type { ToolInput } from "../definitions/types.js";
import { argumentRepair } from "./parsed-call.js";
import { ToolCallStream } from "./stream.js";

// `agentTools` must not import `blocks.wasm`, so this file installs the repair: without it in the bundle, nothing is repaired.
argumentRepair.repair = (tool, text, tools) => {
  const stream = new ToolCallStream({ tool, tools: tools as readonly ToolInput<string>[] });
  try {
    // The last event is that of the finished block. It has no `call` if the arguments cannot be repaired.
    const block = [...stream.push(text), ...stream.end()].at(-1);
    if (block?.type !== "json-tool-block" || block.call === undefined) return undefined;
    return { args: block.call.args as Members, fixes: block.fixes };
  } finally {
    stream.dispose();
  }
};

/**
 * Arguments, a value or a text, as the text that a model could have sent. Absent ones are the empty object: undefined, null, an
 * empty text, and the text `null`.
 */
export function textOfArguments(value: unknown): string {
  const text = typeof value === "string" ? value : toText(value ?? {}, "arguments");
  return /^\s*(null\s*)?$/.test(text) ? "{}" : text;
}
