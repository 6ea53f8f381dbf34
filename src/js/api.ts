/** Everything that the package offers, whichever way its module is loaded. */

export { agentTools } from "./agent/index.js";
export type * from "./agent/types.js";
export type { ApproveOptions, ProposedCall } from "./approval/patches.js";
export { type ApprovalState, approvalState } from "./approval/state.js";
export type * from "./approval-types.js";
export { parseToolCalls, ToolBlockStream, ToolCallStream, validateToolBlock } from "./block.js";
export type * from "./block-types.js";
export {
  type ClientMessage,
  type Connection,
  type ConnectOptions,
  connect,
  type SocketLike,
} from "./connect.js";
export { preload } from "./core/module.js";
export * from "./correction/index.js";
export * from "./definitions/index.js";
export { type JsonDiffOptions, jsonDiff } from "./diff/json.js";
export { applyHunks, type TextDiffOptions, textDiff } from "./diff/text.js";
export { GenuiPatchError } from "./errors.js";
export type * from "./flow/types.js";
export { FlowStore } from "./flow.js";
export { limits, version } from "./generated/facts.js";
export * from "./gulf/index.js";
export * from "./json-patch.js";
export { NativeCallStream, type NativeCallStreamOptions, type NativeFormat } from "./native/index.js";
export type { RenderOptions } from "./page/template.js";
export type {
  Action,
  AnyDocuments,
  Block,
  BlockProps,
  DocumentOf,
  Field,
  FieldOption,
  LoadedDocument,
  PageDocument,
  Panel,
  TableColumn,
  TypedStore,
  ValueAt,
} from "./page-types.js";
export { formatPath, parsePath } from "./path.js";
export * from "./policy.js";
export { parsePartialJson, repairJson, repairToolBlock } from "./repair.js";
export type { RowPlace } from "./store/page.js";
export { PatchStore } from "./store.js";
export * from "./surface/index.js";
export type * from "./tool-types.js";
export type * from "./types.js";
export { type SafeUrl, safeUrl } from "./url.js";
export type { NearestText } from "./workspace/edit.js";
export type * from "./workspace/types.js";
export { Workspace } from "./workspace.js";
