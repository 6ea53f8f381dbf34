/** Everything that the package offers, whichever way its module is loaded. */

// What reaches the two modules comes first, so that in a bundle they stand side by side and not between what packs together.

export * from "./blocks/policy.js";
export { formatPath, parsePath } from "./core/path.js";

// The rest, room by room: what is alike packs well where it stands close together. Tool blocks.

export * from "./blocks/correction/index.js";
export { NativeCallStream, type NativeCallStreamOptions, type NativeFormat } from "./blocks/native/index.js";
export { parsePartialJson, repairJson, repairToolBlock } from "./blocks/repair.js";
export { parseToolCalls, ToolBlockStream, ToolCallStream, validateToolBlock } from "./blocks/stream.js";
export type * from "./blocks/types.js";
export { GenuiPatchError } from "./core/errors.js";
export { preload } from "./core/module.js";
export { type SafeUrl, safeUrl } from "./core/url.js";

// What waits for a yes, and what an agent is offered.

export { agentTools } from "./agent/index.js";
export type * from "./agent/types.js";
export type { ApproveOptions, ProposedCall } from "./approval/patches.js";
export { type ApprovalState, approvalState } from "./approval/state.js";
export type * from "./approval/types.js";
export { type JsonDiffOptions, jsonDiff } from "./diff/json.js";
export { applyHunks, type TextDiffOptions, textDiff } from "./diff/text.js";

// Files, task flows, documents.

export type { RenderOptions } from "./document/template.js";
export type * from "./document/tool-types.js";
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
} from "./document/types.js";
export type { NearestText } from "./files/edit.js";
export type * from "./files/types.js";
export { Workspace } from "./files/workspace.js";
export { FlowStore } from "./flow/flow-store.js";
export type * from "./flow/types.js";
export { limits, version } from "./generated/facts.js";
export {
  type ClientMessage,
  type Connection,
  type ConnectOptions,
  connect,
  type SocketLike,
} from "./store/connect.js";
export * from "./store/json-patch.js";
export type { RowPlace } from "./store/page.js";
export { PatchStore } from "./store.js";
export type * from "./types.js";

// Surfaces, and the definitions of tools.

export * from "./definitions/index.js";
export * from "./gulf/index.js";
export * from "./surface/index.js";
