// A2UI 1.0: the table of rows, each read whole and in pieces.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { SurfaceStream } from "genui-patch";
import { codes, diagnostics, lines, nodesOf, seen, sketch } from "../support/surface.mjs";

const rows = JSON.parse(readFileSync(new URL("../fixtures/surface/a2ui-1.0.json", import.meta.url), "utf8"));

function run(text, size, options) {
  const surfaces = new SurfaceStream({ locale: "en-US", timeZone: "UTC", ...options });
  const events = [];
  for (let at = 0; at < text.length; at += size) events.push(...surfaces.push(text.slice(at, at + size)));
  events.push(...surfaces.end());
  return { surfaces, events };
}

/** The result of a stream for each key that a row may have. */
const found = {
  tree: ({ surfaces }) => sketch(surfaces.tree("s")),
  data: ({ surfaces }) => surfaces.dataModel("s"),
  info: ({ surfaces }) => surfaces.info("s"),
  ids: ({ surfaces }) => surfaces.ids(),
  states: ({ surfaces }) => Object.fromEntries([...nodesOf(surfaces.tree("s"))].map(({ id, state }) => [id, state])),
  codes: ({ events }) => codes(events),
  severities: ({ events }) => diagnostics(events).map(({ severity }) => severity),
  calls: ({ events }) => events.filter(({ type }) => type === "call"),
  events: ({ events }) => events.map(({ type }) => type).filter((type) => type !== "diagnostic"),
};

for (const { name, messages, action, ...expected } of rows) {
  test(name, () => {
    const text = lines(messages);
    const whole = run(text, text.length);
    for (const [key, value] of Object.entries(expected)) assert.deepEqual(found[key](whole), value, key);
    if (action) {
      const event = whole.surfaces.action("s", action[0]);
      delete event.action?.timestamp;
      assert.deepEqual(event, action[1]);
    }
    for (const size of [1, 7, 64]) {
      const pieces = run(text, size);
      assert.deepEqual(pieces.events, whole.events, `${size} at a time`);
      assert.deepEqual(seen(pieces.surfaces), seen(whole.surfaces), `${size} at a time`);
    }
    // Early components change only when a tree is shown, not what is shown at the end.
    assert.deepEqual(seen(run(text, 3, { partial: true }).surfaces), seen(whole.surfaces), "early components");
    const events = [
      "data:",
      ...lines(messages)
        .trimEnd()
        .split("\n")
        .map((line) => `data: ${line}\n`),
    ].join("\n");
    assert.deepEqual(seen(run(events, 5).surfaces), seen(whole.surfaces), "server-sent events");
  });
}
