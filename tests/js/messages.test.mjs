// Scores the reader of tool blocks, through the package, on tests/fixtures/messages: what tests/messages.rs does natively.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ToolBlockStream } from "genui-patch";
import { joined } from "../support/events.mjs";

const folder = new URL("../fixtures/messages/", import.meta.url);

/** UTF-16 units per piece, which may separate a surrogate pair; `0` for the message whole. */
const CUTS = [0, 1, 2, 3, 7, 64];

/** Options that decide which calls are meant. A package that refuses one of them runs without them. */
const READING_OPTIONS = ["formats", "reasoning", "unfenced"];

/** Options of the fixtures that say how a message is to be run or judged. */
const OWN_OPTIONS = ["complete", "crlf", "misread", "prose"];

const tool = (name, properties, ...required) => ({
  name,
  description: "",
  schema: { type: "object", properties, required },
});
const text = { type: "string" };
const tools = [
  tool("run_command", { command: text, cwd: text }, "command"),
  tool("search_files", { query: text, max_results: { type: "integer" } }, "query"),
  tool("get_weather", { city: text, unit: { type: "string", enum: ["celsius", "fahrenheit"] } }, "city"),
  tool("send_message", { to: text, body: text, urgent: { type: "boolean" } }, "to", "body"),
  tool("patch_ui_state", { instance_name: text, patches: { type: "array" } }, "instance_name", "patches"),
];

function parseFile(kind, file) {
  const parts = `\n${file}`.split("\n=== ").slice(1);
  return parts.map((part) => parseMessage(kind, part));
}

function parseMessage(kind, part) {
  const [head, calls, ...more] = part.split("\n--- calls\n");
  assert.ok(calls && more.length === 0, `${kind}: one message with its calls is expected: ${part}`);
  const [name, ...lines] = head.split("\n");
  const options = lines[0]?.startsWith("options: ") ? JSON.parse(lines.shift().slice("options: ".length)) : {};
  const text = lines.join(options.crlf ? "\r\n" : "\n");
  return { kind, name, options, text, calls: JSON.parse(calls).map(joinLines) };
}

/** A text of a file tool may be written as the list of its lines. */
function joinLines(call) {
  const join = (lines) => (Array.isArray(lines) ? lines.join("\n") : lines);
  if ("content" in call) call.content = join(call.content);
  const edit = call.search_replace;
  if (edit) call.search_replace = { old_string: join(edit.old_string), new_string: join(edit.new_string) };
  return call;
}

const pick = (object, keys) =>
  Object.fromEntries(keys.filter((key) => object[key] !== undefined).map((key) => [key, object[key]]));

/** A call of an event in the form of the fixtures, without arguments that the tool does not declare. */
function shown(call) {
  const custom = tools.find(({ name }) => name === call.tool);
  if (custom) return { tool: call.tool, args: pick(call.args, Object.keys(custom.schema.properties)) };
  const own = pick(call, ["tool", "path", "content", "search_replace"]);
  if (own.search_replace) own.search_replace = pick(own.search_replace, ["old_string", "new_string"]);
  return own;
}

function isEqual(one, other) {
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object") return one === other;
  const keys = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isEqual(one[key], other[key]))
  );
}

function open(options) {
  const all = { ...options, tools, contentDeltas: true };
  for (const key of OWN_OPTIONS) delete all[key];
  try {
    return new ToolBlockStream(all);
  } catch (error) {
    assert.equal(error.code, "INVALID_ARGUMENT");
    for (const key of READING_OPTIONS) delete all[key];
    return new ToolBlockStream(all);
  }
}

/** The events of a message that arrives in pieces of `cut` units, texts and deltas joined. */
function run({ text, options }, cut) {
  const stream = open(options);
  const events = [];
  const size = cut || text.length;
  for (let place = 0; place < text.length; place += size) events.push(...stream.push(text.slice(place, place + size)));
  events.push(...stream.end({ complete: options.complete ?? false }));
  stream.dispose();
  return joined(joinReasoning(events));
}

function joinReasoning(events) {
  const all = [];
  for (const event of events) {
    const last = all.at(-1);
    if (event.type === "reasoning" && last?.type === "reasoning") last.text += event.text;
    else all.push({ ...event });
  }
  return all;
}

const callsOf = ({ call, calls }) => calls ?? (call ? [call] : []);

function score(message) {
  const whole = run(message, 0);
  const missing = [...message.calls];
  let others = 0;
  for (const call of whole.flatMap(callsOf)) {
    const place = missing.findIndex((own) => isEqual(own, shown(call)));
    if (place < 0) others += 1;
    else missing.splice(place, 1);
  }
  const reportsBlock = whole.some((event) => event.type === "json-tool-block" && callsOf(event).length === 0);
  const isMeant = message.calls.length > 0;
  return {
    meant: message.calls.length,
    right: message.calls.length - missing.length,
    wrong: isMeant ? others : 0,
    noneMeant: isMeant ? 0 : 1,
    unmeant: !isMeant && others > 0 ? 1 : 0,
    silent: missing.length > others && !reportsBlock ? 1 : 0,
    dependsOnSplit: CUTS.every((cut) => isEqual(run(message, cut), whole)) ? 0 : 1,
  };
}

const messages = readdirSync(folder)
  .filter((name) => name.endsWith(".txt"))
  .sort()
  .flatMap((name) => parseFile(name.slice(0, -4), readFileSync(new URL(name, folder), "utf8")));

test("messages of models", (t = {}) => {
  const total = {};
  const unexpected = [];
  for (const message of messages) {
    const own = score(message);
    for (const [key, count] of Object.entries(own)) total[key] = (total[key] ?? 0) + count;
    const name = `${message.kind}/${message.name}`;
    const isMisread = own.right < own.meant || own.wrong + own.unmeant + own.silent + own.dependsOnSplit > 0;
    if (isMisread) t.diagnostic?.(`${name}: ${JSON.stringify(own)}`);
    if (isMisread !== (message.options.misread ?? false)) unexpected.push(`${name}: ${JSON.stringify(own)}`);
  }
  t.diagnostic?.(`${messages.length} messages: ${JSON.stringify(total)}`);
  assert.deepEqual(
    unexpected,
    [],
    "`misread` in the options of a message must say whether it is read otherwise than meant",
  );
  assert.ok(messages.length - total.noneMeant >= 220 && total.noneMeant >= 60, "messages are missing");
  const recall = (100 * total.right) / total.meant;
  assert.ok(recall >= 92, `${recall.toFixed(1)} % of the calls that are meant were made`);
  assert.ok(total.wrong <= 1, `${total.wrong} calls were made wrongly`);
  assert.ok(total.unmeant <= 5, `${total.unmeant} messages mean no call`);
  assert.equal(total.silent, 0, "messages of which a call was lost without an event");
  assert.equal(total.dependsOnSplit, 0, "messages of which the events depend on the split");
});
