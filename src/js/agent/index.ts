/** `agentTools`: one object through which a model calls the tools of a page. */

import type { Schema } from "../core/catalog-types.js";
import { misuse } from "../core/errors.js";
import { copyJson } from "../core/json.js";
import { isObject, isText } from "../core/kinds.js";
import {
  ANY,
  type ArgumentKind,
  FLAG,
  FUNCTION,
  requireKind,
  requireOptions,
  requireText,
  wrong,
} from "../core/require.js";
import { FILE_TOOLS } from "../definitions/custom-tools.js";
import { FORMAT_OPTIONS, isToolFormat, writeMcpTool, writeTools } from "../definitions/format.js";
import { formatName, PROVIDER_FORMATS } from "../definitions/provider-formats.js";
import type {
  CustomTool,
  FormatOptions,
  OpenAiResponsesTool,
  ProviderTools,
  ToolDefinition,
} from "../definitions/types.js";
import { pagePrompt } from "../document/page-prompt.js";
import { AGENT, CHANGE } from "../store/authors.js";
import { type Answer, type ToolSet, type ToolSetOptions, toolSet } from "../tools/tool-set.js";
import type { Json } from "../types.js";
import { BlockDrafts } from "./drafts.js";
import { CallExecutor } from "./executor.js";
import { FLAG_OR_FUNCTION, OwnTools, readOwnTools } from "./own/tools.js";
import { blockTools, toolPrompt } from "./prompt.js";
import { briefResult, writeReplies } from "./reply.js";
import type {
  AgentResult,
  AgentToolName,
  AgentTools,
  AgentToolsOptions,
  AiSdkTool,
  ReplyFormat,
  ReplyMessages,
} from "./types.js";

/** `toolSet` is the symbol under which these objects have the method that returns their tools. */
const SOURCE: ArgumentKind = [
  "a PatchStore, a Workspace or a FlowStore",
  (value) => typeof value === "object" && value !== null && toolSet in value && typeof value[toolSet] === "function",
];
const APPROVE: ArgumentKind = [
  '"never", "always" or a function',
  (value) => value === "never" || value === "always" || typeof value === "function",
];
const EDIT_FORMATS: ArgumentKind = [
  'a list of "apply_patch" and "unified"',
  (value) => Array.isArray(value) && value.every((format) => format === "apply_patch" || format === "unified"),
];
/** The kind of each option. */
const OPTIONS = {
  store: SOURCE,
  files: SOURCE,
  flow: SOURCE,
  read: FLAG,
  formats: EDIT_FORMATS,
  tools: ANY,
  approve: APPROVE,
  author: CHANGE.author,
  drafts: FLAG_OR_FUNCTION,
};

/** Tells TypeScript that the names of definitions are the literals `Name`, which their type does not say. True for all. */
const isNamed = <Name extends string>(tool: ToolDefinition): tool is ToolDefinition & { name: Name } =>
  isText(tool.name);

/**
 * The tools of a store, a workspace and task flows, and those of the application, for an agent: their definitions for the model,
 * the execution of its calls, and the messages with the results. Calls in chat text, native calls and MCP requests all go
 * through `execute`.
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
 * settles it with `approve` or `refuse` of the store, the workspace or the flows; calls of own tools with those of the agent.
 */
