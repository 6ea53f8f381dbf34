/** The form of a tool's call, with words in place of its values, as prompts show it. */
import type { CoreSchema } from "./custom-tools.js";
import type { InputSchema } from "./format.js";

type Schema = InputSchema | CoreSchema;

/** The form of a call. */
export function form(tool: string, { properties = {}, required = [] }: Schema): string {
  const fields = Object.entries(properties).map(([key, property]) => {
    return `, ${JSON.stringify(key)}: ${required.includes(key) ? "" : "(optional) "}${shape(property)}`;
  });
  return `{"tool": "${tool}"${fields.join("")}}`;
}

function shape({ type, description, enum: values, properties = {}, items }: Schema): string {
  if (values) return values.map((value) => JSON.stringify(value)).join(" or ");
  if (items) return `[${shape(items)}, ...]`;
  const inner = Object.entries(properties).map(([key, own]) => `${JSON.stringify(key)}: ${shape(own)}`);
  if (inner.length > 0) return `{${inner.join(", ")}}`;
  const types = typeof type === "string" ? type : (type?.join(" or ") ?? "any value");
  return `<${types}${description ? `: ${oneLine(description)}` : ""}>`;
}

/** A text on a line of its own, that cannot pose as something else. */
export function oneLine(message: string): string {
  return message.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}
