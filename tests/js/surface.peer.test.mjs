// The examples of A2UI's own client: they cause no diagnostic, and every value equals the one that the client resolves.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Catalog, DataContext, MessageProcessor } from "@a2ui/web_core/v0_9";
import { BASIC_FUNCTIONS } from "@a2ui/web_core/v0_9/basic_catalog";
import { SurfaceStream } from "genui-patch";
import { random } from "../support/random.mjs";
import { diagnostics, nodesOf } from "../support/surface.mjs";

// The client reads a date without a time as UTC, and formats it in the platform's time zone; numbers in its locale.
process.env.TZ = "UTC";
const skip = !new Intl.NumberFormat().resolvedOptions().locale.startsWith("en") && "the platform is not in English";

const catalogs = new URL("../../node_modules/@a2ui/web_core/src/v0_9/schemas/catalogs/", import.meta.url);
const read = (path) => readFileSync(new URL(path, catalogs), "utf8");
const examples = (catalog) =>
  readdirSync(new URL(`${catalog}/examples/`, catalogs)).map((name) => `${catalog}/examples/${name}`);

/** Functions that the examples use and that the basic catalog lacks, or has only if the page adds them. */
const unknown = {
  "minimal/examples/6_capitalized_text.json": ["capitalize"],
  "basic/examples/32_advanced-form-validator.json": ["regex", "regex"],
};

function stream(text, options = {}, size = text.length) {
  const surfaces = new SurfaceStream({ locale: "en-US", timeZone: "UTC", ...options });
  const events = [];
  for (let at = 0; at < text.length; at += size) events.push(...surfaces.push(text.slice(at, at + size)));
  events.push(...surfaces.end());
  return { surfaces, events };
}

for (const name of ["minimal", "basic"]) {
  test(`${name}: no diagnostic, by the catalog or without, and the same tree however it is cut`, () => {
    const catalog = JSON.parse(read(`${name}/catalog.json`));
    const { below } = random(1);
    for (const path of examples(name)) {
      const text = read(path);
      const whole = stream(text);
      const [id] = whole.surfaces.ids();
      const missing = (unknown[path] ?? []).map((name) => `There is no function "${name}".`);
      for (const { surfaces, events } of [whole, stream(text, { catalog }), stream(text, {}, 1 + below(50))]) {
        assert.deepEqual(
          diagnostics(events).map(({ message }) => message),
          missing,
          path,
        );
        assert.deepEqual(surfaces.tree(id), whole.surfaces.tree(id), path);
      }
      for (const { state } of nodesOf(whole.surfaces.tree(id))) assert.equal(state, "ready", path);
    }
  });

  test(`${name}: data and values are those of A2UI's client`, { skip }, () => {
    for (const path of examples(name)) {
      const text = read(path);
      const { surfaces } = stream(text);
      const { messages } = JSON.parse(text);
      const [{ createSurface }] = messages;
      const peer = new MessageProcessor([new Catalog(createSurface.catalogId, [], BASIC_FUNCTIONS)]);
      peer.processMessages(messages);
      const surface = peer.model.getSurface(createSurface.surfaceId);
      assert.deepEqual(surfaces.dataModel(createSurface.surfaceId), surface.dataModel.get("/"), path);
      for (const { id, componentId, dataPath, props } of nodesOf(surfaces.tree(createSurface.surfaceId))) {
        const context = new DataContext(surface, dataPath === "" ? "/" : dataPath);
        const { properties } = surface.componentsModel.get(componentId);
        for (const [prop, value] of Object.entries(props)) {
          // Actions and checks are resolved on demand; the children of tabs are nodes.
          if (["action", "checks", "tabs"].includes(prop)) continue;
          const theirs = context.resolveDynamicValue(properties[prop]);
          assert.deepEqual(value, theirs ?? null, `${path}: ${id}.${prop}`);
        }
      }
    }
  });
}
