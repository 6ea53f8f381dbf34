/** The tools of an agent for models without native calls: definitions for `ToolBlockStream`, and a system prompt. */

import { isText, mapMembers } from "../core/kinds.js";
import { form, isFree } from "../definitions/format.js";
import type { CustomTool, FieldDefinition, FieldKind, ToolDefinition, ToolSchema } from "../definitions/types.js";
import { SPELLINGS } from "../tools/tool-set.js";

/** The types of JSON Schema that a block can check a field for. */
const KINDS: readonly FieldKind[] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/**
 * The kind of a field. The tool itself checks the values inside of lists and objects. `isOwn`: the tool is the application's,
 * which has a `schema`.
 */
function kindOf(key: string, { type }: ToolSchema, isOwn: boolean): FieldKind {
  // Streams of blocks take a string `path` for that of a file, and check it. In an application's tool it may be anything, which
  // the kind "pointer" says.
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
        // Providers' formats have no values of any type: such a value arrives as text, under another key (see `fromFormat`).
        const optional = !required.includes(key) || (!isOwn && isFree(property));
        const description = isText(property.description) ? { description: property.description } : {};
        // One alias or none.
        const aliases = isOwn ? [] : [SPELLINGS[key] ?? []].flat();
        return { kind: kindOf(key, property, isOwn), optional, ...description, aliases };
      }),
    };
  });
}

/** A tool in words: an example of its call, and its purpose. For an application's tool also its schema, which says more. */
function toolText({ name, description, input, schema }: ToolDefinition): string {
  // Inline code is not executed, even if the model repeats it.
  const text = `\`${form(name, schema ?? input)}\`\n${description}`;
  return schema === undefined ? text : `${text}\nThe schema of its fields: ${JSON.stringify(schema)}`;
}

/** The system prompt. `pageParagraphs` describe pages; empty for an agent without a store. */
export function toolPrompt(definitions: readonly ToolDefinition[], pageParagraphs: readonly string[]): string {
  return [
    "You act by calling tools. A call is one JSON object in a fenced block of its own:",
    '```json\n{"tool": "<name>", ...}\n```',
    "The tools:",
    ...definitions.map(toolText),
    ...pageParagraphs,
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
