/** The module of tool blocks: streams, validation, repair, the path policy, edits of files. */
import { bind } from "../generated/blocks.js";
import { source } from "../generated/blocks.source.js";
import { WasmModule } from "./module.js";

export const blocksModule = /* @__PURE__ */ new WasmModule("blocks", bind, source);
