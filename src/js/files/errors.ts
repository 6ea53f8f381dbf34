/** What can go wrong with a file, in words. */
import type { EditFailure } from "./edit.js";
import type { FileError, FileErrorCode } from "./types.js";

/** A host's failure of a known kind. */
export class HostError extends Error {
  readonly code: FileErrorCode;

  constructor(code: FileErrorCode, cause?: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

/** Codes of Node and names of exceptions of browsers. */
const KNOWN = new Map<unknown, FileErrorCode>([
  ["ENOENT", "NOT_FOUND"],
  ["NotFoundError", "NOT_FOUND"],
  ["EISDIR", "IS_DIRECTORY"],
  ["ENOTDIR", "NOT_DIRECTORY"],
  // Node's mkdir, where a file stands.
  ["EEXIST", "NOT_DIRECTORY"],
  ["EACCES", "NOT_ALLOWED"],
  ["EPERM", "NOT_ALLOWED"],
  ["EROFS", "NOT_ALLOWED"],
  ["NotAllowedError", "NOT_ALLOWED"],
  ["SecurityError", "NOT_ALLOWED"],
  ["ENOSPC", "QUOTA_EXCEEDED"],
  ["EDQUOT", "QUOTA_EXCEEDED"],
  ["QuotaExceededError", "QUOTA_EXCEEDED"],
  ["EBUSY", "FILE_LOCKED"],
  ["NoModificationAllowedError", "FILE_LOCKED"],
  // A file that changed since it was opened.
  ["NotReadableError", "FILE_CHANGED"],
]);

const SENTENCES: { [code in FileErrorCode]?: [message: string, solution: string] } = {
  NOT_FOUND: ["There is no file %.", "Send the path of a file that is there, or make the file with write_file."],
  IS_DIRECTORY: ["% is a directory.", "Send the path of a file."],
  NOT_DIRECTORY: [
    "A part of the path % is a file, not a directory.",
    "Send a path whose directories are none of the files.",
  ],
  NOT_TEXT: ["The file % is not UTF-8 text.", "Leave it as it is, or replace it as a whole with write_file."],
  QUOTA_EXCEEDED: ["There is no room left for %.", "Free some space; the file is as it was."],
  NOT_ALLOWED: ["The host does not allow that for %.", "Ask the person for the permission; the file is as it was."],
  FILE_LOCKED: ["Someone else holds the file %.", "Try again once it is free; the file is as it was."],
  FILE_CHANGED: ["The file % was changed meanwhile.", "Read it again and send the call anew."],
  NO_CHANGE: ["The edit leaves % as it is.", "Send a new_string that differs in more than its line ends."],
  STALE_PROPOSAL: [
    "% was changed where the proposal would change it.",
    "Nothing was written. Look at the new diff, and propose the change anew if it is still wanted.",
  ],
  CANCELLED: ["The call for % was cancelled.", "Nothing was written."],
  PROPOSAL_SETTLED: ["The proposal for % was settled before.", "Propose the change again."],
};

/** An error that needs no more than its code and the path. */
export function fileError(code: FileErrorCode, path: string): FileError {
  const [message, solution] = SENTENCES[code] ?? ["%: the call failed.", "Try again."];
  return { code, message: message.replace("%", () => JSON.stringify(path)), solution };
}

/** What a host threw. */
export function hostError(cause: unknown, path: string): FileError {
  const { code, name, message } = (cause ?? {}) as { code?: unknown; name?: unknown; message?: unknown };
  if (cause instanceof HostError) return fileError(cause.code, path);
  const known = KNOWN.get(code) ?? KNOWN.get(name);
  if (known !== undefined) return fileError(known, path);
  const said = typeof message === "string" && message !== "" ? message : String(name ?? typeof cause);
  return {
    code: "HOST_FAILED",
    message: `The host failed with ${JSON.stringify(path)}: ${said}`,
    solution: "Try again; if it fails again, ask the person.",
  };
}

/** Why an edit was not made. */
export function editError({ matches, lines = [], nearest }: EditFailure, path: string): FileError {
  const file = JSON.stringify(path);
  if (matches > 0) {
    const more = matches > lines.length ? ", …" : "";
    return {
      code: "SEVERAL_MATCHES",
      message: `old_string is in ${file} ${matches} times: at the lines ${lines.join(", ")}${more}.`,
      solution: "Send more of the lines around the place, so that old_string is there exactly once.",
      matches,
    };
  }
  const place = nearest ? ` The nearest text begins at line ${nearest.line}.` : "";
  return {
    code: "NO_MATCH",
    message: `old_string is not in ${file}.${place}`,
    solution: "Send old_string exactly as it stands in the file, blanks and line breaks included.",
    matches,
    ...(nearest && { nearest }),
  };
}
