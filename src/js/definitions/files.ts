/** The definitions of the tools that change files, for models. */
import type { FILE_TOOLS } from "./custom-tools.js";
import { object, text } from "./format.js";
import type { ToolDefinition } from "./types.js";

const path = text("The file, relative to the workspace, with forward slashes: src/app.ts.");

/** The tools. Their calls are what a {@link ToolCallStream} reads. */
export const fileTools: readonly (ToolDefinition & { name: (typeof FILE_TOOLS)[number] })[] = [
  {
    name: "write_file",
    description: "Creates a file and the directories above it, or replaces its whole text.",
    input: object({ path, content: text("The whole text of the file. May be empty.") }),
  },
  {
    name: "edit_file",
    description: "Replaces a text that occurs in a file exactly once.",
    input: object({
      path,
      search_replace: {
        ...object({
          old_string: text("The text to replace, exactly as in the file, with enough around it to be unique."),
          new_string: text("The new text. May be empty."),
        }),
        description: "What to replace, and by what.",
      },
    }),
  },
  { name: "delete_file", description: "Deletes an existing file.", input: object({ path }) },
];
