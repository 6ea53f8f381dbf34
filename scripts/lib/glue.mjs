/** The JavaScript that wasm-bindgen generates for a module, turned into a function. */
import { Failure } from "./run.mjs";

/**
 * As generated, the file keeps the module's state in its own variables and creates some of it on import. As a function it has
 * no effect on import, so that bundlers can drop it, and each instance of the module has its own state.
 */
export function bindFunction(glue) {
  const names = [...glue.matchAll(/^export (?:class|function) (\w+)/gm)].map(([, name]) => name);
  const body = glue.replaceAll(/^export (?=class |function )/gm, "");
  const unknown = /^(?:import|export)\b.*/m.exec(body);
  if (unknown) throw new Failure(`wasm-bindgen wrote "${unknown[0]}", which scripts/lib/glue.mjs does not handle`);
  if (!names.includes("__wbg_set_wasm")) throw new Failure("wasm-bindgen no longer exports __wbg_set_wasm");
  return `export function bind() {\n${body}\nreturn { ${names.join(", ")} };\n}\n`;
}
