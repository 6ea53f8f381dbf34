/** Repairs tool blocks and other JSON without a model, and parses JSON that is incomplete. */
import { blocksModule } from "../core/blocks-module.js";
import { FLAG, requireKeys, requireKind, requireText } from "../core/require.js";
import { defaultMaxBlockBytes } from "../generated/facts.js";
import type { Json } from "../types.js";
import { askAbout, BLOCK_OPTIONS, completeReport, optionsText, type RawReport } from "./stream.js";
import type { JsonRepair, JsonRepairOptions, PartialJson, ToolBlockRepair, ToolBlockRepairOptions } from "./types.js";

/**
 * Repairs the first JSON block of a text, or a text that should be JSON: its syntax, and the names of its tool and
 * fields, where the intended meaning is clear. Never throws for the content of the text.
 *
 * ```ts
 * const { text, fixes, report } = repairToolBlock("```json\n{tool: 'create_file', file: 'a.txt', content: 'x',}\n```");
 * report.call; // { tool: "write_file", path: "a.txt", content: "x", … }
 * ```
 */
export function repairToolBlock<Name extends string = never>(
  text: string,
  options: ToolBlockRepairOptions<Name> = {},
): ToolBlockRepair<Name> {
  const accepted = { keys: BLOCK_OPTIONS, completeByDefault: false };
  const { ask, complete, optionsLine } = prepare("repairToolBlock", text, options, accepted);
  const rawReport = askAbout(text, options, (part) =>
    ask<RawReport>((glue) => glue.repair_block(blocksModule.send(part, optionsLine), complete)),
  );
  const { fixes, repaired } = rawReport;
  const current = fixes.length === 0 ? text : (repaired as string);
  return { text: current, fixes, report: completeReport(current, rawReport) };
}

/**
 * Repairs a text that should be JSON. Valid JSON is returned unchanged. A text that ends inside a string, or whose repair is
 * ambiguous, is not repaired. Never throws for the content of the text.
 *
 * ```ts
 * repairJson("{a: 'b', c: [1, 2,]"); // { text: '{"a": "b", "c": [1, 2]}', fixes: […], ok: true }
 * ```
 */
export function repairJson(text: string, options: JsonRepairOptions = {}): JsonRepair {
  const accepted = { keys: ["limits"], completeByDefault: true };
  const { ask, complete, optionsLine } = prepare("repairJson", text, options, accepted);
  // A text over the limit is not repaired, so it is sent only up to the first UTF-16 unit over the limit.
  const maxUnits = (options.limits?.maxBlockBytes ?? defaultMaxBlockBytes) + 1;
  const part = text.length > maxUnits ? text.slice(0, maxUnits) : text;
  const { repaired, ok, fixes } = ask<JsonRepair & { repaired: string }>((glue) =>
    glue.repair_text(blocksModule.send(part, optionsLine), complete),
  );
  return { text: fixes.length === 0 ? text : repaired, fixes, ok };
}

/**
 * Parses a JSON text that may end anywhere: a string has the characters so far, an object lacks a key whose value has not begun.
 * `complete` says that the text is JSON as it stands. Unpaired surrogates become U+FFFD. Never throws for the content of the text.
 *
 * ```ts
 * parsePartialJson('{"path": "a.txt", "content": "Hel'); // { value: { path: "a.txt", content: "Hel" }, complete: false }
 * ```
 */
export function parsePartialJson(text: string): PartialJson {
  requireText("parsePartialJson", "text", text);
  // Half a surrogate pair at the end waits for its other half.
  const endsInHalf = (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800;
  const sentText = endsInHalf ? text.slice(0, -1) : text;
  const answer = blocksModule.call((glue) => blocksModule.receive(glue.partial_text(blocksModule.send(sentText))));
  // The answer is `+` for whole JSON, else `-`, and then the value as JSON text: nothing if the value has not begun.
  const complete = answer.startsWith("+") && !endsInHalf;
  return { value: answer.length > 1 ? (JSON.parse(answer.slice(1)) as Json) : undefined, complete };
}

/**
 * Checks the arguments of `method`, which has the option `complete` beside those in `keys`. Returns the options as the module reads
 * them, the value of `complete`, and a function that asks the module.
 */
function prepare(
  method: string,
  text: string,
  options: ToolBlockRepairOptions,
  { keys, completeByDefault }: { keys: string[]; completeByDefault: boolean },
) {
  requireText(method, "text", text);
  requireKeys(method, "options", options, [...keys, "complete"]);
  const { complete = completeByDefault, ...rest } = options;
  requireKind(method, "option complete", complete, FLAG);
  return {
    optionsLine: `${optionsText(method, rest)}\n`,
    complete,
    /**
     * Calls the module by `run`, which returns the length of the answer. The answer is the repaired text, a line feed, and the other
     * members of the result as JSON.
     */
    ask<T extends object>(run: (glue: typeof blocksModule.glue) => number): T {
      const answer = blocksModule.call((glue) => blocksModule.receive(run(glue)));
      const textEnd = answer.lastIndexOf("\n");
      return Object.assign(JSON.parse(answer.slice(textEnd + 1)) as T, { repaired: answer.slice(0, textEnd) });
    },
  };
}
