/** The errors of workspaces: one sentence for each code, and the codes of what a host throws. */
import type { BlockErrorCode } from "../blocks/types.js";
import { RefusedError } from "../core/errors.js";

type Words = readonly [message: string, solution: string, names?: string];

/** By code: the sentences, in which `%` stands for the path and `%1` for what more is known, and what hosts call it. */
const CODES = {
  NOT_FOUND: [
    "There is no file %.",
    "Send the path of a file that is there, or make the file with write_file.",
    "ENOENT NotFoundError",
  ],
  IS_DIRECTORY: ["% is a directory.", "Send the path of a file.", "EISDIR"],
  // EEXIST is what Node's mkdir says where a file stands.
  NOT_DIRECTORY: [
    "A part of the path % is a file, not a directory.",
    "Send a path whose directories are not files.",
    "ENOTDIR EEXIST",
  ],
  NOT_TEXT: ["The file % is not UTF-8 text.", "Leave it as it is, or replace it as a whole with write_file."],
  QUOTA_EXCEEDED: [
    "There is no room left for %.",
    "Free some space; the file is as it was.",
    "ENOSPC EDQUOT QuotaExceededError",
  ],
  NOT_ALLOWED: [
    "The host does not allow that for %.",
    "Ask the person for the permission; the file is as it was.",
    "EACCES EPERM EROFS NotAllowedError SecurityError",
  ],
  FILE_LOCKED: [
    "Someone else holds the file %.",
    "Try again once it is free; the file is as it was.",
    "EBUSY NoModificationAllowedError",
  ],
  // A file that changed since it was opened is a NotReadableError.
  FILE_CHANGED: ["The file % was changed meanwhile.", "Read it again and send the call anew.", "NotReadableError"],
  NO_CHANGE: ["The edit leaves % as it is.", "Send a new_string that differs in more than its line ends."],
  STALE_PROPOSAL: [
    "% was changed where the proposal would change it.%1",
    "Nothing was written. Show the new diff, and propose it anew if it is still wanted.",
  ],
  CANCELLED: ["The call for % was cancelled.", "Nothing was written."],
  PROPOSAL_SETTLED: ["The proposal for % was settled before.", "Propose the change again."],
  UNSAFE_PATH: ["% is a link, or stands behind one, and leads where no call may go.", "Send the path of another file."],
  INVALID_ARGUMENT: ["The proposal for % has %1 hunks, counted from 0.", "Name hunks of its diff."],
  HOST_FAILED: ["The host failed with %: %1", "Try again; if it fails again, ask the person."],
  SEVERAL_MATCHES: [
    "old_string is in % %1.",
    "Send more lines around the place, so that old_string is there exactly once.",
  ],
  NO_MATCH: [
    "old_string is not in %.%1",
    "Send old_string exactly as it stands in the file, blanks and line breaks included.",
  ],
} satisfies Record<string, Words>;

type HostCode = keyof typeof CODES;

/** Why a call of a file tool failed, in docs/workspace.md. Those of {@link BlockErrorCode}: the call itself is not valid. */
export type FileErrorCode = BlockErrorCode | HostCode | "UNKNOWN_PROPOSAL";

/** A place in a file that is like what was looked for. */
export interface NearestText {
  /** From 1. */
  line: number;
  /** As many lines as were looked for. */
  text: string;
}

/** Why a call failed, and what to do instead. */
export interface FileError {
  code: FileErrorCode;
  /** What was found: one sentence. */
  message: string;
  /** What to send or do instead. */
  solution: string;
  /** For `edit_file`: how often `old_string` is in the file. */
  matches?: number;
  /** For `NO_MATCH`: where the file is most like `old_string`. */
  nearest?: NearestText;
}

/** A host's failure of a known kind. */
export class HostError extends Error {
  constructor(
    readonly code: HostCode,
    cause?: unknown,
  ) {
    super(code, { cause });
  }
}

export class FileRefusedError extends RefusedError<FileError> {}

/** `about` is what the answer tells beside the error. */
export function fileRefusal(code: HostCode, path: string, more: string | number = "", about?: object) {
  const [words, solution] = CODES[code];
  const message = words.replace(/%1?/g, (gap) => (gap === "%" ? JSON.stringify(path) : `${more}`));
  return new FileRefusedError({ status: "error", error: { code, message, solution }, ...about });
}

/** Why something with a file failed, whatever was thrown. */
export function hostRefusal(cause: unknown, path: string): FileRefusedError {
  if (cause instanceof FileRefusedError) return cause;
  const { code, name, message } = (cause ?? {}) as { code?: unknown; name?: unknown; message?: unknown };
  if (cause instanceof HostError) return fileRefusal(cause.code, path);
  // A code says more than a name.
  for (const said of [code, name])
    for (const [known, [, , names]] of Object.entries<Words>(CODES))
      if (names?.split(" ").includes(said as string)) return fileRefusal(known as HostCode, path);
  const said = typeof message === "string" && message !== "" ? message : String(name ?? typeof cause);
  return fileRefusal("HOST_FAILED", path, said);
}

/** What stands for an answer that there is not, for one of these reasons. */
export function instead<Value>(value: Value, ...codes: HostCode[]): (cause: FileRefusedError) => Value {
  return (cause) => {
    if (codes.includes(cause.code as HostCode)) return value;
    throw cause;
  };
}

/** Why a piece of a text could not be replaced. */
export interface EditFailure {
  matches: number;
  /** The lines of the first matches. */
  lines?: number[];
  /** Where the text is most like the piece. */
  nearest?: NearestText;
}

export function editRefusal({ matches, lines = [], nearest }: EditFailure, path: string): FileRefusedError {
  const more = matches > lines.length ? ", …" : "";
  const place = nearest ? ` The nearest text begins at line ${nearest.line}.` : "";
  const refused =
    matches > 0
      ? fileRefusal("SEVERAL_MATCHES", path, `${matches} times: at the lines ${lines.join(", ")}${more}`)
      : fileRefusal("NO_MATCH", path, place);
  Object.assign(refused.answer.error, { matches, ...(nearest && { nearest }) });
  return refused;
}
