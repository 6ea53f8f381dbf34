/** `agentTools`: the tools of what a page has, for an agent. */

import type { ToolBlockEvent } from "../blocks/types.js";
import { cut } from "../core/errors.js";
import { type ArgumentKind, requireOptions, wrong } from "../core/require.js";
import { FORMAT_OPTIONS, FORMATS, writeTool } from "../definitions/format.js";
import type { FormatOptions, ToolDefinition } from "../definitions/types.js";
import { CallList } from "./calls.js";
import { Decisions } from "./decisions.js";
import { blockTools, toolPrompt } from "./prompt.js";
import { REPLY_FORMATS, writeReplies } from "./reply.js";
import { readSent, type SentCall } from "./sent.js";
import {
  type Answer,
  failed,
  type ReadCall,
  solutionFor,
  type ToolSet,
  type ToolSource,
  thrown,
  toolSet,
} from "./tool-set.js";
import type { AgentResult, AgentTools, AgentToolsOptions, AiSdkTool, ApprovalPolicy } from "./types.js";

const SOURCE: ArgumentKind = [
  "a PatchStore, a Workspace or a FlowStore",
  (value) => typeof (value as ToolSource | null)?.[toolSet] === "function",
];
const APPROVE: ArgumentKind = [
  '"never", "always" or a function',
  (value) => ["never", "always"].includes(value as string) || typeof value === "function",
];

const PENDING =
  "A person has to agree: nothing has changed yet. Do not send the call again. Go on with what does not depend on it, or end your turn.";

/**
 * The tools of a store, a workspace and task flows, for an agent: what describes them, what makes their calls, and what
 * tells the model. A call in chat text, a native call of a provider and an MCP request come to the same `execute`.
 *
 * ```ts
 * const agent = agentTools({ store, files, approve: "always" });
 * const stream = new ToolBlockStream({ tools: agent.blocks });
 * for (const event of stream.push(chunk)) {
 *   const results = await agent.executeBlock(event);
 *   messages.push(...agent.reply(results, "text"));
 * }
 * ```
 * **An agent cannot approve.** Whatever comes by this way is the agent's: what a person has to agree to becomes a proposal,
 * and its answer is `pending`. The page settles it by `approve` and `refuse` of the store, the workspace or the flows.
 * @throws GenuiPatchError `INVALID_ARGUMENT` for options that are not understood.
 */
export function agentTools(options: AgentToolsOptions): AgentTools {
  requireOptions("agentTools", options, { store: SOURCE, files: SOURCE, flow: SOURCE, approve: APPROVE });
  const { store, files, flow, approve = "never" } = options;
  return new Agent(
    [store, files, flow].filter((source) => source !== undefined),
    approve,
  );
}

class Agent implements AgentTools {
  readonly #definitions: readonly ToolDefinition[];
  readonly #sets = new Map<string, ToolSet>();
  readonly #sources: readonly ToolSource[];
  readonly #approve: ApprovalPolicy;
  readonly #list = new CallList();
  readonly #decisions = new Decisions();
  readonly blocks: AgentTools["blocks"];
  readonly calls = this.#list.all;
  readonly subscribe = this.#list.subscribe;

  constructor(sources: readonly ToolSource[], approve: ApprovalPolicy) {
    this.#sources = sources;
    this.#approve = approve;
    const sets = sources.map((source) => source[toolSet]());
    this.#definitions = sets.flatMap(({ definitions }) => definitions);
    for (const set of sets) for (const { name } of set.definitions) this.#sets.set(name, set);
    this.blocks = blockTools(sets.flatMap(({ inBlocks, definitions }) => (inBlocks ? [] : definitions)));
  }

  readonly definitions = ((format: string, options: FormatOptions = {}) => {
    const known: readonly string[] = [...FORMATS, "ai-sdk"];
    if (!known.includes(format)) throw wrong("definitions", "format", `one of ${known.join(", ")}`, format);
    requireOptions("definitions", options, FORMAT_OPTIONS);
    if (format !== "ai-sdk") return this.#definitions.map((tool) => writeTool(tool, format as "mcp", options));
    return Object.fromEntries(this.#definitions.map((tool) => [tool.name, this.#aiSdk(tool)]));
  }) as AgentTools["definitions"];

  #aiSdk(tool: ToolDefinition): AiSdkTool {
    const { description, inputSchema } = writeTool(tool, "mcp", {});
    return {
      description,
      // What the AI SDK's `jsonSchema` makes. The tool validates its input itself, with answers that a model understands.
      inputSchema: { [Symbol.for("vercel.ai.schema")]: true, jsonSchema: inputSchema, validate: undefined },
      execute: async (input, { toolCallId: id, abortSignal: signal } = {}) => {
        const { result } = await this.execute({ toolName: tool.name, input, toolCallId: id } as never, { signal });
        return result;
      },
    };
  }