export function agentTools<const Schemas extends { readonly [name: string]: Schema } = Record<never, Schema>>(
  options: AgentToolsOptions<Schemas>,
): AgentTools<keyof Schemas & string> {
  requireOptions("agentTools", options, OPTIONS);
  const {
    store,
    files,
    flow,
    read,
    formats,
    tools: applicationTools = {},
    approve = "never",
    author = AGENT,
  } = options;
  // Drafts show a call before it is complete, and a policy decides by the complete call. So the default is without drafts.
  const { drafts: showsDrafts = approve === "never" } = options;
  const sources = [store, files, flow].filter((source) => source !== undefined);
  // `executor` is set below, before any proposal can change.
  const ownTools = new OwnTools(readOwnTools(applicationTools), () => executor.calls.changed());
  if (sources.length === 0 && ownTools.definitions.length === 0)
    throw misuse(
      "agentTools: pass what the agent may work on: store (a PatchStore), files (a Workspace), flow (a FlowStore) or tools of your own.",
    );
  // The tools read these options at each call. `turn` sets `group` while it runs.
  const setOptions: { -readonly [key in keyof ToolSetOptions]: ToolSetOptions[key] } = { read, formats, author };
  const sets: readonly ToolSet[] = [...sources.flatMap((source) => source[toolSet](setOptions)), ownTools];
  const tools = sets.flatMap(({ definitions }) => definitions);
  requireUnused(ownTools, sets);
  // Without the file tools, which streams of blocks know.
  const blocks: readonly CustomTool<AgentToolName | (keyof Schemas & string)>[] = blockTools(
    sets
      .flatMap(({ inBlocks, definitions }) => (inBlocks ? [] : definitions))
      .filter(isNamed<AgentToolName | (keyof Schemas & string)>),
  );
  const executor = new CallExecutor(sets, blocks, approve, author);
  const openerOf = (tool: string) => sets.find((set) => set.drafts?.tool === executor.nameOf(tool))?.drafts;
  const mayShow = (tool: string, target: string) =>
    approve !== "always" && (typeof showsDrafts === "function" ? showsDrafts(tool, target) : showsDrafts);
  const drafts = new BlockDrafts(openerOf, mayShow);
  const execute: AgentTools["execute"] = (call, { signal } = {}) => executor.execute(call, { signal });

  const aiSdk = (tool: ToolDefinition): AiSdkTool => {
    const { description, inputSchema } = writeMcpTool(tool);
    return {
      description,
      // The object that the AI SDK's `jsonSchema` returns. The tool validates its input itself: its errors are for models.
      inputSchema: { [Symbol.for("vercel.ai.schema")]: true, jsonSchema: inputSchema, validate: undefined },
      execute: async (input, { toolCallId: id, abortSignal: signal } = {}) =>
        briefResult(await execute({ toolName: tool.name, input, toolCallId: id }, { signal })),
    };
  };

  function definitions(format: "ai-sdk"): { [tool: string]: AiSdkTool };
  function definitions(format: "text", options?: FormatOptions): never[];
  function definitions(format: "openai", options: FormatOptions & { api: "responses" }): OpenAiResponsesTool[];
  function definitions<Format extends keyof ProviderTools>(
    format: Format,
    options?: FormatOptions,
  ): ProviderTools[Format][];
  function definitions(format: string, options: FormatOptions = {}): object {
    const name = formatName(format);
    requireOptions("definitions", options, FORMAT_OPTIONS);
    if (name === "ai-sdk") return Object.fromEntries(tools.map((tool) => [tool.name, aiSdk(tool)]));
    if (name === "text") return [];
    if (isToolFormat(name)) return writeTools(tools, name, options);
    throw wrong("definitions", "format", FORMAT_WORDS, format);
  }

  function reply<Format extends ReplyFormat>(result: AgentResult, format: Format): ReplyMessages[Format];
  function reply<Format extends ReplyFormat>(results: readonly AgentResult[], format: Format): ReplyMessages[Format][];
  function reply(results: AgentResult | readonly AgentResult[], format: string): unknown {
    const messages = writeReplies([results].flat(), format);
    if (messages === undefined) throw wrong("reply", "format", FORMAT_WORDS, format);
    return Array.isArray(results) ? messages : messages[0];
  }

  return {
    definitions,
    blocks,
    prompt: (options) => toolPrompt(tools, store === undefined ? [] : [pagePrompt(store.catalog, options)]),
    execute,
    async proposeIfNeeded(call) {
      // Runs in place of the tool's function: a call that needs no approval succeeds without an effect.
      const doNothing = (): Answer => ({ status: "success", result: {} });
      const result = await executor.execute(call, {}, doNothing);
      return result.status === "success" ? undefined : result;
    },
    // A patch that arrives extends the draft of its call. The end of the block executes its calls one after the other, each of
    // which replaces its draft. A block without a valid call discards its drafts.
    async executeBlock(event, options) {
      // Callers in JavaScript may pass nothing.
      if (event?.type === "json-tool-patch") drafts.add(event, executor.nameOf(event.toolType), options?.signal);
      if (event?.type !== "json-tool-block") return [];
      const { toolId, call, calls = call ? [call] : [] } = event;
      if (calls.length === 0) {
        drafts.discard(toolId);
        return [executor.refuseBlock(event)];
      }
      const results: AgentResult[] = [];
      for (const [index, call] of calls.entries()) {
        // The call begins before `execute` returns, so it takes the place of its draft in one change.
        const signal = options?.signal;
        results.push(await drafts.replace(toolId, index, (draft) => executor.execute(call, { signal, draft })));
      }
      // A repair may have dropped calls whose drafts are still open.
      drafts.discard(toolId);
      return results;
    },
    reply,
    turn(run) {
      requireKind("turn", "function", run, FUNCTION);
      // A turn inside of a turn is part of it.
      if (setOptions.group !== undefined) return run(setOptions.group);
      setOptions.group = `turn-${Math.floor(Math.random() * 2 ** 48).toString(36)}`;
      const end = () => {
        setOptions.group = undefined;
      };
      let isAsync = false;
      try {
        const result = run(setOptions.group);
        isAsync = result instanceof Promise;
        if (result instanceof Promise) result.then(end, end);
        return result;
      } finally {
        if (!isAsync) end();
      }
    },
    decisions: () =>
      executor.decisions.report([...sources.flatMap((source) => source.proposals()), ...ownTools.proposals()]),
    proposals: () => ownTools.proposals(),
    async approve(id, { signal, args } = {}) {
      requireText("approve", "proposal id", id);
      const edited = args && copyJson(args, "args");
      if (edited !== undefined && !isObject<Json>(edited)) throw wrong("approve", "args", "an object", args);
      // The target of a call is the name of its tool. Without a proposal of this id, `approve` below fails.
      const { target = "" } = ownTools.proposals().find((proposal) => proposal.id === id) ?? {};
      return executor.executeApproved(target, async () => (await ownTools.load()).approve(id, signal, edited));
    },
    refuse(id, reason) {
      requireText("refuse", "proposal id", id);
      if (reason !== undefined) requireText("refuse", "reason", reason);
      ownTools.refuse(id, reason);
    },
    calls: executor.calls.all,
    subscribe: executor.calls.subscribe,
  };
}

/** The values that `format` may have, for error messages. */
const FORMAT_WORDS = /* @__PURE__ */ `one of ${/* @__PURE__ */ PROVIDER_FORMATS.join(", ")}`;

/**
 * Refuses own tools with the name or alias of another tool. The names of file tools are refused even without a workspace, since
 * streams of blocks always know them.
 */
function requireUnused({ definitions }: OwnTools, sets: readonly ToolSet[]): void {
  const takenNames = sets.flatMap((set) => [
    // The names of own tools differ from each other: they are the keys of an object.
    ...(set.definitions === definitions ? FILE_TOOLS : set.definitions.map(({ name }) => name)),
    ...Object.values(set.aliases ?? {}).flat(),
  ]);
  const duplicate = definitions.find(({ name }) => takenNames.includes(name));
  if (duplicate !== undefined)
    throw misuse(`agentTools: tools has "${duplicate.name}", which is the name of another tool.`);
}
