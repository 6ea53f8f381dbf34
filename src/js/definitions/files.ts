/** The tools that change files (seed 004), as a model reads them, and those that a host adds. */
import type { CustomTool } from "../block-types.js";
import { type CoreSchema, readTools } from "../custom-tools.js";
import type { InputSchema, ToolDefinition } from "./format.js";

const text = (description: string): InputSchema => ({ type: "string", description });

const object = (properties: Record<string, InputSchema>): InputSchema => ({
  type: "object",
  properties,
  required: Object.keys(properties),
});

const path = text("The file, relative to the workspace, with forward slashes: src/app.ts.");

/** The tools. Their calls are what a {@link ToolCallStream} reads. */
const fileTools: readonly ToolDefinition[] = [
  {
    name: "write_file",
    description: "Creates a file, with the directories above it, or replaces the whole text of one that is there.",
    input: object({ path, content: text("The whole text of the file. May be empty.") }),
  },
  {
    name: "edit_file",
    description: "Replaces a text in a file that is there. The text must stand in the file exactly once.",
    input: object({
      path,
      search_replace: {
        ...object({
          old_string: text("The text to replace, as it stands in the file, with enough around it to be unique."),
          new_string: text("The text in its place, as it is: nothing in it has a special meaning. May be empty."),
        }),
        description: "What to replace, and by what.",
      },
    }),
  },
  { name: "delete_file", description: "Deletes a file that is there.", input: object({ path }) },
];

/** The tools, and the host's behind them. */
export function filesTools(tools: readonly CustomTool[] = []): readonly ToolDefinition[] {
  const custom = readTools("toolDefinitions", tools).map(({ name, description, schema }): ToolDefinition => {
    const about = { name, description: description ?? `Calls ${name}.` };
    const input = strict(schema);
    return input ? { ...about, input } : { ...about, input: {}, schema: plain(schema) };
  });
  return [...fileTools, ...custom];
}

/** The schema in the subset that providers hold models to; nothing if it says what the subset has no words for. */
function strict(schema: CoreSchema): InputSchema | undefined {
  const { type: [type, ...more] = [], description, enum: values, properties, required = [], items } = schema;
  if (type === undefined || type === "null" || more.length > 0) return undefined;
  const written: InputSchema = { type: type as NonNullable<InputSchema["type"]>, ...(description && { description }) };
  if (values) {
    if (type !== "string" || !values.every((value) => typeof value === "string")) return undefined;
    written.enum = values;
  }
  if (type === "array") {
    const inner = items && strict(items);
    if (inner === undefined) return undefined;
    written.items = inner;
  }
  if (type === "object") {
    // Of an object whose properties nobody names a strict schema allows only the empty one.
    if (properties === undefined) return undefined;
    const inner: [string, InputSchema][] = [];
    for (const [key, property] of Object.entries(properties)) {
      const own = strict(property);
      if (own === undefined || (own.properties && Object.keys(own.properties).length === 0)) return undefined;
      inner.push([key, own]);
    }
    written.properties = Object.fromEntries(inner);
    written.required = required;
  }
  return written;
}

/** The schema in the words of JSON Schema alone. */
function plain({ aliases: _, format: __, type, properties, items, required, ...rest }: CoreSchema): object {
  const written: Record<string, unknown> = { ...rest };
  if (type) written.type = type.length === 1 ? type[0] : type;
  if (properties) {
    const inner = Object.entries(properties).map(([key, own]) => [key, plain(own)]);
    Object.assign(written, { properties: Object.fromEntries(inner), required });
  }
  if (items) written.items = plain(items);
  return written;
}
