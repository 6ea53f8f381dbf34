/**
 * `node snip.mjs <from> <to>`: takes out of a module what words a panic. Where there is no standard error nobody can read that,
 * and what happens is the same without: the module traps. Then what formats, if only panics did: the module's table still holds
 * it, which is no call.
 */
import { readFileSync, writeFileSync } from "node:fs";
import binaryen from "binaryen";

/** Functions of the standard library that never return or that only those call, by their names without hashes. */
const PANICS = [
  /^core::panicking::/,
  /^core::(option|result)::(unwrap|expect)_failed/,
  /^core::(str|slice)::.*_fail(ed)?(_rt|_inner)?$/,
  /^core::cell::panic_already_/,
  /^alloc::(raw_vec::(handle_error|capacity_overflow)|alloc::handle_alloc_error)/,
  /^std::(panicking|process)::/,
  /^std::thread::local::panic_access_error/,
  /^<std::panicking::/,
  // Nothing else is written as for a debugger.
  /^<.* as core::fmt::Debug>::fmt$/,
  /^<core::fmt::builders::/,
];

/** What formats. */
const FORMATS = [/^<?core::fmt::/, /^alloc::fmt::/, /^<.* as core::fmt::(Display|Write)>::/];

/** Paths of source files: what tells where a panic began. */
const PLACES = /(\/rustc\/[0-9a-f]{40}\/)?(library|src)\/[\w/]+\.rs/g;

const [from, to] = process.argv.slice(2);
const bytes = readFileSync(from);
for (const { 0: text, index } of bytes.toString("latin1").matchAll(PLACES)) bytes.fill(0, index, index + text.length);
const module = binaryen.readBinary(bytes);
snip(PANICS);
if (!calls().some(([caller, callee]) => is(FORMATS, callee) && !is(FORMATS, caller))) snip(FORMATS);
binaryen.setDebugInfo(true);
writeFileSync(to, module.emitBinary());

/** Whether a function is one of these, by its name as the module or its text has it. */
function is(patterns, name) {
  const plain = name.replaceAll(/\\([0-9a-f]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  const known = plain.replaceAll(/\[[0-9a-f]+\]|::h[0-9a-f]{16}$/g, "");
  return patterns.some((pattern) => pattern.test(known));
}

/** Makes functions trap at once. */
function snip(patterns) {
  for (let index = module.getNumFunctions() - 1; index >= 0; index--) {
    const { name, module: imported, params, results } = binaryen.getFunctionInfo(module.getFunctionByIndex(index));
    if (imported || !is(patterns, name)) continue;
    module.removeFunction(name);
    module.addFunction(name, params, results, [], module.unreachable());
  }
}

/** Who calls whom. */
function calls() {
  const found = [];
  let caller = "";
  for (const [, kind, quoted, plain] of module.emitText().matchAll(/\((func|call) \$(?:"([^"]*)"|([^\s()]+))/g)) {
    if (kind === "func") caller = quoted ?? plain;
    else found.push([caller, quoted ?? plain]);
  }
  return found;
}
