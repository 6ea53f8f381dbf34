/** The definitions of the tools that change files, for models. */
import type { FILE_TOOLS } from "./custom-tools.js";
import { object, text } from "./format.js";
import type { ToolDefinition } from "./types.js";

const path = text("The file, relative to the workspace, with forward slashes: src/app.ts.");

/** The properties for the two texts of a replacement. */
const strings = {
  old_string: text("The text to replace, exactly as in the file, with enough around it to be unique."),
  new_string: text("The new text. May be empty."),
};

/** The tools. A {@link ToolCallStream} reads their calls. */
export const fileTools: readonly (ToolDefinition & { name: (typeof FILE_TOOLS)[number] })[] = [
  {
    name: "write_file",
    description: "Creates a file and the directories above it, or replaces its whole text.",
    input: object({ path, content: text("The whole text of the file. May be empty.") }),
  },
  {
    name: "edit_file",
    description:
      "Replaces a text that occurs in a file exactly once (search_replace), or several texts in one call (edits). " +
      "Send one of the two. If one of several edits fails, none is made.",
    input: object(
      {
        path,
        search_replace: { ...object(strings), description: "What to replace, and by what." },
        edits: {
          type: "array",
          items: object(
            {
              ...strings,
              replace_all: {
                type: "boolean",
                description: "Replaces every occurrence. Default: false, and old_string must be unique.",
              },
            },
            Object.keys(strings),
          ),
          description: "Several replacements, made in order: each reads the text that the one before it left.",
        },
      },
      ["path"],
    ),
  },
  { name: "delete_file", description: "Deletes an existing file.", input: object({ path }) },
];
