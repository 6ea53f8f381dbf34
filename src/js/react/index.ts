/**
 * Hooks for React 18 and later. They import types alone from the rest of the package, so they go with the default entry
 * and with `genui-patch/slim`.
 */

export type { ToolBlockPart, ToolBlocksState } from "./tool-blocks.js";
export { useAgent } from "./use-agent.js";
export { useInstance } from "./use-instance.js";
export { usePending } from "./use-pending.js";
export { useProposal, useProposals } from "./use-proposals.js";
export { useSurface } from "./use-surface.js";
export { useToolBlocks } from "./use-tool-blocks.js";
