/** The shapes of `runAgent`: its options, events and result. */
import type { Proposal } from "../../approval/types.js";
import type { ToolBlockEvent } from "../../blocks/types.js";
import type { AgentResult, AgentTools, CallProposal } from "../types.js";

/** The form in which a provider takes messages and tools, and in which it streams its answer. */
export type RunFormat = "openai" | "openai-responses" | "anthropic" | "gemini" | "ai-sdk" | "text";

/** A message in the provider's own form. */
export type RunMessage = { readonly [key: string]: unknown };

/** Tokens that a provider has counted. Zero where it says nothing. */
export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
}

/** The options with which `send` is called. */
export interface SendOptions {
  /** Aborts with the run. Pass it on to `fetch`. */
  signal: AbortSignal;
  /** The number of this request to the model, from 1. */
  round: number;
}

/**
 * The model's answer: a `Response`, the stream of its body, or the chunks of the provider's own client. Bytes are read as
 * server-sent events, as JSON lines, or as one JSON array; for the format `"text"` they are the text itself.
 */
export type RunAnswer = Response | ReadableStream<unknown> | AsyncIterable<unknown>;

/**
 * Asks the model. `messages` is the whole conversation in the provider's form; `tools` are the agent's definitions in it,
 * and empty for the format `"text"`, whose tools are described in the first message.
 */
export type SendMessages = (
  messages: readonly RunMessage[],
  tools: readonly object[] | { readonly [tool: string]: object },
  options: SendOptions,
) => RunAnswer | PromiseLike<RunAnswer>;

/** A request to the model that failed before anything of its answer arrived. */
export interface FailedRequest {
  /** The error that `send` threw, or one with the status and the message of the response. */
  error: Error;
  /** The HTTP status, where there was a response. */
  status?: number;
  /** Milliseconds to wait, where the server's header `Retry-After` asks for it in seconds. */
  retryAfter?: number;
  /** How many times this request has failed, from 1. */
  attempt: number;
}

/** An event of a run. */
export type RunEvent =
  /** A request to the model begins. */
  | { type: "round"; round: number }
  /** Text for the user, reasoning, and the tool calls while they arrive: what `ToolBlockStream` reports. */
  | ToolBlockEvent
  /** A call was executed, refused, or waits for approval. */
  | { type: "result"; result: AgentResult }
  /** A message was added to the conversation: the model's, or one with the results of its calls. */
  | { type: "message"; message: RunMessage }
  /** The tokens of one round. */
  | ({ type: "usage"; round: number } & TokenUsage)
  /** A request failed and is sent again after `delay` milliseconds. */
  | ({ type: "retry"; delay: number } & FailedRequest);

export interface RunAgentOptions {
  /** From `agentTools`. */
  agent: AgentTools;
  /** The conversation so far, in the provider's form. The list is not changed. */
  messages: readonly RunMessage[];
  send: SendMessages;
  /** Default `"openai"`. */
  format?: RunFormat | undefined;
  /** Stops the run: no further call begins, and no further request is sent. */
  signal?: AbortSignal | undefined;
  onEvent?: ((event: RunEvent) => void) | undefined;
  /** How many requests a run may send, retries not counted. Default 8. */
  maxRounds?: number | undefined;
  /**
   * Decides whether a failed request is sent again: returns the delay in milliseconds, or `false` to end the run. Default: two
   * more attempts after network errors and the statuses 408, 429 and 5xx, after the time that the server asks for, or 0.5 and
   * 1 s.
   */
  onRetry?: ((failed: FailedRequest) => number | false | PromiseLike<number | false>) | undefined;
}

export interface RunResult {
  /**
   * - `done`: the model has answered without a call;
   * - `pending`: the model has answered without a call, and proposals of this run wait for the user. After they are settled, call
   *   `runAgent` again with `messages`: what the user decided is put in front;
   * - `truncated`: the provider cut the answer off, and no call in it was complete;
   * - `max-rounds`: the limit of requests is reached;
   * - `aborted`: the signal was aborted;
   * - `error`: a request failed, or the answer could not be read. See `error`.
   */
  status: "done" | "pending" | "truncated" | "max-rounds" | "aborted" | "error";
  /** The whole conversation, in the provider's form, ready for the next run. */
  messages: RunMessage[];
  /** The text of the model's last answer, without its tool blocks. */
  text: string;
  /** The results of all calls of this run, in order. */
  results: AgentResult[];
  /** The proposals of this run that still wait for the user. */
  pending: (Proposal | CallProposal)[];
  /** How many requests were sent, retries not counted. */
  rounds: number;
  /** The tokens of all rounds. */
  usage: TokenUsage;
  /** Set with the status `error`. */
  error?: Error;
}
