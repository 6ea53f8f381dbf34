/** The shapes of an agent's calls, and of what becomes of them. */

import type { Effect, Proposal } from "../approval/types.js";
import type { FileCall, ToolBlockEvent, ToolCall } from "../blocks/types.js";
import type { CustomTool, FormatOptions, OpenAiResponsesTool, ProviderTools } from "../definitions/types.js";
import type { Json } from "../types.js";
import type { AgentError, ToolSource } from "./tool-set.js";

export type { AgentError, ToolSource } from "./tool-set.js";

/** A call that an agent wants to make, as a policy sees it: what it sees is what would be made. */
export interface AgentRequest {
  /** The provider's or the block's id of the call. */
  readonly id?: string | undefined;
  readonly tool: string;
  /** The arguments as the tool takes them: paths are normalised, names are in their one spelling. */
  readonly args: { readonly [key: string]: Json };
  /**
   * What would change, the same for all spellings of it: the name of an instance, `taskId/nodeId`, or the identity of a file:
   * its path from the workspace on, links followed where the host has `realpath`, folded as by NFC and lower case. The path
   * as it was sent, normalised, is `args.path`. Calls that do not say what they would change are refused before this is asked.
   */
  readonly target: string;
}

/**
 * Which calls a user has to approve: none, but for nodes whose type asks for it; all that change a document, a file or a
 * node; or those for which a function does not return `false`, and all for files whose path differs from that of another
 * file only in case or in the form of accents.
 */
export type ApprovalPolicy = "never" | "always" | ((call: AgentRequest) => boolean);

/** Options of {@link agentTools}: what the agent may work on. */
export interface AgentToolsOptions {
  /** A `PatchStore`: its five tools. */
  store?: ToolSource | undefined;
  /** A `Workspace`: write_file, edit_file, delete_file. */
  files?: ToolSource | undefined;
  /** A `FlowStore`: updateNode. */
  flow?: ToolSource | undefined;
  /** Default: `"never"`. */
  approve?: ApprovalPolicy | undefined;
  /**
   * Whether a page is shown while the call that builds it still arrives, where `executeBlock` gets `json-tool-patch` events.
   * Default: true with `approve: "never"`, else false. With `approve: "always"` nothing is shown before the user approves.
   */
  drafts?: boolean | ((tool: string, target: string) => boolean) | undefined;
}

/** What providers write beside the name of a tool. */
type SentWith = {
  readonly [key in
    | "id"
    | "type"
    | "call_id"
    | "toolCallId"
    | "args"
    | "arguments"
    | "input"
    | "parameters"
    | "tool_input"
    | "action_input"]?: unknown;
};

/** A call in one of the shapes in which providers write it. */
export type AgentCallInput =
  /** A tool block, or a call of a file tool that the page put together. */
  | ToolCall
  | FileCall
  | (SentWith & { readonly tool: string })
  /** MCP (the params of tools/call, or the request), Anthropic, Gemini, OpenAI's responses. */
  | (SentWith & { readonly name: string })
  | (SentWith & { readonly method: string; readonly params: object })
  | { readonly functionCall: object }
  /** LangChain's and others' names for the same, and OpenAI's older form. */
  | (SentWith & ({ readonly tool_name: string } | { readonly action: string } | { readonly function: string }))
  | { readonly function_call: object }
  /** OpenAI's chat completions. */
  | (SentWith & { readonly function: { readonly name: string; readonly arguments: string } })
  /** The AI SDK. */
  | (SentWith & { readonly toolName: string });

export interface ExecuteOptions {
  /**
   * Once it is aborted, no call begins, and one that waits for a file answers `CANCELLED` at once. What a host was writing then
   * may still be written, and the answer says so.
   */
  signal?: AbortSignal | undefined;
}

interface Settled {
  /** The provider's or the block's id of the call. */
  id?: string | undefined;
  tool: string;
  /** What the model reads: an object with `status`, and what the tool answers. */
  result: { readonly status: AgentResult["status"]; readonly [key: string]: unknown };
  /** For the page to do, for nodes of a task flow (seed 002). */
  effects?: Effect[];
}

