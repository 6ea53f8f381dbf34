/** The module of documents: patch calls, paths, the store. */
import { bind } from "../generated/store.js";
import { source } from "../generated/store.source.js";
import { WasmModule } from "./module.js";

export const storeModule = /* @__PURE__ */ new WasmModule("store", bind, source);
