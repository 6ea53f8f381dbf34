/** The code in the documentation, to be run by tests. */
import { readdirSync, readFileSync } from "node:fs";
import { transform } from "esbuild";

/** The fenced listings of a page, in order: `{ lang, code, line }`, where `line` is that of their first line. */
export function listings(page) {
  const text = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), "utf8");
  return [...text.matchAll(/^(`{3,})(\w+)\n(.*?)^\1$/gms)].map((found) => {
    const [, , lang, code] = found;
    return { lang, code, line: lineAt(text, found.index) + 1 };
  });
}

const lineAt = (text, place) => text.slice(0, place).split("\n").length;

/** The examples in the comments of src/js: `{ file, place, code, line }`; `place` counts from 1 in each file. */
export function examples() {
  const folder = new URL("../../src/js/", import.meta.url);
  const files = readdirSync(folder, { recursive: true }).filter((file) => /\.tsx?$/.test(file));
  return files.sort().flatMap((file) => {
    const text = readFileSync(new URL(file, folder), "utf8");
    const found = [...text.matchAll(/^([ \t]*)\* ```tsx?\n(.*?)^\1\* ```$/gms)];
    return found.map(({ 2: lines, index }, at) => {
      const code = lines.replace(/^[ \t]*\* ?/gm, "");
      return { file, place: at + 1, code, line: lineAt(text, index) + 1 };
    });
  });
}

/** A listing without its types and JSX, so that an engine can run it. */
export async function plain({ lang, code }) {
  const made = await transform(code, {
    loader: lang,
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  return made.code.replaceAll("React.", "");
}

const AsyncFunction = (async () => {}).constructor;

/** Runs a listing without its imports, with these names in scope, and returns the value of an expression after it. */
export function run(code, scope, result = "undefined") {
  const body = code.replace(/^import [^;]*;$/gm, "");
  return new AsyncFunction(...Object.keys(scope), `${body}\nreturn ${result};`)(...Object.values(scope));
}

/** Runs a listing as a module that imports these modules; returns its exports, and the local names that are asked for. */
export async function load({ lang, code }, modules, scope = {}, names = []) {
  const shown = names.length > 0 ? `\nexport { ${names.join(", ")} };\n` : "";
  const { code: script } = await transform(code + shown, { loader: lang, jsxFactory: "createElement", format: "cjs" });
  const module = { exports: {} };
  const all = { module, require: (name) => modules[name], ...scope };
  new Function(...Object.keys(all), script)(...Object.values(all));
  return module.exports;
}

/** The text around a value in a comment: the markers of its other lines, and words after it. Strings may contain semicolons. */
const around = /(?<=\n) *\/\/ +|(?<!^"[^"]*); [a-z].*$/g;

/**
 * Replaces lines that state their value by checks: a list, an object, a string, true, false or a whole number. A value
 * with `…` is abbreviated and not checked.
 */
export function checked(code) {
  let count = 0;
  const line = /^(?!const|import|\/\/|[\])}])(.+);(?: |\n)\/\/ (.+(?:\n *\/\/ +.+)*)$/gm;
  const text = code.replace(line, (whole, expression, value) => {
    if (/…/.test(value) || !/^([[{'"]|true$|false$|\d+$)/.test(value)) return whole;
    count += 1;
    return `same(${expression}, (${value.replace(around, "")}));`;
  });
  return { count, text };
}
