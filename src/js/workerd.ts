/** The default entry where WebAssembly may not be compiled at run time and a `.wasm` file is imported as a module. */
import { connect } from "./bridge.js";
import module from "./core.wasm";
import { initSync } from "./generated/glue.js";

connect(initSync({ module }));

export * from "./api.js";
