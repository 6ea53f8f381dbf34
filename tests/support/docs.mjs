/** The code in the documentation, to be run by tests. */
import { readFileSync } from "node:fs";

/** The fenced listings of a page, in order: `{ lang, code }`. */
export function listings(page) {
  const text = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), "utf8");
  return [...text.matchAll(/^(`{3,})(\w+)\n(.*?)^\1$/gms)].map(([, , lang, code]) => ({ lang, code }));
}

const AsyncFunction = (async () => {}).constructor;

/** Runs a listing, its imports left out, with these names in scope, and gives the value of an expression behind it. */
export function run(code, scope, result = "undefined") {
  const body = code.replace(/^import .*;$/gm, "");
  return new AsyncFunction(...Object.keys(scope), `${body}\nreturn ${result};`)(...Object.values(scope));
}
