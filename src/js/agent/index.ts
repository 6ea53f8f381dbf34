/** `agentTools`: the tools of what a page has, for an agent. */
import type { Fix, ToolBlockEndEvent } from "../blocks/types.js";
import { unlessAborted } from "../core/abort.js";
import { cut, misuse } from "../core/errors.js";
import { parseJson } from "../core/json.js";
import { isObject, isText } from "../core/kinds.js";
import { type ArgumentKind, requireOptions, wrong } from "../core/require.js";
import { FORMAT_OPTIONS, FORMATS, writeTool } from "../definitions/format.js";
import type { FormatOptions, ToolDefinition } from "../definitions/types.js";
import { CallList } from "./calls.js";
import { Decisions } from "./decisions.js";
import { BlockDrafts } from "./drafts.js";
import { blockTools, toolPrompt } from "./prompt.js";
import { REPLY_FORMATS, writeReplies } from "./reply.js";
import { argumentsOf, readSent, type SentCall } from "./sent.js";
import {
  type Answer,
  argumentRepair,
  type Failed,
  failed,
  type ReadCall,
  solutionFor,
  type Target,
  type ToolSource,
  thrown,
  toolSet,
} from "./tool-set.js";
import type { AgentResult, AgentTools, AgentToolsOptions, AiSdkTool } from "./types.js";

