/** The entry without the WebAssembly modules: a page loads the modules that it needs, before their first use. */
import { blocksModule } from "./core/blocks-module.js";
import type { WasmSource } from "./core/source.js";
import { storeModule } from "./core/store-module.js";

export * from "./api.js";
export type { WasmSource } from "./core/source.js";

/**
 * Loads the module that `PatchStore`, `FlowStore`, paths and patches need: from `source`, by default the package's own file.
 * Further calls wait for the first one; after a failure, a call tries again.
 *
 * ```ts
 * await initStore();
 * await initStore(fetch("/assets/store.wasm"));
 * ```
 */
export function initStore(source?: WasmSource | Promise<WasmSource>): Promise<void> {
  return storeModule.load(source);
}

/**
 * Loads the module that tool blocks, repair, the path policy and `Workspace` need: from `source`, by default the package's
 * own file. Further calls wait for the first one; after a failure, a call tries again.
 */
export function initBlocks(source?: WasmSource | Promise<WasmSource>): Promise<void> {
  return blocksModule.load(source);
}
