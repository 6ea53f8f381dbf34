/** The module of tool blocks: streams, validation, repair, the path policy, edits of files. */
import { source } from "../generated/blocks.source.js";

// The packed module is imported before its glue, the generated functions that call it. In a bundle the store's glue then follows
// this glue directly, and gzip finds what the two have in common.

import { bind } from "../generated/blocks.js";
import { WasmModule } from "./module.js";

export const blocksModule = /* @__PURE__ */ new WasmModule("blocks", bind, source);
