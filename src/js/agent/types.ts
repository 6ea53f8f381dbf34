/** The public types of `agentTools`: options, calls, results and messages. */

import type { ApprovalPolicy } from "../approval/policy.js";
import type { CallProposal, Effect, Proposal } from "../approval/types.js";
import type { FileCall, ToolBlockEvent, ToolCall } from "../blocks/types.js";
import type { Catalog, Schema } from "../core/catalog-types.js";
import type {
  CustomTool,
  EditFormat,
  FormatOptions,
  OpenAiResponsesTool,
  ProviderTools,
} from "../definitions/types.js";
import type { PagePromptOptions } from "../document/page-prompt.js";
import type { AgentError, ToolSource } from "../tools/tool-set.js";
import type { Author, Json } from "../types.js";
import type { AgentToolTable } from "./own/types.js";

export type { AgentRequest, ApprovalAnswer, ApprovalFunction, ApprovalPolicy } from "../approval/policy.js";
export type { CallProposal } from "../approval/types.js";
export type { AgentError, ToolSource } from "../tools/tool-set.js";
export type { AgentTool, AgentToolTable, ToolArguments } from "./own/types.js";

/** Options of {@link agentTools}: what the agent may work on. `Schemas` are the schemas of its own tools, by name. */
export interface AgentToolsOptions<
  Schemas extends { readonly [name: string]: Schema } = { readonly [name: string]: Schema },
> {
  /** A `PatchStore`, with five tools. */
  store?: (ToolSource & { readonly catalog?: Catalog | undefined }) | undefined;
  /** A `Workspace`, with write_file, edit_file, delete_file, read_file and list_files. */
  files?: ToolSource | undefined;
  /** Whether the agent may read and list the files. Default true. */
  read?: boolean | undefined;
  /** A `FlowStore`, with updateNode. */
  flow?: ToolSource | undefined;
  /**
   * Formats of patches that change several files in one call: `"apply_patch"` (OpenAI's, the tool apply_patch), `"unified"`
   * (unified diffs, the tool apply_diff). Default: none. Their parsers are loaded with the first such call.
   */
  formats?: readonly EditFormat[] | undefined;
  /** Tools of the application's own, by name. */
  tools?: AgentToolTable<Schemas> | undefined;
  /** Default: `"never"`. */
  approve?: ApprovalPolicy | undefined;
  /** Who makes the changes. Default `{ kind: "agent" }`. */
  author?: Author | undefined;
  /**
   * Whether a page is shown while the call that builds it still arrives. Works only if `json-tool-patch` events are passed to
   * `executeBlock`. Default: true with `approve: "never"`, else false. With `approve: "always"` nothing is shown before the user
   * approves.
   */
  drafts?: boolean | ((tool: string, target: string) => boolean) | undefined;
}

/** Keys that providers use beside the name of a tool. */
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

/** A call in any provider's format. */
export type AgentCallInput =
  /** The call of a tool block, or a file call that the page has made. */
  | ToolCall
  | FileCall
  | (SentWith & { readonly tool: string })
  /** MCP (a tools/call request or its params), Anthropic, Gemini, OpenAI's Responses API. */
  | (SentWith & { readonly name: string })
  | (SentWith & { readonly method: string; readonly params: object })
  | { readonly functionCall: object }
  /** LangChain and others, and OpenAI's older format. */
  | (SentWith & ({ readonly tool_name: string } | { readonly action: string } | { readonly function: string }))
  | { readonly function_call: object }
  /** OpenAI's Chat Completions API. */
  | (SentWith & { readonly function: { readonly name: string; readonly arguments: string } })
  /** The AI SDK. */
  | (SentWith & { readonly toolName: string });

/** Options of {@link AgentTools.approve}. */
export interface ApproveCallOptions extends ExecuteOptions {
  /** The user's own arguments, in place of the proposed ones. They are checked like those of any call. */
  args?: { readonly [key: string]: unknown } | undefined;
}

/** Options of a call. */
export interface ExecuteOptions {
  /**
   * After it is aborted no call begins, and a call that waits for a file returns `CANCELLED` at once. A write that a host has
   * begun may still finish; the error says so.
   */
  signal?: AbortSignal | undefined;
}

/** The members that the results of all calls have. */
interface ResultBase {
  /** The id of the call: the provider's, or that of its tool block. */
  id?: string | undefined;
  tool: string;
  /** The object for the model: `status`, and the result of the tool. */
  result: { readonly status: AgentResult["status"]; readonly [key: string]: unknown };
  /** Effects for the page to perform, for nodes of a task flow. */
  effects?: Effect[];
}

/** The result of a call: it was executed, it failed and changed nothing, or the user has to approve it. */
export type AgentResult =
  | (ResultBase & { status: "success"; proposal?: undefined; error?: undefined })
  | (ResultBase & { status: "pending"; proposal: Proposal | CallProposal; error?: undefined })
  | (ResultBase & { status: "error"; error: AgentError; proposal?: undefined });

