/**
 * `OwnCalls`: checks, proposes and executes calls of the application's own tools. This file and the schema check are loaded with
 * the first such call. They import no other functions of the package, but get them as an argument: if both this chunk and the
 * main bundle imported them, bundlers would move them into a third chunk, which every application would have to load.
 */

import type { CallProposal } from "../../approval/types.js";
import type { ParsedCall } from "../../blocks/parsed-call.js";
import type { unlessAborted } from "../../core/abort.js";
import type { copyJson } from "../../core/json.js";
import type { Members } from "../../core/kinds.js";
import type { deepFreeze } from "../../core/tree.js";
import type { Answer, Failed, failed, ValidatedCall } from "../../tools/tool-set.js";
import type { Json } from "../../types.js";
import { violationOf } from "./schema-check.js";
import type { OwnTool } from "./tools.js";

/** The functions of the package that `OwnCalls` gets as an argument. */
export interface Shared {
  readonly failed: typeof failed;
  readonly copyJson: typeof copyJson;
  readonly deepFreeze: typeof deepFreeze;
  readonly unlessAborted: typeof unlessAborted;
}

/** The default of `timeout`, in milliseconds. */
const TIMEOUT = 60_000;
/** The longest delay of `setTimeout`. With a longer `timeout` a call has no time limit. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;
/** Proposals that are remembered, pending or settled: bounds the memory of a long session. */
const MAX_PROPOSALS = 1_000;
/** The solution in errors about arguments. */
const SEND_AGAIN = "Send the arguments again as the tool's definition says.";
/** A warning for the model: a tool that was stopped may have finished its work. */
const MAY_HAVE_RUN = "It may have had its effect.";

export class OwnCalls {
  /** By name. */
  readonly #tools: ReadonlyMap<string, OwnTool>;
  /** By id, oldest first. */
  readonly #proposals = new Map<string, CallProposal>();
  /** The random beginning of all ids, so that ids of other agents and of earlier sessions differ. */
  readonly #prefix = Math.floor(Math.random() * 2 ** 48).toString(36);
  /** The number of proposals so far: the end of their ids. */
  #count = 0;
  /** The result of `list`; `undefined` after a change, until the next `list`. */
  #list: readonly CallProposal[] | undefined;

  constructor(
    tools: readonly OwnTool[],
    /** Called when proposals have changed. */
    private readonly changed: () => void,
    private readonly shared: Shared,
  ) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** Checks the arguments of a call. The result executes or proposes it. */
  validate({ tool: name, args: sent }: ParsedCall): ValidatedCall | Failed {
    const { failed } = this.shared;
    const ownTool = this.#tools.get(name);
    if (ownTool === undefined) return failed("UNKNOWN_TOOL", `There is no tool ${JSON.stringify(name)}.`, SEND_AGAIN);
    if (sent === undefined)
      return failed("INVALID_JSON", `The arguments of ${name} are no JSON object.`, "Send one JSON object.");
    let args = sent;
    try {
      args = withoutNulls(ownTool, sent);
      const { path, message } = faultOf(ownTool, args);
      if (message !== "") return this.#refused(ownTool, path, message);
    } catch (cause) {
      return failed("INVALID_ARGUMENT", `${name} cannot check its arguments: ${messageOf(cause)}`, "Tell the user.");
    }
    const { approve, readOnly = false } = ownTool.tool;
    // The tool's own `approve` decides: about all calls (true), about none (false), or a function. Without one, the agent's
    // policy decides, except for a tool that only reads.
    const mayNeedApproval = approve !== false && (approve !== undefined || !readOnly);
    return {
      args,
      execute: ({ signal }) => this.#run(ownTool, args, signal),
      ...(approve !== undefined && { approve: approve === true ? "always" : approve || "never" }),
      ...(mayNeedApproval && { target: () => ({ target: name }), propose: () => this.#propose(name, args) }),
    };
  }

  /** The failure for invalid arguments. `path` is empty for a fault of all of them. */
  #refused({ name }: OwnTool, path: string, message: string): Failed {
    const answer = this.shared.failed(
      "INVALID_ARGUMENT",
      `${name}: ${message}${message.endsWith(".") ? "" : "."}`,
      SEND_AGAIN,
    );
    if (path !== "") answer.error.path = path;
    return answer;
  }

  /** Makes a proposal. If there are too many, the oldest settled one is dropped; if all are pending, the call fails. */
  #propose(tool: string, args: Members): Answer {
    if (this.#proposals.size >= MAX_PROPOSALS) {
      const oldestSettled = [...this.#proposals.values()].find(({ status }) => status !== "pending");
      if (oldestSettled === undefined)
        return this.shared.failed(
          "LIMIT_EXCEEDED",
          `${MAX_PROPOSALS} calls wait for the user.`,
          "Wait until some of them are decided on.",
        );
      this.#proposals.delete(oldestSettled.id);
    }
    this.#count += 1;
    const id = `${this.#prefix}-${this.#count}`;
    const proposal: CallProposal = {
      id,
      kind: "call",
      target: tool,
      // All proposals have these three members; a call has nothing to say in them.
      revision: 0,
      diff: [],
      changes: [],
      status: "pending",
      proposed: { tool, args },
    };
    this.#put(proposal);
    return { status: "pending", proposal };
  }

  /**
   * Executes a call that the user has approved, with `edited` in place of its arguments if it is given. The proposal is approved
   * at once; its `effective` is set when the call is over.
   */
  async approve(id: string, signal: AbortSignal | undefined, edited: Members | undefined): Promise<Answer> {
    const { proposal, failure } = this.#pending(id);
    const ownTool = proposal && this.#tools.get(proposal.target);
    if (proposal === undefined || ownTool === undefined) return failure ?? this.#unknown(id);
    const { tool } = proposal.proposed;
    // The proposed arguments were checked when the call was proposed.
    const callToRun = edited === undefined ? proposal.proposed : this.validate({ tool, args: edited });
    if ("error" in callToRun) return callToRun;
    const { args } = callToRun;
    const approved = {
      ...proposal,
      status: "approved" as const,
      ...(edited !== undefined && { approved: { tool, args } }),
    };
    this.#put(approved);
    const answer = await this.#run(ownTool, args, signal);
    const result = answer.status === "error" ? { error: answer.error } : (answer.result ?? {});
    this.#put({ ...approved, effective: this.shared.copyJson(result, "result") });
    return answer;
  }

  /** Records that the user refuses a call. Returns the error if the proposal is unknown or settled, else `undefined`. */
  refuse(id: string, reason: string | undefined): Failed | undefined {
    const { proposal, failure } = this.#pending(id);
    if (proposal) this.#put({ ...proposal, status: "refused", ...(reason !== undefined && { reason }) });
    return failure;
  }

  /** All proposals, oldest first: the same list until it changes. */
  list(): readonly CallProposal[] {
    this.#list ??= Object.freeze([...this.#proposals.values()]);
    return this.#list;
  }

  /** The pending proposal with this id, or why there is none. */
  #pending(id: string): { proposal?: CallProposal; failure?: Failed } {
    const proposal = this.#proposals.get(id);
    if (proposal === undefined) return { failure: this.#unknown(id) };
    if (proposal.status === "pending") return { proposal };
    const message = `The proposal "${id}" is already ${proposal.status}.`;
    return { failure: this.shared.failed("PROPOSAL_SETTLED", message, "Let the agent call the tool again.") };
  }

  #unknown(id: string): Failed {
    const solution = "Use the id of one of agent.proposals().";
    return this.shared.failed("UNKNOWN_PROPOSAL", `There is no proposal "${id}".`, solution);
  }

