/** The entry without the module: the page fetches `genui-patch/core.wasm` itself and calls `init` with it. */
import { connect } from "./bridge.js";
import load from "./generated/glue.js";

/** Where the module comes from: its address, a response, its bytes, or the compiled module. */
export type WasmSource = string | URL | Request | Response | BufferSource | WebAssembly.Module;

let loading: Promise<void> | undefined;

/** Loads the module. To be awaited before anything else; further calls wait for the first. */
export function init(source: WasmSource | Promise<WasmSource>): Promise<void> {
  loading ??= load({ module_or_path: source }).then(connect, (cause: unknown) => {
    loading = undefined;
    throw cause;
  });
  return loading;
}

export * from "./api.js";
