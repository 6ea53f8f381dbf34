/** The tools of an agent for models without native calls: definitions for `ToolBlockStream`, and a system prompt. */

import { isText, mapMembers } from "../core/kinds.js";
import { form, isFree } from "../definitions/format.js";
import type { CustomTool, FieldDefinition, FieldKind, ToolDefinition, ToolSchema } from "../definitions/types.js";
import { SPELLINGS } from "./tool-set.js";

const KINDS: readonly FieldKind[] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/** The kind of a field. The tool itself checks the values inside of lists and objects. */
function kindOf(key: string, { type }: ToolSchema, isOwn: boolean): FieldKind {
  // A field `path` of an own tool may be something else than the path of a file.
  if (isOwn && key === "path" && type === "string") return "pointer";
  return KINDS.find((kind) => kind === type) ?? "any";
}

/** The fields of each tool and their kinds. */
export function blockTools<Name extends string>(
  definitions: readonly (ToolDefinition & { name: Name })[],
): CustomTool<Name>[] {
  return definitions.map(({ name, description, input, schema }) => {
    const { properties = {}, required = [] }: ToolSchema = schema ?? input;
    const isOwn = schema !== undefined;
    return {
      name,
      description,
      fields: mapMembers(properties, (property, key): FieldDefinition => {
        // In providers' formats a value of any kind has another name.
        const optional = !required.includes(key) || (!isOwn && isFree(property));
        const about = isText(property.description) ? { description: property.description } : {};
        const aliases = isOwn ? [] : [SPELLINGS[key] ?? []].flat();
        return { kind: kindOf(key, property, isOwn), optional, ...about, aliases };
      }),
    };
  });
}

/** A tool: an example of its call, its purpose, and the schema of an own tool, of which the example says only a part. */
function described({ name, description, input, schema }: ToolDefinition): string {
  // Inline code is not executed, even if the model repeats it.
  const text = `\`${form(name, schema ?? input)}\`\n${description}`;
  return schema === undefined ? text : `${text}\nThe schema of its fields: ${JSON.stringify(schema)}`;
}

/** `page` is what a model must know of a page, where the agent has a store. */
export function toolPrompt(definitions: readonly ToolDefinition[], page: readonly string[]): string {
  return [
    "You act by calling tools. A call is one JSON object in a fenced block of its own:",
    '```json\n{"tool": "<name>", ...}\n```',
    "The tools:",
    ...definitions.map(described),
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
