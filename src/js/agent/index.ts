/** `agentTools`: one object through which a model calls the tools of a page. */
import { misuse } from "../core/errors.js";
import { isObject } from "../core/kinds.js";
import { type ArgumentKind, requireOptions, wrong } from "../core/require.js";
import { FORMAT_OPTIONS, FORMATS, writeTool } from "../definitions/format.js";
import type { FormatOptions, ToolDefinition, ToolFormat } from "../definitions/types.js";
import { pagePrompt } from "../document/page-prompt.js";
import { BlockDrafts } from "./drafts.js";
import { CallExecutor } from "./executor.js";
import { blockTools, toolPrompt } from "./prompt.js";
import { REPLY_FORMATS, writeReplies } from "./reply.js";
import { type ToolSource, toolSet } from "./tool-set.js";
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

const EDIT_FORMATS: ArgumentKind = [
  "a list of applyPatchFormat and unifiedFormat",
  (value) => Array.isArray(value) && value.every((format) => isObject(format) && isObject(format.tool)),
];

/**
 * The tools of a store, a workspace and task flows, for an agent: their definitions for the model, the execution of its
 * calls, and the messages with the results. Calls in chat text, native calls and MCP requests all go through `execute`.
 *
 * ```ts
 * const agent = agentTools({ store, files, approve: "always" });
 * const stream = new ToolBlockStream({ tools: agent.blocks });
 * for (const event of stream.push(chunk)) {
 *   const results = await agent.executeBlock(event);
 *   messages.push(...agent.reply(results, "text"));
 * }
 * ```
 * **An agent cannot approve.** A call that needs an approval becomes a proposal, and its result is `pending`. The page
 * settles it with `approve` or `refuse` of the store, the workspace or the flows.
 */
export function agentTools(options: AgentToolsOptions): AgentTools {
  const kinds = { store: SOURCE, files: SOURCE, flow: SOURCE, approve: APPROVE, drafts: DRAFTS, formats: EDIT_FORMATS };
  requireOptions("agentTools", options, kinds);
  const { store, files, flow, approve = "never" } = options;
  // A call that may need an approval is not shown before: the policy decides by the whole call.
  const { drafts: showsDrafts = approve === "never" } = options;
  const sources = [store, files, flow].filter((source) => source !== undefined);
  if (sources.length === 0)
    throw misuse(
      "agentTools: pass what the agent may work on: store (a PatchStore), files (a Workspace) or flow (a FlowStore).",
    );
  const { formats } = options;
  const sets = sources.flatMap((source) => source[toolSet]({ formats }));
  const tools = sets.flatMap(({ definitions }) => definitions);
  const blocks = blockTools(sets.flatMap(({ inBlocks, definitions }) => (inBlocks ? [] : definitions)));
  const executor = new CallExecutor(sets, blocks, approve);
  const drafts = new BlockDrafts(
    (tool) => sets.find((set) => set.drafts?.tool === executor.nameOf(tool))?.drafts,
    (tool, target) =>
      approve !== "always" && (typeof showsDrafts === "function" ? showsDrafts(tool, target) : showsDrafts),
  );
  const execute: AgentTools["execute"] = (call, options) => executor.execute(call, options);

  const aiSdk = (tool: ToolDefinition): AiSdkTool => {
    const { description, inputSchema } = writeTool(tool, "mcp", {});
    return {
      description,
      // The object that the AI SDK's `jsonSchema` returns. The tool validates its input itself: its errors are for models.
      inputSchema: { [Symbol.for("vercel.ai.schema")]: true, jsonSchema: inputSchema, validate: undefined },
      execute: async (input, { toolCallId: id, abortSignal: signal } = {}) => {
        const { result } = await execute({ toolName: tool.name, input, toolCallId: id }, { signal });
        return result;
      },
    };
  };

  return {
    definitions: ((format: string, options: FormatOptions = {}) => {
      const known: readonly string[] = [...FORMATS, "ai-sdk"];
      if (!known.includes(format)) throw wrong("definitions", "format", `one of ${known.join(", ")}`, format);
      requireOptions("definitions", options, FORMAT_OPTIONS);
      if (format !== "ai-sdk") return tools.map((tool) => writeTool(tool, format as ToolFormat, options));
      return Object.fromEntries(tools.map((tool) => [tool.name, aiSdk(tool)]));
    }) as AgentTools["definitions"],
    blocks,
    prompt: (options) => toolPrompt(tools, store === undefined ? [] : [pagePrompt(store.catalog, options)]),
    execute,
    async executeBlock(event, options) {
      if (event?.type === "json-tool-patch") drafts.add(event, executor.nameOf(event.toolType), options?.signal);
      if (event?.type !== "json-tool-block") return [];
      const { toolId, call, calls = call ? [call] : [] } = event;
      if (calls.length === 0) {
        drafts.end(toolId);
        return [executor.refuseBlock(event)];
      }
      const results: AgentResult[] = [];
      for (const [index, call] of calls.entries()) {
        let result: Promise<AgentResult> | undefined;
        // The call begins before `execute` returns, so it takes the place of its draft in one change.
        drafts.end(toolId, index, () => {
          result = execute(call, options);
        });
        results.push(...(await Promise.all([result ?? []].flat())));
      }
      // A repair may have left calls out.
      drafts.end(toolId);
      return results;
    },
    reply: ((results: AgentResult | readonly AgentResult[], format: string) => {
      if (!REPLY_FORMATS.includes(format)) throw wrong("reply", "format", `one of ${REPLY_FORMATS.join(", ")}`, format);
      const messages = writeReplies([results].flat(), format as "text");
      return Array.isArray(results) ? messages : messages[0];
    }) as AgentTools["reply"],
    decisions: () => executor.decisions.report(sources.flatMap((source) => source.proposals())),
    calls: executor.calls.all,
    subscribe: executor.calls.subscribe,
  };
}
