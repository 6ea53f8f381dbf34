// Example streams of other projects, if SURFACE_EXAMPLES names a folder with them: no unexpected diagnostic, and the
// reviewed tree, given as its component types and their counts.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SurfaceStream } from "genui-patch";
import { random } from "../support/random.mjs";
import { codes, nodesOf } from "../support/surface.mjs";

const folder = process.env.SURFACE_EXAMPLES ?? "";
const expected = JSON.parse(readFileSync(new URL("../fixtures/surface/examples.json", import.meta.url), "utf8"));

function files(under = "") {
  return readdirSync(join(folder, under), { withFileTypes: true }).flatMap((entry) => {
    const path = join(under, entry.name);
    if (entry.isDirectory()) return entry.name === "schema" ? [] : files(path);
    return /\.jsonl?$/.test(entry.name) && !entry.name.includes("schema") ? [path] : [];
  });
}

function read(text, size = text.length) {
  const surfaces = new SurfaceStream({ locale: "en-US", timeZone: "UTC" });
  const events = [];
  for (let at = 0; at < text.length; at += size) events.push(...surfaces.push(text.slice(at, at + size)));
  events.push(...surfaces.end());
  return { surfaces, events };
}

function summary(surfaces) {
  const counts = {};
  for (const id of surfaces.ids()) {
    for (const { type, state } of nodesOf(surfaces.tree(id))) {
      const name = state === "ready" ? type : `${type} ${state}`;
      counts[name] = (counts[name] ?? 0) + 1;
    }
  }
  return Object.entries(counts)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

test("the examples", { skip: existsSync(folder) ? false : "SURFACE_EXAMPLES names no folder" }, () => {
  for (const file of files()) {
    const text = readFileSync(join(folder, file), "utf8");
    const { surfaces, events } = read(text);
    const { warnings = [], tree } = expected[file] ?? {};
    assert.deepEqual([...new Set(codes(events))], warnings, file);
    assert.equal(summary(surfaces), tree, file);
    const [id] = surfaces.ids();
    const { below } = random(1);
    assert.deepEqual(read(text, 1 + below(50)).surfaces.tree(id), surfaces.tree(id), file);
  }
});
