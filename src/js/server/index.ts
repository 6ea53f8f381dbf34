/** The entry `genui-patch/server`: rooms of documents for a team's own server, and their storages. */
export { type Approval, type ApprovalCheck, digestOf, verifyApproval } from "./approval.js";
export type { ExportedRoom } from "./archive.js";
export {
  answerMcp,
  type McpAnswer,
  type McpCall,
  type McpResource,
  type McpSource,
  type McpText,
  type McpTool,
} from "./mcp.js";
export { documentResources, highlightTool } from "./mcp-room.js";
export { type NodeIncoming, type NodeOutgoing, nodeListener } from "./node.js";
export { createRooms } from "./rooms.js";
export { levelStorage } from "./storage/level.js";
export { LogError, type LogFault, type Repaired } from "./storage/log.js";
export { memoryStorage } from "./storage/memory.js";
export { type NatsStorageOptions, natsStorage } from "./storage/nats.js";
export type { NatsConnection } from "./storage/nats-types.js";
export {
  type LogHead,
  type PartKey,
  type RoomStorage,
  type StoredEntry,
  type StoredSnapshot,
  staleAppend,
} from "./storage/types.js";
export type * from "./types.js";
