/** `CallExecutor`: receives, parses and validates the calls of an agent, then executes or proposes them. */

import { argumentRepair, type ParsedCall, parseCall } from "../blocks/parsed-call.js";
import type { Fix, ToolBlockEndEvent } from "../blocks/types.js";
import { unlessAborted } from "../core/abort.js";
import { cut } from "../core/errors.js";
import { isObject, isText } from "../core/kinds.js";
import type { CustomTool } from "../definitions/types.js";
import {
  type Answer,
  type CallEffect,
  type Execution,
  type Failed,
  failed,
  solutionFor,
  type Target,
  type ToolSet,
  toFailed,
  type ValidatedCall,
} from "../tools/tool-set.js";
import type { Author } from "../types.js";
import { CallList } from "./calls.js";
import { Decisions } from "./decisions.js";
import { fold, type ReceivedCall, receiveCall } from "./received-call.js";
import type { AgentCallInput, AgentRequest, AgentResult, ApprovalFunction, ApprovalPolicy } from "./types.js";

/** What a model reads about a call that became a proposal. */
const PENDING =
  "The user has to approve this: nothing has changed yet. Do not send the call again. Go on with what does not depend on it, or end your turn.";

/** A call that a policy decides on. */
interface AskedCall {
  id: string | undefined;
  tool: string;
  call: ValidatedCall;
  propose: NonNullable<ValidatedCall["propose"]>;
  target: Target;
}

/** The effect of the application's own tools, which is unknown. */
const NO_EFFECT: CallEffect = { changes: [], before: null };

/** The effect of a call, computed when a policy reads it. */
class LazyEffect {
  /** `undefined` until the policy reads it. */
  value: CallEffect | undefined;

  constructor(private readonly target: Target) {}

  /** Computes the effect at the first call; later calls return the same. */
  read(): CallEffect {
    this.value ??= this.target.effect?.() ?? NO_EFFECT;
    return this.value;
  }

  /** Whether the call would now change something else than what the policy has read; false if the policy has read nothing. */
  isOutdated(): boolean {
    const currentEffect = this.value && this.target.effect?.();
    return currentEffect !== undefined && JSON.stringify(currentEffect.changes) !== JSON.stringify(this.value?.changes);
  }
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  isObject(value) && typeof value.then === "function";

export class CallExecutor {
  readonly calls = new CallList();
  readonly decisions = new Decisions();
  /** By the name of a tool: the set that executes its calls. */
  readonly #owners: ReadonlyMap<string, ToolSet>;
  /** The name of a tool, by its name and its aliases; both are folded (see {@link fold}). */
  readonly #names = new Map<string, string>();

  /** `blocks` are the tools that a repair of arguments knows, beside those for files. */
  constructor(
    sets: readonly ToolSet[],
    private readonly blocks: readonly CustomTool[],
    private readonly approve: ApprovalPolicy,
    private readonly author: Author,
  ) {
    this.#owners = new Map(sets.flatMap((set) => set.definitions.map(({ name }) => [name, set])));
    for (const { definitions, aliases = {} } of sets) {
      for (const { name } of definitions) {
        for (const nameOrAlias of [name, ...(aliases[name] ?? [])]) this.#names.set(fold(nameOrAlias), name);
      }
    }
  }

