/** The tools that apply patches, by format. Their parsers are loaded with the first call of one of them. */
import { object, text } from "../../definitions/format.js";
import type { EditFormat, ToolDefinition } from "../../definitions/types.js";

export type PatchTool = ToolDefinition & { name: "apply_patch" | "apply_diff" };

export const patchTools: Readonly<Record<EditFormat, PatchTool>> = {
  apply_patch: {
    name: "apply_patch",
    description:
      "Changes several files by a patch: all of them, or none. Sections: *** Add File: path, *** Delete File: path, " +
      "*** Update File: path, with *** Move to: path to rename. Show three unchanged lines around each change, exactly as in " +
      "the file; if they occur more than once, write the line of the class or function above as @@ line.",
    input: object({
      patch: text(
        "*** Begin Patch\n*** Update File: src/app.ts\n@@ function start() {\n unchanged\n-old\n+new\n unchanged\n*** End Patch",
      ),
    }),
  },
  unified: {
    name: "apply_diff",
    description:
      "Changes several files by a unified diff, as git writes it: all of them, or none. Every hunk needs unchanged lines " +
      "around its change, exactly as in the file. /dev/null stands for a file that does not exist before or after.",
    input: object({
      diff: text("--- a/src/app.ts\n+++ b/src/app.ts\n@@ -1,3 +1,3 @@\n unchanged\n-old\n+new\n unchanged"),
    }),
  },
};
