/** `genui-patch/ai-sdk`: approvals of the AI SDK 7, in the page and at the agent. */
export type { ApproveChatOptions, ChatProposal, ChatToAnswer } from "./chat.js";
export { ChatApprovals } from "./chat.js";
export type { SdkApproval, ToolsWithApproval, ToolsWithApprovalOptions } from "./tools.js";
export { toolsWithApproval } from "./tools.js";
