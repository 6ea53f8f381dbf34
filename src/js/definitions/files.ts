/** The tools that change files (seed 004), as a model reads them. */
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
    description: "Replaces a text that stands in a file exactly once.",
    input: object({
      path,
      search_replace: {
        ...object({
          old_string: text("The text to replace, as it stands in the file, with enough around it to be unique."),
          new_string: text("The text in its place, as it is. May be empty."),
        }),
        description: "What to replace, and by what.",
      },
    }),
  },
  { name: "delete_file", description: "Deletes a file that is there.", input: object({ path }) },
];
