/**
 * `node strip-panics.mjs <from> <to>`: removes the code that formats panic messages from a WebAssembly module, which has no
 * standard error to print them to. A panic traps, as before.
 */
import { readFileSync, writeFileSync } from "node:fs";
import binaryen from "binaryen";

/** Functions of the standard library that only panics reach. Symbol names are matched without their hashes. */
const PANICS = [
  /^core::panicking::/,
  /^core::(option|result)::(unwrap|expect)_failed/,
  /^core::(str|slice)::.*_fail(ed)?(_rt|_inner)?$/,
  /^core::cell::panic_already_/,
  /^alloc::(raw_vec::(handle_error|capacity_overflow)|alloc::handle_alloc_error)/,
  /^std::(panicking|process)::/,
  /^std::thread::local::panic_access_error/,
  /^<std::panicking::/,
  // The crate formats nothing with Debug.
  /^<.* as core::fmt::Debug>::fmt$/,
  /^<core::fmt::builders::/,
];

/** The standard library's formatting, which is unused once no panic formats a message, unless the crate calls it. */
const FORMATTING = [/^<?core::fmt::/, /^alloc::fmt::/, /^<.* as core::fmt::(Display|Write)>::/];

/** Paths of source files, which panic messages name. */
const SOURCE_PATHS = /(\/rustc\/[0-9a-f]{40}\/)?(library|src)\/[\w/]+\.rs/g;

/** What panics say in the standard library, as far as the modules have it. */
const MESSAGES = [
  /assertion failed: [\w.]+\(\w+\)/g,
  /Tried to shrink to a larger capacity/g,
  /Once instance has previously been poisoned/g,
  /one-time initialization may not be performed recursively/g,
  /called `(?:Option|Result)::unwrap\(\)` on an? `\w+` value/g,
  /cannot access a Thread Local Storage value during or after destruction: /g,
];

const [from, to] = process.argv.slice(2);
const bytes = readFileSync(from);
for (const pattern of [SOURCE_PATHS, ...MESSAGES]) {
  for (const { 0: text, index } of bytes.toString("latin1").matchAll(pattern))
    bytes.fill(0, index, index + text.length);
}
const module = binaryen.readBinary(bytes);
replaceByTraps(PANICS);
// The function table still refers to the formatting functions. Only a direct call counts as a use.
const isFormattingUsed = calls().some(
  ({ caller, callee }) => matches(FORMATTING, callee) && !matches(FORMATTING, caller),
);
if (!isFormattingUsed) replaceByTraps(FORMATTING);
binaryen.setDebugInfo(true);
writeFileSync(to, module.emitBinary());

/** Whether a symbol, which the text format escapes as `\5b`, matches one of the patterns. */
function matches(patterns, symbol) {
  const unescaped = symbol.replaceAll(/\\([0-9a-f]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  const name = unescaped.replaceAll(/\[[0-9a-f]+\]|::h[0-9a-f]{16}$/g, "");
  return patterns.some((pattern) => pattern.test(name));
}

function replaceByTraps(patterns) {
  for (let index = module.getNumFunctions() - 1; index >= 0; index--) {
    const { name, module: imported, params, results } = binaryen.getFunctionInfo(module.getFunctionByIndex(index));
    if (imported || !matches(patterns, name)) continue;
    module.removeFunction(name);
    module.addFunction(name, params, results, [], module.unreachable());
  }
}

/** All direct calls in the module. binaryen's API does not list them, so they are read from the text format. */
function calls() {
  const found = [];
  let caller = "";
  for (const [, kind, quoted, plain] of module.emitText().matchAll(/\((func|call) \$(?:"([^"]*)"|([^\s()]+))/g)) {
    if (kind === "func") caller = quoted ?? plain;
    else found.push({ caller, callee: quoted ?? plain });
  }
  return found;
}
