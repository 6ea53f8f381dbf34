/** Repairs tool blocks and other JSON without a model, and parses JSON that is incomplete. */
import { blocksModule } from "../core/blocks-module.js";
import { requireFlag, requireKeys, requireText } from "../core/require.js";
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
  const { ask, complete, line } = prepare("repairToolBlock", text, options, BLOCK_OPTIONS, false);
  const rawReport = askAbout(text, options, (part) =>
    ask<RawReport>((glue) => glue.repair_block(blocksModule.send(part, `${line}\n`), complete)),
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
  const { ask, complete, line } = prepare("repairJson", text, options, ["limits"], true);
  // A text over the limit is not repaired, whatever follows the first unit over it, so no more than that is sent.
  const most = (options.limits?.maxBlockBytes ?? defaultMaxBlockBytes) + 1;
  const part = text.length > most ? text.slice(0, most) : text;
  const { repaired, ok, fixes } = ask<JsonRepair & { repaired: string }>((glue) =>
    glue.repair_text(blocksModule.send(part, `${line}\n`), complete),
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
  const cut = (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800 ? text.slice(0, -1) : text;
  const answer = blocksModule.call((glue) => blocksModule.receive(glue.partial_text(blocksModule.send(cut))));
  // The answer is `+` for whole JSON, else `-`, and the value as JSON text.
  const complete = answer.startsWith("+") && cut === text;
  return { value: answer.length > 1 ? (JSON.parse(answer.slice(1)) as Json) : undefined, complete };
}

/**
 * Checks the arguments of `method`, which has the options `known` and `complete`. Returns `line`, the options as the module reads
 * them; `complete`; and `ask`, which calls the module and reads its answer: the repaired text, a line break, and a line of JSON,
 * the other members of the result.
 */
function prepare(
  method: string,
  text: string,
  options: ToolBlockRepairOptions,
  known: string[],
  completeByDefault: boolean,
) {
  requireText(method, "text", text);
  requireKeys(method, "options", options, [...known, "complete"]);
  const { complete, ...rest } = options;
  return {
    line: optionsText(method, rest),
    complete: requireFlag(method, "option complete", complete, completeByDefault),
    /** `run` returns the length of the answer. */
    ask<T extends object>(run: (glue: typeof blocksModule.glue) => number): T {
      const answer = blocksModule.call((glue) => blocksModule.receive(run(glue)));
      const end = answer.lastIndexOf("\n");
      return Object.assign(JSON.parse(answer.slice(end + 1)) as T, { repaired: answer.slice(0, end) });
    },
  };
}
