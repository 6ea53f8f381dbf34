/** `agentTool`: a tool of the application, with arguments of the type that its schema describes. */
import type { Schema } from "../../core/catalog-types.js";
import type { AgentTool } from "./types.js";

/**
 * A tool for `tools` of {@link agentTools}. It returns the tool as it is, and is there for TypeScript: the arguments of `execute`
 * get the type that the schema describes. A tool with a JSON Schema that is written into `tools` directly has no such types.
 *
 * ```ts
 * const find = agentTool({
 *   description: "Finds a contact.",
 *   schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
 *   execute: ({ name }) => contacts.filter((contact) => contact.name.includes(name)),
 * });
 * const agent = agentTools({ store, tools: { find } });
 * ```
 */
export function agentTool<const Given extends Schema>(tool: AgentTool<Given>): AgentTool<Given> {
  return tool;
}
