/** `registerWebTools`: the tools of an agent for the browser's own agent, by WebMCP. */
import { misuse } from "../core/errors.js";
import { isObject } from "../core/kinds.js";
import type { AgentTools, ReplyMessages } from "./types.js";

/** A tool as `registerTool` of WebMCP takes it: the dictionary `ModelContextTool`. */
interface WebTool {
  name: string;
  description: string;
  inputSchema: object;
  annotations: { readOnlyHint: boolean };
  execute(
    input: object,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<ReplyMessages["mcp"]["structuredContent"]>;
}

/** `document.modelContext` of WebMCP: a registered tool stays until the signal is aborted. */
interface ModelContext {
  registerTool(tool: WebTool, options: { signal: AbortSignal }): Promise<void> | undefined;
}

/** Tools that {@link registerWebTools} has registered. */
export interface WebTools {
  /** Their names; none where the browser has no WebMCP. */
  readonly names: readonly string[];
  /** Removes the tools from the browser. */
  unregister(): void;
}

const isModelContext = (value: unknown): value is ModelContext =>
  isObject(value) && typeof value.registerTool === "function";

/**
 * Registers the tools of an agent on `document.modelContext`, where the browser has it (WebMCP, in secure contexts): the
 * browser's agent calls them as a model calls them, under the agent's `approve`, and gets their results. Elsewhere, and in
 * workers and on servers, it registers nothing.
 *
 * ```ts
 * const { names, unregister } = await registerWebTools(agentTools({ store, approve: "always" }));
 * ```
 * @throws GenuiPatchError `INVALID_ARGUMENT` for anything but the tools of `agentTools`.
 * @throws DOMException of the browser, if it refuses a tool: `InvalidStateError` for a name that the page has registered
 * already, `NotAllowedError` in a frame without the permission `tools`. Then none is registered.
 */
export async function registerWebTools(
  agent: Pick<AgentTools, "definitions" | "execute" | "reply">,
): Promise<WebTools> {
  if (!isObject(agent) || typeof agent.execute !== "function" || typeof agent.definitions !== "function")
    throw misuse("registerWebTools: pass the tools that agentTools returns.");
  const context: unknown = typeof document === "object" && "modelContext" in document ? document.modelContext : null;
  const registration = new AbortController();
  const names: string[] = [];
  const unregister = () => registration.abort();
  if (!isModelContext(context)) return { names, unregister };
  try {
    for (const { name, description, inputSchema, annotations } of agent.definitions("mcp")) {
      const execute: WebTool["execute"] = async (input, { signal } = {}) =>
        agent.reply(await agent.execute({ name, arguments: input }, { signal }), "mcp").structuredContent;
      const { readOnlyHint } = annotations;
      const tool = { name, description, inputSchema, annotations: { readOnlyHint }, execute };
      await context.registerTool(tool, { signal: registration.signal });
      names.push(name);
    }
  } catch (cause) {
    unregister();
    throw cause;
  }
  return { names, unregister };
}