  /**
   * `agent.execute`. The call begins before this returns, so that calls take effect in the order in which they come. With
   * `replacement`, a call that needs no approval runs it in place of its tool, and is not listed in `calls`; a proposal is.
   */
  async execute(
    input: AgentCallInput,
    execution: Execution = {},
    replacement?: ValidatedCall["execute"],
  ): Promise<AgentResult> {
    let received: ReceivedCall = { tool: "", args: {} };
    let parsedCall: ParsedCall | undefined;
    let failure: Failed | undefined;
    try {
      const { tool, ...rest } = receiveCall(input, (name) => this.#owners.has(this.nameOf(name)));
      received = { ...rest, tool: this.nameOf(tool) };
      if (received.refusal !== undefined) failure = failed("UNKNOWN_TOOL", received.refusal, this.#knownToolsAdvice());
      else parsedCall = this.#parse(received);
    } catch (cause) {
      // With a name, `#parse` has thrown. Without one, reading the input has, e.g. in a getter.
      failure = toFailed(cause, received.tool === "" ? undefined : "Send arguments that JSON can carry.");
    }
    const key = replacement ? undefined : this.calls.begin(received.tool, received.id);
    // Either `parsedCall` or `failure` is set. `toFailed` is for the compiler, which does not know that.
    const answer = await (parsedCall === undefined
      ? failure
      : this.#start(received.id, parsedCall, execution, replacement));
    return this.#settle(key, received, answer ?? toFailed(undefined), parsedCall?.fixes);
  }

  /** The result of a block without a call: why it has none. */
  refuseBlock({ toolId: id, toolType, issues, errors, status }: ToolBlockEndEvent): AgentResult {
    const received = { id, tool: toolType ?? "", args: {} };
    const code = issues.find(({ severity }) => severity === "error")?.code ?? "NO_BLOCK";
    const answer =
      code === "UNKNOWN_TOOL"
        ? this.#unknownTool(received.tool)
        : failed(code, errors.join(" "), solutionFor(status === "truncated" ? "TRUNCATED" : code));
    return this.#settle(this.calls.begin(received.tool, id), received, answer);
  }

  /** Records and runs a call that the user has approved. `tool` is its name for the list of calls. */
  async executeApproved(tool: string, run: () => Promise<Answer>): Promise<AgentResult> {
    const key = this.calls.begin(tool);
    return this.#settle(key, { tool, args: {} }, await run().catch((cause) => toFailed(cause)));
  }

  /** The name of the tool with this name or alias, in any spelling; for an unknown tool the name as it was sent. */
  nameOf(sentName: string): string {
    return this.#owners.has(sentName) ? sentName : (this.#names.get(fold(sentName)) ?? sentName);
  }

  #knownToolsAdvice(): string {
    return `Use one of ${[...this.#owners.keys()].join(", ")}.`;
  }

  #unknownTool(tool: string): Failed {
    const message = tool === "" ? "The call names no tool." : `There is no tool ${JSON.stringify(cut(tool))}.`;
    return failed("UNKNOWN_TOOL", message, this.#knownToolsAdvice());
  }

  #parse({ tool, args }: ReceivedCall): ParsedCall {
    const { blocks } = this;
    return parseCall(tool, args, (text) => argumentRepair.repair?.(tool, text, blocks));
  }

  /**
   * Validates a call, then executes or proposes it. All of this is synchronous where the tool's functions are: calls must take
   * effect in the order in which they arrive. `id` is the call's.
   */
  #start(
    id: string | undefined,
    parsed: ParsedCall,
    execution: Execution,
    replacement: ValidatedCall["execute"] | undefined,
  ): Answer | Promise<Answer> {
    const { signal } = execution;
    try {
      if (signal?.aborted) return cancelled();
      const run = (validated: ValidatedCall | Failed): Answer | Promise<Answer> => {
        if ("status" in validated) return validated;
        // `execute` of a call that requires an approval only proposes it, so it is not replaced.
        const isReplaced = replacement !== undefined && validated.requiresApproval?.() !== true;
        const call = isReplaced ? { ...validated, execute: replacement } : validated;
        return signal?.aborted ? cancelled() : this.#executeOrPropose(id, parsed.tool, call, execution);
      };
      const validated = this.#owners.get(parsed.tool)?.validate(parsed) ?? this.#unknownTool(parsed.tool);
      const answer = validated instanceof Promise ? validated.then(run) : run(validated);
      return answer instanceof Promise ? answer.catch((cause) => toFailed(cause)) : answer;
    } catch (cause) {
      return toFailed(cause);
    }
  }

  /**
   * Calls that change nothing are executed, and all calls with the policy "never"; with "always" the others are proposed. A
   * function as policy is asked once the target of the call is known; an own tool's policy replaces the agent's.
   */
  #executeOrPropose(
    id: string | undefined,
    tool: string,
    call: ValidatedCall,
    execution: Execution,
  ): Answer | Promise<Answer> {
    const { signal } = execution;
    const { propose, approve = this.approve } = call;
    if (propose === undefined || approve === "never") return call.execute(execution);
    if (approve === "always") return propose(signal);
    const decide = (target: Target | Failed): Answer | Promise<Answer> => {
      if ("status" in target) return target;
      return signal?.aborted ? cancelled() : this.#ask(approve, { id, tool, call, propose, target }, execution);
    };
    const target = call.target?.();
    if (target === undefined) return unknownTarget(tool);
    return target instanceof Promise ? unlessAborted(target, signal, cancelled).then(decide) : decide(target);
  }

