/** The rows of fixtures/damaged with their long texts expanded. The format of a row: tests/support/damaged_table.rs. */
import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("../fixtures/damaged/", import.meta.url);

/** `{table, name, kinds, message, want}`: the message and its intended calls; none if it must be refused. */
export function damaged() {
  return readdirSync(folder)
    .sort()
    .flatMap((file) => JSON.parse(readFileSync(new URL(file, folder), "utf8")).map((row) => written(file, row)));
}

function written(file, { name, kinds, text, raw, fill, want }) {
  const long = (key) => (fill ? fill[key].repeat(fill.times) : "");
  const message = (raw ?? `\`\`\`json\n${text}\n\`\`\``).replaceAll("{{fill}}", () => long("text"));
  const calls = want === null ? [] : [want].flat();
  const whole = (call) => (call.content === "{{fill}}" ? { ...call, content: long("want") } : call);
  return { table: file.replace(".json", ""), name, kinds, message, want: calls.map(whole) };
}

/** The calls of a report or an event. */
export const calls = ({ call, calls }) => (call ? [call] : (calls ?? []));

/** Whether the calls are the intended calls of a row. */
export function areMeant(calls, want) {
  const same = (call, meant) =>
    call.tool === meant.tool &&
    call.path === meant.path &&
    call.content === meant.content &&
    JSON.stringify(call.search_replace) === JSON.stringify(meant.search_replace) &&
    Object.entries(meant.args ?? {}).every(([key, value]) => JSON.stringify(call.args[key]) === JSON.stringify(value));
  return calls.length === want.length && calls.every((call, place) => same(call, want[place]));
}
