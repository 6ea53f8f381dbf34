/** The page's texts: each has a row in the Chinese table, which the compiler checks, and no text bypasses the table. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript5";

const www = fileURLToPath(new URL("../../www", import.meta.url));
const sources = readdirSync(join(www, "src"), { recursive: true })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => name.replaceAll("\\", "/"));
const parse = (name) =>
  ts.createSourceFile(name, readFileSync(join(www, "src", name), "utf8"), ts.ScriptTarget.Latest, true);
const isText = (node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

function walk(node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

const rows = new Map();
walk(parse("words/chinese.ts"), (node) => {
  if (ts.isPropertyAssignment(node)) rows.set(node.name.text, node.initializer.text);
});

test("a row's Chinese text has the placeholders of its English text", () => {
  assert.ok(rows.size > 300);
  const holes = (text) => [...text.matchAll(/\{\w+\}/g)].map(([hole]) => hole).sort();
  for (const [english, chinese] of rows) {
    assert.match(chinese, /\p{Script=Han}|^，/u, english);
    assert.deepEqual(holes(chinese), holes(english), english);
  }
});

test("each row is used", () => {
  const used = new Set();
  for (const name of sources.filter((name) => name !== "words/chinese.ts")) {
    walk(parse(name), (node) => {
      if (ts.isStringLiteralLike(node)) used.add(node.text);
      // The library's kinds and states are rows too, named in its types and not on the page.
      if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name)) used.add(node.name.text);
    });
  }
  const library = ["error", "warning", "set", "insert", "remove", "move", "created", "updated", "deleted"];
  assert.deepEqual(
    [...rows.keys()].filter((english) => !used.has(english) && !library.includes(english)),
    [],
  );
});

/** Attributes that users read or screen readers announce, in HTML and in components of the page. */
const spoken =
  /^(aria-(label|valuetext|description|roledescription|placeholder)|label|title|placeholder|alt|text|summary)$/;
/** Names that are the same in every language. */
const names = /\b(genui-patch|Ctrl|Enter|JSON( Lines)?|Authorization: Bearer|[JKAR])\b/g;
/** Examples of input. */
const example = /^(https?:|\{")/;

test("all texts and labels of elements come from the table", () => {
  const found = [];
  for (const name of sources.filter((name) => name.endsWith(".tsx"))) {
    const source = parse(name);
    const take = (node, text) => {
      if (/\p{L}{2}/u.test(text.replace(names, "")) && !example.test(text))
        found.push(`${name}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${text.trim()}`);
    };
    const isCompared = (node) => ts.isBinaryExpression(node) && /^[!=]==$/.test(node.operatorToken.getText());
    /** The texts that an expression may evaluate to, without the arguments of calls in it. */
    const takeAll = (node) => {
      if (isText(node)) {
        const fixed = ts.isTemplateExpression(node)
          ? [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join(" ")
          : node.text;
        take(node, fixed);
        if (ts.isTemplateExpression(node)) for (const span of node.templateSpans) takeAll(span.expression);
      } else if (isCompared(node)) return;
      else if (ts.isConditionalExpression(node)) [node.whenTrue, node.whenFalse].forEach(takeAll);
      else if (ts.isBinaryExpression(node)) [node.left, node.right].forEach(takeAll);
      else if (ts.isParenthesizedExpression(node)) takeAll(node.expression);
      else if (ts.isArrayLiteralExpression(node)) node.elements.forEach(takeAll);
    };
    walk(source, (node) => {
      if (ts.isJsxText(node)) take(node, node.text);
      if (ts.isJsxAttribute(node) && spoken.test(node.name.getText()) && node.initializer) {
        if (ts.isStringLiteral(node.initializer)) take(node, node.initializer.text);
        else if (node.initializer.expression) takeAll(node.initializer.expression);
      }
      if (
        ts.isJsxExpression(node) &&
        !ts.isJsxAttribute(node.parent) &&
        node.expression &&
        !isCompared(node.expression)
      )
        takeAll(node.expression);
      // Values that become texts of an element: `const title = …`, `label: …`.
      if (ts.isPropertyAssignment(node) && spoken.test(node.name.getText()) && !isPlain(source, node))
        takeAll(node.initializer);
      if (ts.isVariableDeclaration(node) && node.initializer && spoken.test(node.name.getText()))
        takeAll(node.initializer);
    });
  }
  assert.deepEqual(found, []);
});

/** A label in a table of labels: a row by its type, translated by `t` where it is shown. */
function isPlain(source, node) {
  return rows.has(node.initializer.text) && /\bt\((label|title)\)/.test(source.text);
}

test("a sentence without a row, or with other placeholders, does not compile", () => {
  const name = join(www, "src", "never-written.ts");
  const lines = {
    't("Files")': true,
    't("every {number} s", { number: 3 })': true,
    't("A sentence that nobody has translated")': false,
    't("A sentence that nobody has translated", {})': false,
    't("every {number} s")': false,
    't("every {number} s", { count: 3 })': false,
    't("Files", { number: 3 })': false,
  };
  const text = `import { t } from "./words/words";\n${Object.keys(lines).join(";\n")};\n`;
  const { config } = ts.readConfigFile(join(www, "../tsconfig.base.json"), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(
    { ...config.compilerOptions, module: "ESNext", moduleResolution: "Bundler", lib: ["ES2022", "DOM"], noEmit: true },
    www,
  );
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (path) => (path === name ? text : readFile(path));
  host.fileExists = (path) => path === name || fileExists(path);
  host.getSourceFile = (path, target, ...rest) =>
    path === name ? ts.createSourceFile(path, text, target) : getSourceFile(path, target, ...rest);
  const program = ts.createProgram([name], { ...options, skipLibCheck: true, types: [] }, host);
  const source = program.getSourceFile(name);
  const faults = program
    .getSemanticDiagnostics(source)
    .map(({ start }) => source.getLineAndCharacterOfPosition(start).line - 1);
  Object.entries(lines).forEach(([line, compiles], at) => {
    assert.equal(!faults.includes(at), compiles, line);
  });
});
