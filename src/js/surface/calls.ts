/** `FunctionCalls`: function calls of A2UI 1.0 between the agent and the page, in both directions. */
import { disposed, GenuiPatchError, misuse } from "../core/errors.js";
import { toText } from "../core/json.js";
import { isObject, isText, type Members } from "../core/kinds.js";
import { requireKeys } from "../core/require.js";
import type { Json } from "../types.js";
import { excerpt, Refusal } from "./refusal.js";
import type {
  AgentCallMessage,
  FunctionOutcome,
  RendererResponse,
  SurfaceAgentCall,
  SurfaceCall,
  SurfaceReply,
} from "./types.js";

/** The only version of A2UI in which agent and page call functions of each other. */
const VERSION = "v1.0";

/** A call of the page that waits for the agent's answer. */
interface SentCall {
  readonly surfaceId: string;
  resolve(value: Json): void;
  reject(reason: GenuiPatchError): void;
}

export class FunctionCalls {
  /** The ids of the agent's calls that wait for the page's answer. */
  readonly #open = new Set<string>();
  /** The ids of the agent's calls that were answered last, at most `maxPending`: a repeated stream does not call again. */
  readonly #answered = new Set<string>();
  /** The page's calls that wait for the agent's answer, by id. */
  readonly #sent = new Map<string, SentCall>();
  /** Part of the ids of the page's calls, which must differ from those of other streams of the same agent. */
  readonly #prefix = Math.floor(Math.random() * 2 ** 48).toString(36);
  /** How many calls the page has made. */
  #count = 0;

  /** `maxPending`: how many calls may wait in each direction. */
  constructor(private readonly maxPending: number) {}

  /**
   * Registers a call of the agent: returns the call, or the reply that refuses it. `reason`: why the page must not execute it;
   * `undefined` if it may.
   * @throws Refusal for a call that has come before
   */
  receive(call: SurfaceCall, reason: string | undefined): SurfaceCall | SurfaceReply {
    const { callId } = call;
    if (this.#open.has(callId) || this.#answered.has(callId)) {
      throw new Refusal("INVALID_FUNCTION_CALL", `The call "${excerpt(callId, 60)}" has come before.`);
    }
    const refusalReason =
      reason ??
      (this.#open.size >= this.maxPending ? `More than ${this.maxPending} calls wait for an answer.` : undefined);
    if (refusalReason === undefined) {
      this.#open.add(callId);
      return call;
    }
    this.#remember(callId);
    const error = { code: "INVALID_FUNCTION_CALL", message: refusalReason };
    return { type: "reply", callId, call: call.call, message: responseOf(callId, { error }) };
  }

  /** The page's answer to a call of the agent. @throws GenuiPatchError `INVALID_ARGUMENT` */
  respond(callId: string, outcome: FunctionOutcome): RendererResponse {
    if (!this.#open.has(callId)) {
      const state = this.#answered.has(callId) ? "was answered before" : "did not come from the agent";
      throw misuse(`respond: the call "${excerpt(callId, 60)}" ${state}.`);
    }
    const response = responseOf(callId, readOutcome(outcome));
    this.#open.delete(callId);
    this.#remember(callId);
    return response;
  }

  /** Begins a call of the page. @throws GenuiPatchError `LIMIT_EXCEEDED` */
  send(surfaceId: string, call: string, args: Members, catalogId: string | undefined): SurfaceAgentCall {
    if (this.#sent.size >= this.maxPending) {
      throw new GenuiPatchError("LIMIT_EXCEEDED", `callAgent: more than ${this.maxPending} calls wait for the agent.`);
    }
    this.#count += 1;
    const callId = `call-${this.#prefix}-${this.#count}`;
    const result = new Promise<Json>((resolve, reject) => {
      this.#sent.set(callId, { surfaceId, resolve, reject });
    });
    // A page that only sends the message does not wait for the result.
    result.catch(() => {});
    const callFunction = { "@call": call, ...(catalogId !== undefined && { catalogId }), args };
    const message: AgentCallMessage = {
      version: VERSION,
      callAgentFunction: { surfaceId, functionCallId: callId, callFunction },
    };
    return { callId, message, result };
  }

  /** Settles a call of the page by the agent's answer. @throws Refusal for a call that does not wait */
  settle(callId: string, outcome: FunctionOutcome): void {
    const sentCall = this.#sent.get(callId);
    if (sentCall === undefined) {
      throw new Refusal("UNKNOWN_CALL", `No call "${excerpt(callId, 60)}" waits for an answer of the agent.`);
    }
    this.#sent.delete(callId);
    if (outcome.error === undefined) sentCall.resolve(outcome.value);
    else sentCall.reject(new GenuiPatchError(outcome.error.code, outcome.error.message));
  }

  /** Rejects the page's calls for a deleted surface; without `surfaceId`, those for all surfaces. */
  cancel(message: string, surfaceId?: string): void {
    for (const [callId, sentCall] of this.#sent) {
      if (surfaceId !== undefined && sentCall.surfaceId !== surfaceId) continue;
      this.#sent.delete(callId);
      sentCall.reject(new GenuiPatchError("CANCELLED", message));
    }
  }

  dispose(): void {
    for (const { reject } of this.#sent.values()) reject(disposed());
    this.#sent.clear();
    this.#open.clear();
  }

  /** Notes that a call of the agent was answered. */
  #remember(callId: string): void {
    this.#answered.add(callId);
    // A set iterates in the order of insertion: the oldest ids are dropped.
    for (const oldest of this.#answered) if (this.#answered.size > this.maxPending) this.#answered.delete(oldest);
  }
}

const responseOf = (functionCallId: string, outcome: FunctionOutcome): RendererResponse => ({
  version: VERSION,
  rendererFunctionResponse: { functionCallId, ...outcome },
});

/** A copy of what the page passes to `respond`. @throws GenuiPatchError `INVALID_ARGUMENT` */
function readOutcome(outcome: FunctionOutcome): FunctionOutcome {
  requireKeys("respond", "outcome", outcome, ["value", "error"]);
  const { value, error } = outcome;
  if (error === undefined) {
    // The value goes through JSON inside a list, so that the `undefined` of a function without a result becomes null.
    const [copy = null]: Json[] = JSON.parse(toText([value], "value"));
    return { value: copy };
  }
  if (value === undefined && isError(error)) return { error: { code: error.code, message: error.message } };
  throw misuse("respond: send {value}, or {error: {code, message}} with two strings.");
}

const isError = (error: unknown): error is { code: string; message: string } =>
  isObject(error) && isText(error.code) && isText(error.message);

/** The outcome in an answer of the agent; `undefined` unless it has either a value or an error. */
export function outcomeIn({ value, error }: Members): FunctionOutcome | undefined {
  if (value !== undefined) return error === undefined ? { value } : undefined;
  return isError(error) ? { error: { code: error.code, message: error.message } } : undefined;
}
