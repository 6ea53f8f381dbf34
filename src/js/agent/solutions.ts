/** By error code, what a model is to send in place of a block, or of a call of a file tool, that is not valid. */
import type { BlockErrorCode } from "../blocks/types.js";

const SOLUTIONS: { readonly [code in BlockErrorCode]?: string } = {
  TRUNCATED: "The call was cut off and nothing was done. Send it again, whole, or in smaller parts.",
  LIMIT_EXCEEDED: "Nothing was done. Send less in one call.",
  UNSAFE_PATH: "Send a relative path inside the workspace, such as src/app.ts.",
  EMPTY_OLD_STRING: "Send the text to replace, as it stands in the file; to write a whole file, send write_file.",
  NO_CHANGE: "Send a new_string that differs from old_string.",
};

export function solutionFor(code: BlockErrorCode): string {
  return SOLUTIONS[code] ?? "Nothing was done. Send the whole call again, with that put right.";
}
