/**
 * `npm run repair:report`: what becomes of the blocks of tests/fixtures/damaged, by kind of damage, beside the peers.
 *
 * The peers read JSON alone. They are given what stands between the first fence and the last, as panels do it, and what
 * they make of it is validated here, so that all are held to the same fields and paths. A block counts if the calls are
 * exactly those that were meant; a wrong one is a call that was not, which is worse than none.
 */

import { parse as bestEffort, setErrorLogger } from "best-effort-json-parser";
import { repairToolBlock, validateToolBlock } from "genui-patch";
import { jsonrepair } from "jsonrepair";
import { parse as partial } from "partial-json";
import { areMeant, calls, damaged } from "../tests/support/damaged.mjs";

setErrorLogger(() => {});

const between = (message) => {
  const start = message.indexOf("\n") + 1;
  const end = message.search(/\n?(```|~~~)[^`]*$/);
  return message.slice(start, end < start ? message.length : end);
};

const value = (read) => (message) => calls(validateToolBlock(JSON.stringify(read(between(message)))));

const contenders = {
  "genui-patch": (message) => calls(repairToolBlock(message).report),
  jsonrepair: value((text) => JSON.parse(jsonrepair(text))),
  "best-effort-json-parser": value(bestEffort),
  "partial-json": value(partial),
  "JSON.parse": value(JSON.parse),
};

const counts = new Map();
const names = Object.keys(contenders);
for (const { kinds, message, want } of damaged()) {
  const outcomes = names.map((name) => outcome(contenders[name], message, want));
  const alone = want.length === 0 ? "must be refused" : kinds.length > 1 ? "several in one block" : kinds[0];
  for (const key of [alone, want.length === 0 ? undefined : "all that can be repaired"]) {
    if (key === undefined) continue;
    if (!counts.has(key)) counts.set(key, { total: 0, good: names.map(() => 0), wrong: names.map(() => 0) });
    const count = counts.get(key);
    count.total += 1;
    for (const [place, result] of outcomes.entries()) if (result !== "none") count[result][place] += 1;
  }
}

const last = (key) => (key === "must be refused" ? 2 : key.startsWith("all") ? 1 : 0);
const table = [...counts].sort(([a], [b]) => last(a) - last(b) || (a < b ? -1 : 1));
console.log(`| kind | blocks | ${names.join(" | ")} |\n|---|---|${names.map(() => "---|").join("")}`);
for (const [kind, { total, good, wrong }] of table) {
  const cells = names.map((_, place) => `${good[place]}${wrong[place] > 0 ? ` (${wrong[place]} wrong)` : ""}`);
  console.log(`| ${kind} | ${total} | ${cells.join(" | ")} |`);
}

/** `good`: what was meant, or a refusal where that is right; `wrong`: another call. */
function outcome(read, message, want) {
  let found = [];
  try {
    found = read(message);
  } catch {
    // A peer's way of saying no.
  }
  if (areMeant(found, want)) return "good";
  return found.length > 0 ? "wrong" : "none";
}
