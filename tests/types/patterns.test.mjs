/** The package's regular expressions take a number of steps linear in the text, as counted by our own matcher. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript5";
import { stepsOf, worstOf } from "../support/pattern.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** All regular expression literals of the sources, and the places that build patterns from text. */
function patternsIn(folder) {
  const literals = new Map();
  const made = [];
  const names = readdirSync(join(root, folder), { recursive: true }).filter((name) => /\.(?:ts|tsx|mjs)$/.test(name));
  for (const name of names.filter((name) => !/(?:^|\/)(?:generated|node_modules|dist)\//.test(name))) {
    const source = ts.createSourceFile(
      name,
      readFileSync(join(root, folder, name), "utf8"),
      ts.ScriptTarget.Latest,
      true,
    );
    const walk = (node) => {
      if (ts.isRegularExpressionLiteral(node)) {
        const [, written, flags] = /^\/(.*)\/([a-z]*)$/s.exec(node.text);
        literals.set(node.text, [name, new RegExp(written, flags)]);
      }
      if (ts.isNewExpression(node) && node.expression.getText() === "RegExp") made.push(`${name}: ${node.getText()}`);
      ts.forEachChild(node, walk);
    };
    walk(source);
  }
  return { literals, made };
}

test("the matcher finds patterns with quadratic or worse growth, and no others", () => {
  const quadratic = [
    /\d+\.?\d*(?=\s*[,)}])/y,
    /^\s+|[\s.]+$/g,
    /\s*$/,
    /a+b/,
    /x*x*y/y,
    /^(?:a|b|ab)*c/,
    /<.*>/g,
    /^\w+\d+!/,
  ];
  const exponential = [/^(a+)+$/, /^(?:\w|_)*!/];
  for (const pattern of [...quadratic, ...exponential]) assert.notEqual(worstOf(pattern), undefined, `${pattern}`);
  const linear = [
    /[ab]+/g,
    /^a*b*c$/,
    /"[^"]*"/y,
    /\s/,
    /^\d+(?:\.\d+)?$/,
    /-?\d+(?:\.\d*)?/y,
    /([a-z])\1*/g,
    /(?<!a)b/,
    /^a{1,3}$/m,
  ];
  for (const pattern of linear) assert.equal(worstOf(pattern), undefined, `${pattern}`);
  assert.ok(stepsOf(/a+b/, "a".repeat(200)) > 200 ** 2 / 2);
});

test("the package's patterns take linear time", () => {
  const { literals, made } = patternsIn("src/js");
  assert.ok(literals.size > 50, `${literals.size} patterns`);
  for (const [, [name, pattern]] of literals) assert.equal(worstOf(pattern), undefined, `${name}: ${pattern}`);
  // Computed patterns: those of a catalog and of own tools are the host's and see 10,000 characters at most; the others have no nested repetition.
  assert.deepEqual(made, [
    'core/host-checks.ts: new RegExp(pattern, "u")',
    "core/host-checks.ts: new RegExp(pattern)",
    'core/surrogates.ts: new RegExp(LONE_SURROGATE, "g")',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of the package, as text.
    'files/edit.ts: new RegExp(`(${BLANK}+)|([!-~]+(?!${MARK}))|[^]${MARK}+|[^]`, "gu")',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of the package, as text.
    "files/edit.ts: new RegExp(`${BLANK}$`)",
    'agent/own/schema-check.ts: new RegExp(pattern, "u")',
    "agent/own/schema-check.ts: new RegExp(pattern)",
  ]);
});
