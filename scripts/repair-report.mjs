/**
 * `npm run repair:report`: repairs the blocks of tests/fixtures/damaged, by kind of damage, and compares with other packages.
 *
 * The other packages only read JSON. They get the text between the first and the last fence, as applications do it, and
 * their result is validated here, so that all are checked against the same fields and paths. A block counts if its calls
 * are exactly the intended ones. Any other call is wrong, which is worse than none.
 */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parse as bestEffort, setErrorLogger } from "best-effort-json-parser";
import { repairToolBlock, validateToolBlock } from "genui-patch";
import { jsonrepair } from "jsonrepair";
import { parse as partial } from "partial-json";
import { areMeant, calls, damaged } from "../tests/support/damaged.mjs";
import { DAMAGES } from "./lib/damages.mjs";

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

/** `good`: the intended calls, or a refusal if that is correct; `wrong`: any other call. */
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

// Whole files, each damaged in the ways in which models write a file into a string. json_repair is asked if python3 has it.
const PEER = `
import json, sys
try:
    from json_repair import loads
except ImportError:
    sys.exit(1)
out = []
for text in json.load(sys.stdin):
    try:
        call = loads(text)
        out.append(call.get("content") if isinstance(call, dict) else None)
    except Exception:
        out.append(None)
json.dump(out, sys.stdout)
`;

function contentsByPython(texts) {
  try {
    const input = JSON.stringify(texts);
    return JSON.parse(execFileSync("python3", ["-c", PEER], { input, encoding: "utf8", maxBuffer: 1 << 30 }));
  } catch {
    return undefined;
  }
}

function contentByJsonrepair(json) {
  try {
    return JSON.parse(jsonrepair(json))?.content;
  } catch {
    return undefined;
  }
}

const isJson = (text) => {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
};
const root = new URL("../", import.meta.url);
const DENSE = "tests/fixtures/files/";
const OWN = ["src", "tests", "scripts", "docs", "www", "benches"];

/** The texts of tracked files of these folders that a model could have written: no binary, no CRLF, 20 bytes to 24 KiB. */
function texts(folders) {
  const list = execFileSync("git", ["ls-files", "-z", "--", ...folders], { cwd: root, encoding: "utf8" });
  const names = list.split("\0").filter((name) => name !== "" && !name.startsWith("tests/fixtures/messages/"));
  const read = names.map((name) => readFileSync(new URL(name, root), "utf8"));
  return read.filter((text) => text.length >= 20 && text.length < 24 << 10 && !/[\r\0\ufffd]/.test(text));
}
const share = (results, texts) => {
  if (results === undefined) return "–";
  const right = results.filter((result, place) => result === texts[place]).length;
  const wrong = results.filter((result, place) => typeof result === "string" && result !== texts[place]).length;
  return `${Math.round((1000 * right) / texts.length) / 10} / ${Math.round((1000 * wrong) / texts.length) / 10}`;
};
report("files of this repository", texts(OWN));
report(`of them in ${DENSE}, with quotes and escapes in almost every line`, texts([DENSE]));

function report(what, files) {
  console.log(`\n${files.length} ${what}: right / wrong in percent\n`);
  console.log("| damage | files | genui-patch | jsonrepair | json_repair |\n|---|---|---|---|---|");
  for (const [name, write] of Object.entries(DAMAGES)) {
    const all = files.map((text) => ({ text, written: write(text) })).filter(({ written }) => written);
    const cases = all
      .map(({ text, written }) => ({ text, json: `{"tool": "write_file", "path": "a.txt", "content": ${written}}` }))
      .filter(({ json }) => !isJson(json));
    const meant = cases.map(({ text }) => text);
    const own = cases.map(({ json }) => repairToolBlock(`\`\`\`json\n${json}\n\`\`\``).report.call?.content);
    const peer = cases.map(({ json }) => contentByJsonrepair(json));
    // json_repair drops line breaks at the end of a text: that alone does not count.
    const isNearly = (result, text) => typeof result === "string" && result.trimEnd() === text.trimEnd();
    const read = contentsByPython(cases.map(({ json }) => json));
    const python = read?.map((result, place) => (isNearly(result, meant[place]) ? meant[place] : result));
    const cells = [own, peer, python].map((results) => share(results, meant));
    console.log(`| ${name} | ${cases.length} | ${cells.join(" | ")} |`);
  }
}
