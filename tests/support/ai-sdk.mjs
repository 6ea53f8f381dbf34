/** Parts of the answers of the AI SDK's mock model. */

export const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

export const call = (toolCallId, toolName, input) => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});

export const text = (delta) => [
  { type: "text-start", id: "0" },
  { type: "text-delta", id: "0", delta },
  { type: "text-end", id: "0" },
];
