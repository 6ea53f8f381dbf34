/** The module of tool blocks: streams, validation, repair, the path policy, edits of files. */
import { source } from "../generated/blocks.source.js";

// What is packed comes first: the other module's glue follows in a bundle, and much of the two is the same.

import { bind } from "../generated/blocks.js";
import { WasmModule } from "./module.js";

export const blocksModule = /* @__PURE__ */ new WasmModule("blocks", bind, source);