  /**
   * Asks a policy. `{ deny }` refuses the call. Only `false` executes it, unless the user must see it in any case: its target is
   * ambiguous, it has a warning, or its effect has changed while the policy was deciding. All other answers propose it.
   */
  #ask(approve: ApprovalFunction, asked: AskedCall, execution: Execution): Answer | Promise<Answer> {
    const { signal } = execution;
    const { call, propose, target } = asked;
    const effect = new LazyEffect(target);
    const decision = approve(this.#request(asked, effect));
    const isAsync = isPromise(decision);
    const act = (answer: unknown): Answer | Promise<Answer> => {
      if (signal?.aborted) return cancelled();
      if (isObject(answer) && "deny" in answer) return denied(answer.deny);
      const isOutdated = isAsync && effect.isOutdated();
      const mustBeReviewed = target.isAmbiguous === true || call.needsReview === true || isOutdated;
      return answer === false && !mustBeReviewed ? call.execute({ ...execution, seen: effect.value }) : propose(signal);
    };
    if (!isAsync) return act(decision);
    // After an abort `act` ignores the answer.
    return unlessAborted<unknown>(Promise.resolve(decision), signal, () => undefined).then(act);
  }

  /**
   * The argument of a policy function. Reading `changes` or `before` computes the effect by a dry run. They are not enumerable,
   * so that copying or logging the argument computes nothing.
   */
  #request({ id, tool, call, target }: AskedCall, effect: LazyEffect): AgentRequest {
    const { author } = this;
    const enumerable = {
      ...(id !== undefined && { id }),
      tool,
      args: structuredClone(call.args),
      target: target.target,
      author,
    };
    return Object.defineProperties(
      // The type requires the two values. The getters replace them.
      { ...enumerable, changes: NO_EFFECT.changes, before: NO_EFFECT.before },
      {
        changes: { enumerable: false, get: () => effect.read().changes },
        before: { enumerable: false, get: () => effect.read().before },
      },
    );
  }

  /** Records the result of a call under its key in `calls`. A call without a key is listed only if it becomes a proposal. */
  #settle(key: number | undefined, received: ReceivedCall, answer: Answer, fixes: readonly Fix[] = []): AgentResult {
    const result = toResult(received, answer, fixes);
    if (result.proposal) {
      this.decisions.follow(result, result.proposal);
      key ??= this.calls.begin(result.tool, result.id);
    }
    if (key !== undefined) this.calls.settle(key, result);
    return result;
  }
}

function cancelled(): Failed {
  const message = "The call was cancelled before it was executed.";
  return failed("CANCELLED", message, "Nothing was changed. Wait for the user.");
}

/** The failure for a policy's `{ deny: reason }`. */
function denied(reason: unknown): Failed {
  const message = isText(reason) && reason !== "" ? reason : "This is not allowed.";
  return failed("DENIED", message, "Nothing was changed. Do not send it again unless you are asked to.");
}

/** The failure for a call that can be proposed, but does not name its target. */
function unknownTarget(tool: string): Failed {
  const message = `The call of ${JSON.stringify(cut(tool))} does not say what it would change.`;
  return failed("INVALID_ARGUMENT", message, "Send all arguments that the tool's definition requires.");
}

/**
 * The result for the page and the model. Its `fixes` are `repairs`, those of the arguments, and then the fixes of the tool itself,
 * e.g. of an edit.
 */
function toResult({ id, tool }: ReceivedCall, answer: Answer, repairs: readonly Fix[]): AgentResult {
  const { status, effects } = answer;
  const label = { ...(id !== undefined && { id }), tool, ...(effects && { effects }) };
  const { fixes: toolFixes = [] }: { fixes?: readonly Fix[] } = answer.result ?? {};
  const allFixes = repairs.length > 0 && { fixes: [...repairs, ...toolFixes] };
  if (answer.status === "success")
    return { ...label, status: "success", result: { status, ...answer.result, ...allFixes } };
  if (answer.status === "error") {
    const { error } = answer;
    return { ...label, status: "error", result: { status, error, ...answer.result, ...allFixes }, error };
  }
  const { proposal } = answer;
  const { target, kind } = proposal;
  const result = { status, message: PENDING, ...answer.result, ...allFixes, proposed: { kind, target } };
  return { ...label, status: "pending", result, proposal };
}
