/** The tools and paths that a refused block still shows: a correction must keep them. */
import type { Json } from "../../types.js";
import { checkPath } from "../policy.js";
import { parsePartialJson, repairToolBlock } from "../repair.js";
import type { ToolBlockOptions, ToolBlockRepair, ToolBlockReport } from "../types.js";

/** The tools and paths of the calls of a block; an empty text where an error is about them. */
export interface Intent {
  calls: { tool: string; path: string }[];
  /** Whether these are all of its calls. */
  isWhole: boolean;
}

/** The calls of a repaired block; if it has none, those before its syntax error. */
export function intentOf({ text, report }: ToolBlockRepair, reading: ToolBlockOptions): Intent {
  const calls = callsOf(report, reading);
  if (calls.length > 0) return { calls, isWhole: true };
  const fault = report.issues.find(({ code }) => code === "JSON_SYNTAX")?.position?.offset ?? 0;
  const before = withoutLast(parsePartialJson(text.slice(report.jsonStart).slice(0, fault)).value);
  return { calls: callsOf(repairToolBlock(JSON.stringify(before), reading).report, reading), isWhole: false };
}

/** Sentences about the parts of an intent that a valid answer changes. */
export function departures({ calls, isWhole }: Intent, report: ToolBlockReport, reading: ToolBlockOptions): string[] {
  const answered = report.calls ?? [report.call];
  const keep = (what: string, own: string | number | false, other: string | number | undefined) =>
    own && own !== other ? `its ${what} is ${other}, the block's is ${own}; keep it` : [];
  return [
    keep("number of calls", isWhole && calls.length, answered.length),
    ...calls.map(({ tool }, index) => keep("tool", tool, answered[index]?.tool)),
    ...calls.map(({ path }, index) => keep("path", path, inOneSpelling(answered[index]?.args.path, reading.policy))),
  ].flat();
}

/** The calls in the JSON of a report. A tool or a path that has an error is an empty text. */
function callsOf({ parsedJson, issues }: ToolBlockReport, { policy }: ToolBlockOptions): Intent["calls"] {
  const items = [parsedJson ?? []].flat(2) as ({ [key: string]: Json } | null)[];
  return items.map((item, index) => {
    const faultless = (key: string) => {
      const place = items.length > 1 ? `${index}.${key}` : key;
      const value = issues.some(({ path, severity }) => path === place && severity === "error") || item?.[key];
      return typeof value === "string" ? value : "";
    };
    return { tool: faultless("tool"), path: inOneSpelling(faultless("path"), policy) };
  });
}

/** A path in the policy's spelling. A path that the policy refuses, such as a pointer into data, stays as it is. */
function inOneSpelling(path: unknown, policy: ToolBlockOptions["policy"]): string {
  const text = typeof path === "string" ? path : "";
  const checked = checkPath(text, policy);
  return checked.ok ? checked.path : text;
}

/** A value without the member that was read last, which may contain the fault. */
function withoutLast(value: Json | undefined): Json {
  if (Array.isArray(value)) return [...value.slice(0, -1), withoutLast(value.at(-1))];
  return Object.fromEntries(Object.entries(value ?? {}).slice(0, -1));
}
