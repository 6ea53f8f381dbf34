/** AG-UI's interrupts and answers, as `@ag-ui/core` 1.0 has them, and the proposals that they become. */
import type { CallProposal } from "../agent/types.js";

/** A question of a run, which continues only with the answer. */
export interface Interrupt {
  id: string;
  /** `tool_call`, `input_required`, `confirmation`, or the agent's own word. */
  reason: string;
  /** The question in words, for the user. */
  message?: string;
  /** The call that waits for an approval. */
  toolCallId?: string;
  /** A JSON Schema of the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: the type of `@ag-ui/core`.
  responseSchema?: Record<string, any>;
  /** By convention a date in ISO 8601: from then on the interrupt cannot be answered. */
  expiresAt?: string;
  /** The subagent that asks; without it the parent agent does. */
  subagentRunId?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the type of `@ag-ui/core`.
  metadata?: Record<string, any>;
}

/** The answer to an interrupt, which the next run carries. `metadata` may have a signed approval: see {@link METADATA}. */
export interface ResumeEntry {
  interruptId: string;
  /** `cancelled`: the interrupt was given up without an answer. */
  status: "resolved" | "cancelled";
  /** The answer, of the form that `responseSchema` of the interrupt describes. */
  payload?: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: the type of `@ag-ui/core`.
  metadata?: Record<string, any>;
}

/**
 * An interrupt that the user decides on, beside the proposals of stores and agents. For an interrupt without a call, `target` and
 * `proposed.tool` are its reason.
 */
export interface InterruptProposal extends CallProposal {
  interrupt: Interrupt;
}

/** The key of this package in `metadata` of interrupts and answers. */
export const METADATA = "genui-patch";
