/** Casts (`x as T`): each one is a place where the compiler cannot find a mistake. Write a type guard or a typed parser instead. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript5";

/** The casts in `src/js`. Only ever lower it. */
const MOST = 115;

const source = fileURLToPath(new URL("../../src/js", import.meta.url));

/** The casts of a text, as `line: expression`. `as const` is not counted. */
function castsIn(name, text) {
  const kind = name.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, kind);
  const found = [];
  const walk = (node) => {
    const isCast = ts.isAsExpression(node) || ts.isTypeAssertionExpression(node) || ts.isNonNullExpression(node);
    if (isCast && !ts.isConstTypeReference(node.type ?? node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${name}:${line + 1}: ${node.getText().replace(/\s+/g, " ").slice(0, 80)}`);
    }
    ts.forEachChild(node, walk);
  };
  walk(file);
  return found;
}

test("casts are found, and nothing else", () => {
  const text =
    "const a = b as C; const d = e as unknown as F; const g = h!; const i = ['j'] as const; import { k as l } from 'm';";
  assert.equal(castsIn("a.ts", text).length, 4);
});

test("the sources have few casts", () => {
  const names = readdirSync(source, { recursive: true }).filter(
    (name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts"),
  );
  const casts = names.flatMap((name) => castsIn(name, readFileSync(join(source, name), "utf8")));
  assert.ok(casts.length <= MOST, `${casts.length} casts:\n${casts.join("\n")}`);
});
