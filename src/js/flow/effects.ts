/** The effects on the page when an update is proposed or settled (seed 002), and their messages. */
import type { Effect } from "../approval/types.js";
import type { Json, JsonDiff } from "../types.js";

/** By primary language. English is the default. */
const MESSAGES = {
  en: {
    confirm: "Confirm the changes to this node?",
    approved: "The changes were approved.",
    refused: "The changes were refused.",
  },
  pt: {
    confirm: "Confirmar alterações neste nó?",
    approved: "As alterações foram aprovadas.",
    refused: "As alterações foram recusadas.",
  },
  zh: { confirm: "确认对此节点的更改？", approved: "更改已批准。", refused: "更改已拒绝。" },
};

/** The message in the language of a tag, such as "pt-BR"; in English if there is no translation. */
export function message(language: string, which: keyof typeof MESSAGES.en): string {
  const primary = language.toLowerCase().split(/[-_]/)[0] as "en";
  return (Object.hasOwn(MESSAGES, primary) ? MESSAGES[primary] : MESSAGES.en)[which];
}

/** An update was proposed: the page shows the diff. */
export const proposedEffects = (nodeId: string, diff: JsonDiff): Effect[] => [
  { type: "FOCUS_NODE", payload: { nodeId } },
  { type: "OPEN_MODAL", payload: { nodeId } },
  { type: "APPLY_DIFF_IN_MODAL", payload: { nodeId, diff: diff as unknown as Json } },
];

/** A node was updated: the page reads the flow again. */
export const updatedEffects = (taskId: string): Effect[] => [{ type: "REFETCH_TASK_FLOW", payload: { taskId } }];

/** The user has approved or refused a proposal: `text` says which. */
export const settledEffects = (taskId: string, nodeId: string, text: string): Effect[] => [
  { type: "CLOSE_MODAL", payload: { nodeId } },
  { type: "POST_MESSAGE", payload: { nodeId, message: text } },
  ...updatedEffects(taskId),
];
