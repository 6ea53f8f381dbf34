/** The build's change of wasm-bindgen's JavaScript, and its errors if that JavaScript looks different. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { bindFunction } from "../../scripts/lib/glue.mjs";

const generated = `export class Raw {
    length() { return wasm.raw_length(); }
}
export function length(raw) {
    return raw.length();
}
let wasm;
export function __wbg_set_wasm(exports) {
    wasm = exports;
}
`;

test("the exports become the properties of what bind() returns, with state of their own in each call", () => {
  const bind = new Function(bindFunction(generated).replace("export function bind", "return function bind"))();
  const [one, other] = [bind(), bind()];
  one.__wbg_set_wasm({ raw_length: () => 1 });
  other.__wbg_set_wasm({ raw_length: () => 2 });
  assert.deepEqual([one.length(new one.Raw()), other.length(new other.Raw())], [1, 2]);
});

for (const [change, text] of [
  ["a list of exports", `${generated}export { length as size };\n`],
  ["an exported constant", `${generated}export const size = 1;\n`],
  ["an import", `import { log } from "./log.js";\n${generated}`],
  ["no way to set the module's exports", generated.replaceAll("__wbg_set_wasm", "init")],
]) {
  test(`the build fails if wasm-bindgen writes ${change}`, () => {
    assert.throws(() => bindFunction(text), { message: /wasm-bindgen/ });
  });
}

for (const name of ["store", "blocks"]) {
  test(`the glue of ${name} has every export that its declarations name`, async () => {
    const { bind } = await import(`../../dist/generated/${name}.js`);
    const types = readFileSync(new URL(`../../src/js/generated/${name}.d.ts`, import.meta.url), "utf8");
    const declared = [...types.matchAll(/^export (?:class|function) (\w+)/gm)].map(([, name]) => name);
    assert.ok(declared.length > 5);
    const bound = bind();
    for (const name of declared) assert.equal(typeof bound[name], "function", name);
  });
}