  readonly prompt = (): string => toolPrompt(this.#definitions);

  readonly execute: AgentTools["execute"] = async (call, options) => {
    let sent: SentCall = { tool: "", text: "" };
    let refused: Answer | undefined;
    try {
      sent = readSent(call);
    } catch (cause) {
      refused = thrown(cause);
    }
    const key = this.#list.begin(sent.tool, sent.id);
    return this.#settle(key, sent, await (refused ?? this.#start(sent, options?.signal)));
  };

  #settle(key: number, sent: SentCall, answer: Answer): AgentResult {
    const result = toResult(sent, answer);
    if (result.proposal) this.#decisions.follow(result, result.proposal);
    this.#list.settle(key, result);
    return result;
  }

  readonly decisions = (): string => this.#decisions.take(this.#sources.flatMap((source) => source.proposals()));

  /** Begins a call in this very turn, so that calls take effect in the order in which they came. */
  #start(sent: SentCall, signal: AbortSignal | undefined): Answer | Promise<Answer> {
    try {
      if (signal?.aborted) {
        const message = "The call was cancelled before it was made.";
        return failed("CANCELLED", message, "Nothing was changed. Wait for the person.");
      }
      const set = this.#sets.get(sent.tool);
      if (set === undefined) return this.#unknown(sent.tool);
      const read = set.read(sent.tool, sent.text);
      if ("status" in read) return read;
      const answer = read.propose && this.#asks(sent, read) ? read.propose(signal) : read.make(signal);
      return answer instanceof Promise ? answer.catch(thrown) : answer;
    } catch (cause) {
      return thrown(cause);
    }
  }

  /** Whether a person has to agree. A policy decides by what would be made; only a plain `false` lets a call pass. */
  #asks({ id, tool }: SentCall, { args, target = "" }: ReadCall): boolean {
    if (typeof this.#approve !== "function") return this.#approve === "always";
    const shown = structuredClone(args);
    return this.#approve({ ...(id !== undefined && { id }), tool, args: shown, target }) !== false;
  }

  #unknown(tool: string): Answer {
    const known = [...this.#sets.keys()].join(", ");
    const message = tool === "" ? "The call names no tool." : `There is no tool ${JSON.stringify(cut(tool))}.`;
    return failed("UNKNOWN_TOOL", message, known === "" ? "There are no tools." : `Use one of ${known}.`);
  }

  readonly executeBlock: AgentTools["executeBlock"] = async (event, options) => {
    if (event?.type !== "json-tool-block") return [];
    const { call, calls = call ? [call] : [] } = event;
    if (calls.length === 0) return [this.#broken(event)];
    const results: AgentResult[] = [];
    for (const call of calls) results.push(await this.execute(call, options));
    return results;
  };

  #broken(event: Extract<ToolBlockEvent, { type: "json-tool-block" }>): AgentResult {
    const { toolId: id, toolType, issues, errors, status } = event;
    const sent = { id, tool: toolType ?? "", text: "" };
    const issue = issues.find(({ severity }) => severity === "error");
    const code = issue?.code ?? "NO_BLOCK";
    const answer: Answer =
      code === "UNKNOWN_TOOL"
        ? this.#unknown(sent.tool)
        : failed(code, errors.join(" "), solutionFor(status === "truncated" ? "TRUNCATED" : code));
    return this.#settle(this.#list.begin(sent.tool, id), sent, answer);
  }

  readonly reply = ((results: AgentResult | readonly AgentResult[], format: string) => {
    if (!REPLY_FORMATS.includes(format)) throw wrong("reply", "format", `one of ${REPLY_FORMATS.join(", ")}`, format);
    const several = Array.isArray(results);
    const messages = writeReplies(several ? results : [results], format as "text");
    return several ? messages : messages[0];
  }) as AgentTools["reply"];
}

function toResult({ id, tool }: SentCall, answer: Answer): AgentResult {
  const { status, effects } = answer;
  const about = { ...(id !== undefined && { id }), tool, ...(effects && { effects }) };
  if (answer.status === "success") return { ...about, status: "success", result: { status, ...answer.result } };
  if (answer.status === "error") {
    const { error } = answer;
    return { ...about, status: "error", result: { status, error, ...answer.result }, error };
  }
  const { proposal } = answer;
  const { target, kind } = proposal;
  const result = { status, message: PENDING, ...answer.result, proposed: { kind, target } };
  return { ...about, status: "pending", result, proposal };
}
