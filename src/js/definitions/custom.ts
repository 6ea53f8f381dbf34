/** The tools that a host adds, as a model reads them. */

import type { ToolInput } from "../blocks/types.js";
import { type CoreSchema, readTools } from "./custom-tools.js";
import type { InputSchema, ObjectSchema, ToolDefinition } from "./format.js";

/** The definitions, in the subset that providers hold models to where that can say all of a tool. */
export function customTools(tools: readonly ToolInput[] = []): readonly ToolDefinition[] {
  return readTools("toolDefinitions", tools).map(({ name, description, schema }): ToolDefinition => {
    const about = { name, description: description ?? `Calls ${name}.` };
    const input = strict(schema);
    return input ? { ...about, input } : { ...about, input: {}, schema: plain(schema) as ObjectSchema };
  });
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
