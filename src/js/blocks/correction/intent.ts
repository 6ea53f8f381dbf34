/** The tools and paths that a refused block still shows: a correction must keep them. */
import type { Json } from "../../types.js";
import { checkPath } from "../policy.js";
import { parsePartialJson, repairToolBlock } from "../repair.js";
import type { ToolBlockOptions, ToolBlockRepair, ToolBlockReport } from "../types.js";

/** The tools and paths of the calls of a block. A tool or a path that has an error is an empty text. */
export interface Intent {
  calls: { tool: string; path: string }[];
  /** Whether these are all of its calls. */
  isComplete: boolean;
}

/** The calls of a repaired block; if it has none, those before its syntax error. */
export function intentOf({ text, report }: ToolBlockRepair, blockOptions: ToolBlockOptions): Intent {
  const calls = callsOf(report, blockOptions);
  if (calls.length > 0) return { calls, isComplete: true };
  const faultOffset = report.issues.find(({ code }) => code === "JSON_SYNTAX")?.position?.offset ?? 0;
  const json = text.slice(report.jsonStart);
  const beforeFault = withoutLast(parsePartialJson(json.slice(0, faultOffset)).value);
  // The repair turns aliases into the names of tools and fields.
  return {
    calls: callsOf(repairToolBlock(JSON.stringify(beforeFault), blockOptions).report, blockOptions),
    isComplete: false,
  };
}

/** Sentences about the parts of an intent that a valid answer, with this report, changes. Empty if it changes none. */
export function departures(intent: Intent, report: ToolBlockReport, blockOptions: ToolBlockOptions): string[] {
  const answer = report.calls ?? [report.call];
  // An expected value that is false or empty is unknown, so that every answer keeps it.
  const check = (what: string, expected: string | number | false, actual: string | number | undefined) =>
    expected && expected !== actual ? `its ${what} is ${actual}, the block's is ${expected}; keep it` : [];
  const { calls } = intent;
  return [
    check("number of calls", intent.isComplete && calls.length, answer.length),
    ...calls.map(({ tool }, index) => check("tool", tool, answer[index]?.tool)),
    ...calls.map(({ path }, index) =>
      check("path", path, inOneSpelling(answer[index]?.args.path, blockOptions.policy)),
    ),
  ].flat();
}

/** The calls in the JSON of a report. */
function callsOf({ parsedJson, issues }: ToolBlockReport, { policy }: ToolBlockOptions): Intent["calls"] {
  // One call, a list of calls, or a list of such lists for several values.
  const items = [parsedJson ?? []].flat(2) as ({ [key: string]: Json } | null)[];
  return items.map((item, index) => {
    const textOf = (key: string) => {
      // As issues write it: see `Issue.path`.
      const issuePath = items.length > 1 ? `${index}.${key}` : key;
      const hasError = issues.some(({ path, severity }) => path === issuePath && severity === "error");
      const value = hasError ? "" : item?.[key];
      return typeof value === "string" ? value : "";
    };
    return { tool: textOf("tool"), path: inOneSpelling(textOf("path"), policy) };
  });
}

/** A path in the policy's spelling, so that two spellings of it are equal. A path that the policy refuses stays as it is. */
function inOneSpelling(path: unknown, policy: ToolBlockOptions["policy"]): string {
  const text = typeof path === "string" ? path : "";
  const checked = checkPath(text, policy);
  return checked.ok ? checked.path : text;
}

/** An object without its last member, which may contain the fault; a list whose last item is without its last member. */
function withoutLast(value: Json | undefined): Json {
  if (Array.isArray(value)) return [...value.slice(0, -1), withoutLast(value.at(-1))];
  return Object.fromEntries(Object.entries(value ?? {}).slice(0, -1));
}