/** What became of a call: it was made, it failed and changed nothing, or a person decides. */
export type AgentResult =
  | (Settled & { status: "success"; proposal?: undefined; error?: undefined })
  | (Settled & { status: "pending"; proposal: Proposal; error?: undefined })
  | (Settled & { status: "error"; error: AgentError; proposal?: undefined });

/** A call as the page shows it. One that has not changed is the same object. */
export interface AgentCall {
  /** Unique among the calls of an agent. */
  readonly key: number;
  readonly id?: string | undefined;
  readonly tool: string;
  readonly status: "running" | AgentResult["status"];
  readonly result?: AgentResult;
}

/** By whose form it is in, the message that tells a model of results. `text` is for models without native calls. */
export interface ReplyMessages {
  openai: { role: "tool"; tool_call_id: string; content: string };
  /** As `openai`: the name that a `NativeCallStream` has for it. */
  "openai-chat": ReplyMessages["openai"];
  "openai-responses": { type: "function_call_output"; call_id: string; output: string };
  anthropic: {
    role: "user";
    content: { type: "tool_result"; tool_use_id: string; content: string; is_error?: boolean }[];
  };
  gemini: {
    role: "user";
    parts: { functionResponse: { id?: string; name: string; response: { [key: string]: unknown } } }[];
  };
  "ai-sdk": {
    role: "tool";
    content: {
      type: "tool-result";
      toolCallId: string;
      toolName: string;
      output: { type: "json" | "error-json"; value: Json };
    }[];
  };
  "ag-ui": { id: string; role: "tool"; toolCallId: string; content: string };
  mcp: { content: { type: "text"; text: string }[]; structuredContent: { [key: string]: unknown }; isError: boolean };
  text: { role: "user"; content: string };
}

export type ReplyFormat = keyof ReplyMessages;

/** The tools of agents, beside those of files. */
export type AgentToolName =
  | "patch_ui_state"
  | "get_schema"
  | "list_instances"
  | "validate_completion"
  | "access_instance"
  | "updateNode";

/** A tool in the form of the AI SDK, with `execute` bound. */
export interface AiSdkTool {
  description: string;
  // biome-ignore lint/suspicious/noExplicitAny: the type of a schema is the AI SDK's own, which this package does not import.
  inputSchema: any;
  execute(input: unknown, options?: { toolCallId?: string; abortSignal?: AbortSignal }): Promise<AgentResult["result"]>;
}

/** The one way from a model to the page: whatever calls come by it are the agent's, and none of them approves anything. */
export interface AgentTools {
  /** The tools in the form of a provider. For `"ai-sdk"`: what `streamText` takes as `tools`. */
  definitions(format: "ai-sdk"): { [tool: string]: AiSdkTool };
  definitions(format: "openai", options: FormatOptions & { api: "responses" }): OpenAiResponsesTool[];
  definitions<Format extends keyof ProviderTools>(format: Format, options?: FormatOptions): ProviderTools[Format][];
  /** The tools for `tools` of everything that reads tool blocks or native calls. */
  readonly blocks: readonly CustomTool<AgentToolName>[];
  /** For a model without native calls: which tools there are, and how a call is written. */
  prompt(): string;
  /** Makes a call, or proposes it. Never throws, never approves. Calls that change one thing are made in their order. */
  execute(call: AgentCallInput, options?: ExecuteOptions): Promise<AgentResult>;
  /**
   * Makes the calls of a block, one after the other, once the block is over: a result for each call, one for a block that is
   * broken, none for other events.
   */
  executeBlock(event: ToolBlockEvent, options?: ExecuteOptions): Promise<AgentResult[]>;
  /** The message that tells the model, in the provider's form; for a list of results the messages to add. */
  reply<Format extends ReplyFormat>(result: AgentResult, format: Format): ReplyMessages[Format];
  reply<Format extends ReplyFormat>(results: readonly AgentResult[], format: Format): ReplyMessages[Format][];
  /**
   * What people have decided on the agent's proposals since it was asked last, as a text to put before the next message to
   * the model; empty if nothing. A line for each proposal that was approved, refused, or overtaken by another change.
   */
  decisions(): string;
  /** The calls that run, and the last hundred that are settled: the same list until it changes. */
  calls(): readonly AgentCall[];
  /** Tells a listener that `calls()` is another list. The function that comes back ends that. */
  subscribe(listener: () => void): () => void;
}
