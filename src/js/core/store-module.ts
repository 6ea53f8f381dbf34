/** The module of documents: patch calls, paths, the store. */
import { bind } from "../generated/store.js";
import { source } from "../generated/store.source.js";
import { NamedModule } from "./module.js";

export const storeModule = /* @__PURE__ */ new NamedModule("store", bind, source);
