/** `CallExecutor`: the way of a call through an agent: received, parsed, validated, then executed or proposed. */
import type { Fix, ToolBlockEndEvent } from "../blocks/types.js";
import { unlessAborted } from "../core/abort.js";
import { cut } from "../core/errors.js";
import type { CustomTool } from "../definitions/types.js";
import { CallList } from "./calls.js";
import { Decisions } from "./decisions.js";
import { argumentRepair, type ParsedCall, parseCall } from "./parsed-call.js";
import { fold, type ReceivedCall, receiveCall } from "./received-call.js";
import {
  type Answer,
  type Failed,
  failed,
  solutionFor,
  type Target,
  type ToolSet,
  thrown,
  type ValidatedCall,
} from "./tool-set.js";
import type { AgentCallInput, AgentResult, ApprovalPolicy, ExecuteOptions } from "./types.js";

const PENDING =
  "The user has to approve this: nothing has changed yet. Do not send the call again. Go on with what does not depend on it, or end your turn.";

/** For a policy that does not look at the target. */
const NO_TARGET: Target = { target: "" };

export class CallExecutor {
  readonly calls = new CallList();
  readonly decisions = new Decisions();
  readonly #owners: ReadonlyMap<string, ToolSet>;
  /** The name of a tool by its folded name and its folded aliases. */
  readonly #names = new Map<string, string>();

  /** `blocks` are the definitions with which the arguments of a call are repaired. */
  constructor(
    sets: readonly ToolSet[],
    private readonly blocks: readonly CustomTool[],
    private readonly approve: ApprovalPolicy,
  ) {
    this.#owners = new Map(sets.flatMap((set) => set.definitions.map(({ name }) => [name, set])));
    for (const { definitions, aliases = {} } of sets) {
      for (const { name } of definitions) {
        for (const other of [name, ...(aliases[name] ?? [])]) this.#names.set(fold(other), name);
      }
    }
  }

  /** `agent.execute`. The call begins before this returns, so that calls take effect in the order in which they come. */
  async execute(input: AgentCallInput, { signal }: ExecuteOptions = {}): Promise<AgentResult> {
    let received: ReceivedCall = { tool: "", args: {} };
    let parsed: ParsedCall | undefined;
    let refused: Failed | undefined;
    try {
      const { tool, ...rest } = receiveCall(input, (name) => this.#owners.has(this.nameOf(name)));
      received = { ...rest, tool: this.nameOf(tool) };
      if (received.refused !== undefined) refused = failed("UNKNOWN_TOOL", received.refused, this.#knownToolsAdvice());
      else parsed = this.#parse(received);
    } catch (cause) {
      refused = thrown(cause, received.tool === "" ? undefined : "Send arguments that JSON can carry.");
    }
    const key = this.calls.begin(received.tool, received.id);
    const answer = await (parsed === undefined ? refused : this.#start(received.id, parsed, signal));
    return this.#settle(key, received, answer ?? thrown(undefined), parsed?.fixes);
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

  /** The name of the tool that a call means by a name or an alias; the name itself if there is none. */
  nameOf(sent: string): string {
    return this.#owners.has(sent) ? sent : (this.#names.get(fold(sent)) ?? sent);
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

  #start(id: string | undefined, parsed: ParsedCall, signal: AbortSignal | undefined): Answer | Promise<Answer> {
    try {
      if (signal?.aborted) return cancelled();
      const validated = this.#owners.get(parsed.tool)?.validate(parsed) ?? this.#unknownTool(parsed.tool);
      if ("status" in validated) return validated;
      const answer = this.#executeOrPropose(id, parsed.tool, validated, signal);
      return answer instanceof Promise ? answer.catch(thrown) : answer;
    } catch (cause) {
      return thrown(cause);
    }
  }

  #executeOrPropose(
    id: string | undefined,
    tool: string,
    call: ValidatedCall,
    signal: AbortSignal | undefined,
  ): Answer | Promise<Answer> {
    const { propose } = call;
    if (propose === undefined) return call.execute(signal);
    const decide = (target: Target | Failed): Answer | Promise<Answer> => {
      if ("status" in target) return target;
      if (signal?.aborted) return cancelled();
      return this.#isProposed(id, tool, call, target) ? propose(signal) : call.execute(signal);
    };
    const target = typeof this.approve === "function" ? call.target?.() : NO_TARGET;
    if (target === undefined) return unknownTarget(tool);
    return target instanceof Promise ? unlessAborted(target, signal, cancelled).then(decide) : decide(target);
  }

  /** Whether the user decides. Only a plain `false` of a policy lets a call run, and none without a review that it needs. */
  #isProposed(
    id: string | undefined,
    tool: string,
    { args, needsReview = false }: ValidatedCall,
    { target, isAmbiguous = false }: Target,
  ): boolean {
    const { approve } = this;
    if (typeof approve !== "function") return approve === "always";
    const answer = approve({ ...(id !== undefined && { id }), tool, args: structuredClone(args), target });
    return answer !== false || isAmbiguous || needsReview;
  }

  #settle(key: number, received: ReceivedCall, answer: Answer, fixes: readonly Fix[] = []): AgentResult {
    const result = toResult(received, answer, fixes);
    if (result.proposal) this.decisions.follow(result, result.proposal);
    this.calls.settle(key, result);
    return result;
  }
}

function cancelled(): Failed {
  const message = "The call was cancelled before it was executed.";
  return failed("CANCELLED", message, "Nothing was changed. Wait for the user.");
}

function unknownTarget(tool: string): Failed {
  const message = `The call of ${JSON.stringify(cut(tool))} does not say what it would change.`;
  return failed("INVALID_ARGUMENT", message, "Send all arguments that the tool's definition requires.");
}

/** `repairs` were made to the arguments. The tool may add its own, such as those of an edit. */
function toResult({ id, tool }: ReceivedCall, answer: Answer, repairs: readonly Fix[]): AgentResult {
  const { status, effects } = answer;
  const about = { ...(id !== undefined && { id }), tool, ...(effects && { effects }) };
  const { fixes: own = [] }: { fixes?: readonly Fix[] } = answer.result ?? {};
  const listed = repairs.length > 0 && { fixes: [...repairs, ...own] };
  if (answer.status === "success")
    return { ...about, status: "success", result: { status, ...answer.result, ...listed } };
  if (answer.status === "error") {
    const { error } = answer;
    return { ...about, status: "error", result: { status, error, ...answer.result, ...listed }, error };
  }
  const { proposal } = answer;
  const { target, kind } = proposal;
  const result = { status, message: PENDING, ...answer.result, ...listed, proposed: { kind, target } };
  return { ...about, status: "pending", result, proposal };
}