const SOURCE: ArgumentKind = [
  "a PatchStore, a Workspace or a FlowStore",
  (value) => typeof (value as ToolSource | null)?.[toolSet] === "function",
];
const DRAFTS: ArgumentKind = [
  "true, false or a function",
  (value) => typeof value === "boolean" || typeof value === "function",
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
 */
export function agentTools(options: AgentToolsOptions): AgentTools {
  requireOptions("agentTools", options, {
    store: SOURCE,
    files: SOURCE,
    flow: SOURCE,
    approve: APPROVE,
    drafts: DRAFTS,
  });
  const { store, files, flow, approve = "never" } = options;
  // What waits for the user must not be seen before: a policy decides by the whole call.
  const { drafts: showsDrafts = approve === "never" } = options;
  const sources = [store, files, flow].filter((source) => source !== undefined);
  if (sources.length === 0)
    throw misuse(
      "agentTools: pass what the agent may work on: store (a PatchStore), files (a Workspace) or flow (a FlowStore).",
    );
  const sets = sources.map((source) => source[toolSet]());
  const tools = sets.flatMap(({ definitions }) => definitions);
  const owners = new Map(sets.flatMap((set) => set.definitions.map(({ name }) => [name, set])));
  const blocks = blockTools(sets.flatMap(({ inBlocks, definitions }) => (inBlocks ? [] : definitions)));
  const list = new CallList();
  const decisions = new Decisions();
  const drafts = new BlockDrafts(
    (tool) => sets.find((set) => set.drafts?.tool === tool)?.drafts,
    (tool, target) =>
      approve !== "always" && (typeof showsDrafts === "function" ? showsDrafts(tool, target) : showsDrafts),
  );

  /** Whether a user has to approve. A policy decides by what would change; only a plain `false` lets a call pass. */
  const asks = ({ id, tool }: SentCall, { args }: ReadCall, { target, isAmbiguous }: Target): boolean => {
    if (typeof approve !== "function") return approve === "always";
    const answer = approve({ ...(id !== undefined && { id }), tool, args: structuredClone(args), target });
    return answer !== false || isAmbiguous === true;
  };

  /** Makes a call, or proposes it. Where a policy decides, it is told what the call would change. */
  const begin = (sent: SentCall, read: ReadCall, signal: AbortSignal | undefined): Answer | Promise<Answer> => {
    const { propose } = read;
    if (propose === undefined) return read.make(signal);
    const decide = (target: Target | Failed): Answer | Promise<Answer> => {
      if ("status" in target) return target;
      if (signal?.aborted) return cancelled();
      return asks(sent, read, target) ? propose(signal) : read.make(signal);
    };
    const target = typeof approve === "function" ? read.target?.() : NO_TARGET;
    if (target === undefined) return unknownTarget(sent.tool);
    return target instanceof Promise ? unlessAborted(target, signal, cancelled).then(decide) : decide(target);
  };

  const solutionForTools = () => `Use one of ${[...owners.keys()].join(", ")}.`;

  const unknown = (tool: string): Answer => {
    const message = tool === "" ? "The call names no tool." : `There is no tool ${JSON.stringify(cut(tool))}.`;
    return failed("UNKNOWN_TOOL", message, solutionForTools());
  };

  /** The name of a tool in the letters of its definition. */
  const nameOf = (sent: string): string =>
    owners.has(sent) ? sent : ([...owners.keys()].find((name) => name.toLowerCase() === sent.toLowerCase()) ?? sent);

  /** The arguments as JSON text, with what was repaired. The tool itself refuses a text that cannot be repaired. */
  const readText = (sent: SentCall): { text: string; fixes: Fix[] } => {
    const text = argumentsOf(sent);
    const value = isText(sent.args) && text.trim() !== "" ? parseJson(text) : null;
    const isSound = value === null || isObject(value);
    return (isSound ? undefined : argumentRepair.repair?.(sent.tool, text, blocks)) ?? { text, fixes: [] };
  };

  /** Begins a call in this very turn, so that calls take effect in the order in which they came. */
  const start = (sent: SentCall, text: string, signal: AbortSignal | undefined): Answer | Promise<Answer> => {
    try {
      if (signal?.aborted) return cancelled();
      const read = owners.get(sent.tool)?.read(sent.tool, text) ?? unknown(sent.tool);
      if ("status" in read) return read;
      const answer = begin(sent, read, signal);
      return answer instanceof Promise ? answer.catch(thrown) : answer;
    } catch (cause) {
      return thrown(cause);
    }
  };

  const settle = (key: number, sent: SentCall, answer: Answer, fixes: Fix[] = []): AgentResult => {
    const result = toResult(sent, answer, fixes);
    if (result.proposal) decisions.follow(result, result.proposal);
    list.settle(key, result);
    return result;
  };

  const execute: AgentTools["execute"] = async (call, options) => {
    let sent: SentCall = { tool: "", args: {} };
    let read: ReturnType<typeof readText> = { text: "", fixes: [] };
    let refused: Answer | undefined;
    try {
      const { tool, ...rest } = readSent(call, (name) => owners.has(nameOf(name)));
      sent = { ...rest, tool: nameOf(tool) };
      if (sent.refused !== undefined) refused = failed("UNKNOWN_TOOL", sent.refused, solutionForTools());
      else read = readText(sent);
    } catch (cause) {
      refused = thrown(cause, sent.tool === "" ? undefined : "Send arguments that JSON can carry.");
    }
    const key = list.begin(sent.tool, sent.id);
    return settle(key, sent, await (refused ?? start(sent, read.text, options?.signal)), read.fixes);
  };

  const broken = ({ toolId: id, toolType, issues, errors, status }: ToolBlockEndEvent): AgentResult => {
    const sent = { id, tool: toolType ?? "", args: {} };
    const code = issues.find(({ severity }) => severity === "error")?.code ?? "NO_BLOCK";
    const answer =
      code === "UNKNOWN_TOOL"
        ? unknown(sent.tool)
        : failed(code, errors.join(" "), solutionFor(status === "truncated" ? "TRUNCATED" : code));
    return settle(list.begin(sent.tool, id), sent, answer);
  };

  const aiSdk = (tool: ToolDefinition): AiSdkTool => {
    const { description, inputSchema } = writeTool(tool, "mcp", {});
    return {
      description,
      // What the AI SDK's `jsonSchema` makes. The tool validates its input itself, with answers that a model understands.
      inputSchema: { [Symbol.for("vercel.ai.schema")]: true, jsonSchema: inputSchema, validate: undefined },
      execute: async (input, { toolCallId: id, abortSignal: signal } = {}) => {
        const { result } = await execute({ toolName: tool.name, input, toolCallId: id } as never, { signal });
        return result;
      },
    };
  };

  return {
    definitions: ((format: string, options: FormatOptions = {}) => {
      const known: readonly string[] = [...FORMATS, "ai-sdk"];
      if (!known.includes(format)) throw wrong("definitions", "format", `one of ${known.join(", ")}`, format);
      requireOptions("definitions", options, FORMAT_OPTIONS);
      if (format !== "ai-sdk") return tools.map((tool) => writeTool(tool, format as "mcp", options));
      return Object.fromEntries(tools.map((tool) => [tool.name, aiSdk(tool)]));
    }) as AgentTools["definitions"],
    blocks,
    prompt: () => toolPrompt(tools),
    execute,
    async executeBlock(event, options) {
      if (event?.type === "json-tool-patch") drafts.add(event, nameOf(event.toolType), options?.signal);
      if (event?.type !== "json-tool-block") return [];
      const { toolId, call, calls = call ? [call] : [] } = event;
      if (calls.length === 0) {
        drafts.end(toolId);
        return [broken(event)];
      }
      const results: AgentResult[] = [];
      // `execute` begins its call in this turn, so the call takes the draft's place in one change.
      for (const [index, call] of calls.entries())
        results.push(await drafts.end(toolId, index, () => execute(call, options)));
      // A repair may have left calls out.
      drafts.end(toolId);
      return results;
    },
    reply: ((results: AgentResult | readonly AgentResult[], format: string) => {
      if (!REPLY_FORMATS.includes(format)) throw wrong("reply", "format", `one of ${REPLY_FORMATS.join(", ")}`, format);
      const messages = writeReplies([results].flat(), format as "text");
      return Array.isArray(results) ? messages : messages[0];
    }) as AgentTools["reply"],
    decisions: () => decisions.take(sources.flatMap((source) => source.proposals())),
    calls: list.all,
    subscribe: list.subscribe,
  };
}

/** A policy that is no function asks for none. */
const NO_TARGET: Target = { target: "" };

function cancelled(): Failed {
  const message = "The call was cancelled before it was made.";
  return failed("CANCELLED", message, "Nothing was changed. Wait for the person.");
}

function unknownTarget(tool: string): Failed {
  const message = `The call of ${JSON.stringify(cut(tool))} does not say what it would change.`;
  return failed("INVALID_ARGUMENT", message, "Send all arguments that the tool's definition asks for.");
}

/** `repaired` is what was done to the arguments. A tool may have fixes of its own, such as those of an edit. */
function toResult({ id, tool }: SentCall, answer: Answer, repaired: Fix[]): AgentResult {
  const { status, effects } = answer;
  const about = { ...(id !== undefined && { id }), tool, ...(effects && { effects }) };
  const { fixes: own = [] } = (answer.result ?? {}) as { fixes?: Fix[] };
  const listed = repaired.length > 0 && { fixes: [...repaired, ...own] };
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
