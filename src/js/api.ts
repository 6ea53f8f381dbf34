/** The exports of the package, however its modules are loaded. */

// biome-ignore-all assist/source/organizeImports: gzip finds repetitions within 32 KB, so the order of files counts.

// The files that import the two modules come first, so that in a bundle the modules do not separate files that are alike.

export * from "./blocks/policy.js";
export { formatPath, parsePath } from "./core/path.js";

// The other files, each next to the file that is most like it.

export { limits, version } from "./generated/facts.js";
export { applyHunks, type TextDiffOptions, textDiff } from "./diff/text.js";
export { type SafeUrl, safeUrl, type UrlPolicy } from "./core/url.js";
export { NativeCallStream, type NativeCallStreamOptions, type NativeFormat } from "./blocks/native/index.js";
export { parseToolCalls, ToolBlockStream, ToolCallStream, validateToolBlock } from "./blocks/stream.js";
export { GenuiPatchError } from "./core/errors.js";
export { preload } from "./core/module.js";
export { type JsonDiffOptions, jsonDiff } from "./diff/json.js";
export { correctToolBlock } from "./blocks/correction/correct.js";
export { correctionPrompt } from "./blocks/correction/prompt.js";
export { toolBlockTransform } from "./blocks/correction/transform.js";
export { parsePartialJson, repairJson, repairToolBlock } from "./blocks/repair.js";
export { agentTools } from "./agent/index.js";
export { agentTool } from "./agent/own/define.js";
export { connectMcpApp, type McpApp, type McpAppHost, type McpAppOptions } from "./agent/mcp-app.js";
export { runAgent } from "./agent/run/index.js";
export { registerWebTools, type WebTools } from "./agent/web-tools.js";
export {
  type ChangeDescription,
  type ChangeWords,
  chineseChangeWords,
  describeChanges,
  describeProposal,
  englishChangeWords,
  type ProposalPart,
} from "./document/describe.js";
export { type RevealedPiece, revealHidden } from "./approval/reveal.js";
export { type ApprovalState, approvalState } from "./approval/state.js";
export { Workspace } from "./files/workspace.js";
export { FlowStore } from "./flow/flow-store.js";
export * from "./connection/connect.js";
export * from "./json-patch.js";
export { PatchStore } from "./store.js";
export * from "./gulf/flow.js";
export { type GulfPromptOptions, gulfSystemPrompt } from "./gulf/prompt.js";
export { type PagePromptOptions, pagePrompt } from "./document/page-prompt.js";
export * from "./gulf/writer.js";
export { A2uiWriter } from "./a2ui/writer.js";
export { a2uiCatalog } from "./a2ui/catalog.js";
export { a2uiTools } from "./a2ui/tools.js";
export { a2uiSystemPrompt } from "./a2ui/prompt.js";
export { a2uiCorrectionPrompt, correctA2ui, validateA2ui } from "./a2ui/correct.js";
export { type ToolFamily, toolDefinitions } from "./definitions/index.js";
export { SurfaceStream } from "./surface/stream.js";

// Types.

export type * from "./a2ui/types.js";
export type * from "./agent/run/types.js";
export type * from "./agent/types.js";
export type { ApproveOptions, ProposedCall } from "./approval/inputs.js";
export type * from "./approval/types.js";
export type * from "./blocks/types.js";
export type * from "./core/catalog-types.js";
export type { RowPlace } from "./document/input.js";
export type { RenderOptions } from "./document/template.js";
export type * from "./document/tool-types.js";
export type * from "./definitions/types.js";
export type * from "./document/types.js";
export type * from "./files/types.js";
export type { Draft } from "./store/drafts.js";
export type { SavedHistory } from "./store/saved-history.js";
export type { RestoreFilesOptions } from "./files/workspace.js";
export type * from "./flow/types.js";
export type * from "./surface/types.js";
export type * from "./types.js";
