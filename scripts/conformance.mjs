/**
 * `CONFORMANCE_DIR=… npm run conformance`: the test suites of jsonrepair and json_repair against `repairJson`, that of A2UI
 * against `SurfaceStream` and `SurfaceView`, and that of AG-UI against `AgUiThread`.
 *
 * `CONFORMANCE_DIR` is a folder with clones of josdejong/jsonrepair, mangiucugna/json_repair, gspencergoog/A2UI and
 * ag-ui-protocol/ag-ui (`jsonrepair/`, `json_repair/`, `A2UI/`, `ag-ui/`), or as many of them as there are; the second and third
 * need `python3` to read their tests, the third also PyYAML. A case of the first two passes if the repaired text has the value that the suite expects, or if both refuse it. A case that does not
 * is counted under the first reason in `EXCEPTIONS` that fits it.
 */

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { repairJson } from "genui-patch";
import { a2uiSuites } from "./lib/conformance-a2ui.mjs";
import { agUiSuites } from "./lib/conformance-ag-ui.mjs";

const folder = process.env.CONFORMANCE_DIR;
if (!folder) throw new Error("Set CONFORMANCE_DIR to a folder with clones of jsonrepair, json_repair, A2UI and ag-ui.");

const isJson = (text) => value(text) !== undefined;
const first = (text) => text.trimStart()[0] ?? "";

/** Why a case is decided otherwise here: `[reason, fits(text, expected)]`; `expected` is undefined where the suite refuses. */
const EXCEPTIONS = [
  ["nothing is made of an empty text", (text) => text.trim() === ""],
  ["a string that is not closed is not completed", (text) => (text.match(/(?<!\\)["“”]/g) ?? []).length % 2 === 1],
  ["the same with single quotes or backticks", (text) => (text.match(/(?<!\\)['‘’`´]/g) ?? []).length % 2 === 1],
  ["scalars without brackets are no list", (text, expected) => Array.isArray(expected) && !"[({".includes(first(text))],
  ["text without quotes and brackets is no string", (text) => /^[^"'“‘`[{]*$/.test(text)],
  ["code is refused", (text) => /\w\(|[*=]/.test(text)],
  ["several values are no list", (_, expected) => Array.isArray(expected)],
  ["no value is made up for a key", (text) => /:\s*[,}\]]|:\s*$/.test(text)],
  ["what is ambiguous is refused", (text) => !repairJson(text, { complete: true }).ok],
  ["prose around a value is dropped", (_, expected) => expected === undefined],
];

function value(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Cases of jsonrepair: its own test file, run with functions that collect instead of comparing. */
function casesOfJsonrepair() {
  const file = join(folder, "jsonrepair/src/index.test.ts");
  if (!existsSync(file)) return [];
  const cases = [];
  const [suite] = readFileSync(file, "utf8").split("function createStreamingRepairWrapper");
  const source = suite.replaceAll(/^import .*$/gm, "").replaceAll("(text: string)", "(text)");
  const jsonrepair = (text) => {
    cases.push({ text, expected: undefined });
    return { call: cases.at(-1) };
  };
  const described = (_, run) => run({ jsonrepair });
  described.each = () => (_, run) => run({ jsonrepair });
  const expect = (actual) => {
    const toThrow = () => {
      if (typeof actual === "function") actual();
    };
    const toBe = (expected) => {
      if (actual?.call) actual.call.expected = typeof expected === "string" ? value(expected) : expected;
    };
    return { toBe, toEqual: toBe, toThrow, not: { toThrow: () => {} } };
  };
  const body = source.replace(/const implementations = \[[\s\S]*?\n\]\n/, "");
  const test = (_, run) => {
    try {
      run();
    } catch {
      // The code after the first call of a test may need its result.
    }
  };
  const names = ["describe", "test", "expect", "implementations", "JSONRepairError", "console", "JSON"];
  new Function(...names, body)(described, test, expect, [], Error, { log() {} }, { parse: (it) => it });
  return cases;
}

/** Reads `assert repair_json("…") == …` in the tests of json_repair. */
const READ_ASSERTS = `
import ast, json, sys
for path in sys.argv[1:]:
    for node in ast.walk(ast.parse(open(path, encoding="utf8").read())):
        if not (isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare) and len(node.test.ops) == 1):
            continue
        call = node.test.left
        if not (isinstance(call, ast.Call) and getattr(call.func, "id", "") == "repair_json" and call.args):
            continue
        options = {keyword.arg for keyword in call.keywords}
        if options - {"return_objects", "skip_json_loads"}:
            continue
        try:
            text, expected = ast.literal_eval(call.args[0]), ast.literal_eval(node.test.comparators[0])
            print(json.dumps([text, expected if "return_objects" in options else json.loads(expected) if expected else None, expected == ""]))
        except (ValueError, TypeError):
            pass
`;

function casesOfJsonRepairInPython() {
  const tests = join(folder, "json_repair/tests");
  if (!existsSync(tests)) return [];
  const files = readdirSync(tests).filter((name) => /^test_(parse|json_repair).*\.py$/.test(name));
  const lines = execFileSync("python3", ["-c", READ_ASSERTS, ...files.map((name) => join(tests, name))], {
    encoding: "utf8",
  });
  const cases = lines
    .trim()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return cases.map(([text, expected, isNothing]) => ({ text, expected: isNothing ? undefined : expected }));
}

for (const [name, cases] of Object.entries({
  jsonrepair: casesOfJsonrepair(),
  json_repair: casesOfJsonRepairInPython(),
})) {
  const reasons = new Map();
  let passed = 0;
  for (const { text, expected } of cases) {
    const { ok, text: repaired } = repairJson(text, { complete: true });
    const own = ok ? value(repaired) : undefined;
    if (isDeepStrictEqual(own, expected) || (isJson(text) && ok)) {
      passed += 1;
      continue;
    }
    const [reason] = EXCEPTIONS.find(([, fits]) => fits(text, expected)) ?? ["another value"];
    reasons.set(reason, [...(reasons.get(reason) ?? []), text]);
  }
  console.log(`${name}: ${passed} of ${cases.length} cases`);
  for (const [reason, texts] of reasons) {
    console.log(`  ${texts.length} ${reason}, e.g. ${JSON.stringify(texts[0].slice(0, 60))}`);
    if (process.argv.includes("--all")) for (const text of texts) console.log(`    ${JSON.stringify(text)}`);
  }
}

const protocols = [...agUiSuites(join(folder, "ag-ui")), ...(await a2uiSuites(join(folder, "A2UI")))];
for (const { name, passed, total, others } of protocols) {
  console.log(`${name}: ${passed} of ${total}`);
  for (const [reason, names] of others) console.log(`  ${names.length} ${reason}: ${names.join(", ")}`);
  if (others.has("FAILED")) process.exitCode = 1;
}
