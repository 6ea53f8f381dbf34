/** The tools of an agent for models without native calls: definitions for `ToolBlockStream`, and a system prompt. */

import { mapMembers } from "../core/kinds.js";
import { form, isFree } from "../definitions/format.js";
import type { CustomTool, FieldDefinition, FieldKind, ToolDefinition } from "../definitions/types.js";
import { SPELLINGS } from "./tool-set.js";
import type { AgentToolName } from "./types.js";

/** The fields of each tool and their kinds. The tool itself checks the values inside of lists and objects. */
export function blockTools(definitions: readonly ToolDefinition[]): CustomTool<AgentToolName>[] {
  return definitions.map(({ name, description, input: { properties = {}, required = [] } }) => ({
    name: name as AgentToolName,
    description,
    fields: mapMembers(properties, (property, key): FieldDefinition => {
      const { type = "any", description } = property;
      // In providers' formats a value of any kind has another name.
      const optional = !required.includes(key) || isFree(property);
      return { kind: type as FieldKind, optional, description, aliases: [SPELLINGS[key] ?? []].flat() };
    }),
  }));
}

/** `page` is what a model must know of a page, where the agent has a store. */
export function toolPrompt(definitions: readonly ToolDefinition[], page: readonly string[]): string {
  return [
    "You act by calling tools. A call is one JSON object in a fenced block of its own:",
    '```json\n{"tool": "<name>", ...}\n```',
    // Inline code is not executed, even if the model repeats it.
    "The tools:",
    ...definitions.map(({ name, description, input }) => `\`${form(name, input)}\`\n${description}`),
    ...page,
    [
      "Write strict JSON: double quotes, no comments, line ends in strings as \\n. Close every block.",
      "After your message the calls are executed in order. You then read a result for each:",
      '- "status": "success": it was executed.',
      '- "status": "error": it changed nothing. The error says what to send instead.',
      '- "status": "pending": the user has to approve it. Nothing has changed yet. Do not send it again.',
      "When there is nothing more to do, answer without a block.",
    ].join("\n"),
  ].join("\n\n");
}
