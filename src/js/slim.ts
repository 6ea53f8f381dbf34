/** The entry without the modules: a page loads those that it uses, before their first use. */
import { blocksModule } from "./core/blocks-module.js";
import type { WasmSource } from "./core/source.js";
import { storeModule } from "./core/store-module.js";

export * from "./api.js";
export type { WasmSource } from "./core/source.js";

/**
 * Loads the module that `PatchStore`, `FlowStore`, paths and patches need: from the source given, or from beside the package.
 * Further calls wait for the first; one that failed may be tried again.
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
 * Loads the module that tool blocks, repair, the path policy and `Workspace` need: from the source given, or from beside the
 * package. Further calls wait for the first; one that failed may be tried again.
 */
export function initBlocks(source?: WasmSource | Promise<WasmSource>): Promise<void> {
  return blocksModule.load(source);
}