  /** Adds or replaces a proposal. */
  #put(proposal: CallProposal): void {
    this.shared.deepFreeze(proposal);
    this.#proposals.set(proposal.id, proposal);
    this.#list = undefined;
    this.changed();
  }

  /**
   * Executes a call. When the signal is aborted or the time is over, the tool's signal is aborted, and the call ends at once with
   * an error, whether the tool listens to its signal or not.
   */
  async #run(
    { name, tool }: OwnTool,
    args: { readonly [key: string]: Json },
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const { failed, unlessAborted } = this.shared;
    const { timeout = TIMEOUT } = tool;
    const stop = new AbortController();
    const abort = () => stop.abort(signal?.reason);
    let isLate = false;
    const expire = () => {
      isLate = true;
      stop.abort(new DOMException(`${name} took longer than ${timeout} ms.`, "TimeoutError"));
    };
    const stoppedAnswer = (): Failed =>
      isLate
        ? failed(
            "TIMEOUT",
            `${name} gave no result within ${timeout} ms.`,
            `${MAY_HAVE_RUN} Look before you call it again, or tell the user.`,
          )
        : failed(
            "CANCELLED",
            `The call of ${name} was cancelled while it was executed.`,
            `${MAY_HAVE_RUN} Wait for the user.`,
          );
    const timer = timeout > LONGEST_TIMEOUT ? undefined : setTimeout(expire, timeout);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    try {
      // The tool gets a copy, since it may change its arguments, and a proposal shows them.
      const work = async () => this.#answer(name, await tool.execute(structuredClone(args), { signal: stop.signal }));
      return await unlessAborted(work(), stop.signal, stoppedAnswer);
    } catch (cause) {
      // A tool that was aborted usually throws because of the abort.
      if (stop.signal.aborted) return stoppedAnswer();
      return failed(
        "TOOL_FAILED",
        `${name} failed: ${messageOf(cause)}`,
        "Correct the call if it is wrong. Else tell the user.",
      );
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }

  /** The answer with the value that a tool has returned; an error if JSON cannot carry the value. */
  #answer(name: string, value: unknown): Answer {
    const { copyJson, failed } = this.shared;
    if (value === undefined) return { status: "success", result: {} };
    try {
      return { status: "success", result: { result: copyJson(value, "result") } };
    } catch (cause) {
      const message = `${name} was executed, but its result cannot be sent: ${messageOf(cause)}`;
      return failed("INVALID_RESULT", message, "Do not repeat the call. Tell the user.");
    }
  }
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/**
 * The arguments without their nulls, if they fit the schema only without them; else the arguments as they are. Some models send
 * null for an argument that they leave out.
 */
function withoutNulls({ schema: { json } }: OwnTool, args: Members): Members {
  if (violationOf(json, args) === undefined) return args;
  const argsWithoutNulls: Members = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
  return violationOf(json, argsWithoutNulls) === undefined ? argsWithoutNulls : args;
}

/**
 * The first fault of the arguments: by the JSON Schema, then by the schema's own library. `path` is empty for a fault of all
 * arguments, and `message` if they are valid.
 */
function faultOf({ schema: { json, check } }: OwnTool, args: Members): { path: string; message: string } {
  const violation = violationOf(json, args);
  if (violation === undefined) return { path: "", message: check?.(args) ?? "" };
  const { path, message } = violation;
  return { path, message: `${path === "" ? "the arguments" : `"${path}"`} ${message}` };
}