/** A call for the page to show. As long as a call does not change, it is the same object. */
export interface AgentCall {
  /** Unique among the calls of an agent. */
  readonly key: number;
  readonly id?: string | undefined;
  readonly tool: string;
  readonly status: "running" | AgentResult["status"];
  readonly result?: AgentResult;
}

/** The messages with results, by provider. `text` is for models without native calls. */
export interface ReplyMessages {
  openai: { role: "tool"; tool_call_id: string; content: string };
  /** Equal to `openai`, under the name that `NativeCallStream` uses. */
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

/** The name of a format of messages with results. */
export type ReplyFormat = keyof ReplyMessages;

/** The tools that streams of blocks know only from their option `tools`: all but write_file, edit_file and delete_file. */
export type AgentToolName =
  | "read_file"
  | "list_files"
  | "patch_ui_state"
  | "get_schema"
  | "list_instances"
  | "validate_completion"
  | "access_instance"
  | "updateNode"
  | "apply_patch"
  | "apply_diff";

/** A tool for the AI SDK. */
export interface AiSdkTool {
  description: string;
  // biome-ignore lint/suspicious/noExplicitAny: the type of a schema is the AI SDK's own, which this package does not import.
  inputSchema: any;
  execute(input: unknown, options?: { toolCallId?: string; abortSignal?: AbortSignal }): Promise<AgentResult["result"]>;
}

/** The tools of a page for one agent. No call through it approves anything. `Own` are the names of its own tools. */
export interface AgentTools<Own extends string = string> {
  /**
   * The definitions in a provider's format. Those for `"ai-sdk"` are the `tools` of `streamText`; for `"text"` there are none:
   * `prompt` describes the tools.
   */
  definitions(format: "ai-sdk"): { [tool: string]: AiSdkTool };
  definitions(format: "text", options?: FormatOptions): never[];
  definitions(format: "openai", options: FormatOptions & { api: "responses" }): OpenAiResponsesTool[];
  definitions<Format extends keyof ProviderTools>(format: Format, options?: FormatOptions): ProviderTools[Format][];
  /** The definitions of tools for the option `tools` of `ToolBlockStream`, `NativeCallStream` and the like. */
  readonly blocks: readonly CustomTool<AgentToolName | Own>[];
  /**
   * A system prompt for a model without native calls: the tools, and how to write a call. With a store also what a page is
   * made of, as `pagePrompt` says it.
   */
  prompt(options?: PagePromptOptions): string;
  /** Executes or proposes a call. Never throws. Calls for the same file, instance or node take effect in their order. */
  execute(call: AgentCallInput, options?: ExecuteOptions): Promise<AgentResult>;
  /**
   * Makes the proposal of a call that the user has to approve, and executes nothing: for frameworks that ask whether a call needs
   * an approval, and execute it later. Returns `undefined` for a call that needs none, else the `pending` result, or the error of
   * a call that is invalid or that the policy denies. Never throws.
   */
  proposeIfNeeded(call: AgentCallInput): Promise<AgentResult | undefined>;
  /**
   * Executes the calls of a finished block, one after the other. Returns a result for each call, one error for a block without
   * a valid call, and none for other events.
   */
  executeBlock(event: ToolBlockEvent, options?: ExecuteOptions): Promise<AgentResult[]>;
  /** The message with a result, in a provider's format; for a list of results the messages to append. */
  reply<Format extends ReplyFormat>(result: AgentResult, format: Format): ReplyMessages[Format];
  reply<Format extends ReplyFormat>(results: readonly AgentResult[], format: Format): ReplyMessages[Format][];
  /**
   * Runs a function whose calls are one group of the history, so that `undo` takes them back together. The function gets the id
   * of the group; an asynchronous one may await the calls. A turn inside of a turn is part of it.
   */
  turn<Result>(run: (group: string) => Result): Result;
  /**
   * The decisions on the agent's proposals since the last call of `decisions`: a text for the beginning of the next message to
   * the model. It has a line for each proposal that was approved, refused or became stale, and is empty without any.
   */
  decisions(): string;
  /**
   * The calls of own tools that wait for the user, and those that were decided on: the same list until it changes. Proposals of
   * documents, files and nodes are those of the store, the workspace and the flows.
   */
  proposals(): readonly CallProposal[];
  /**
   * The user approves a call of an own tool, as proposed or with other arguments: it is executed now. The result is for the page;
   * the model reads it in `decisions`. Only the page can approve: no call of an agent leads here.
   */
  approve(proposalId: string, options?: ApproveCallOptions): Promise<AgentResult>;
  /**
   * The user refuses a call of an own tool.
   * @throws GenuiPatchError `UNKNOWN_PROPOSAL`, `PROPOSAL_SETTLED`.
   */
  refuse(proposalId: string, reason?: string): void;
  /** The running calls and the last 100 settled ones: the same list until it changes. */
  calls(): readonly AgentCall[];
  /** Calls the listener when `calls()` or `proposals()` changes. Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void;
}
