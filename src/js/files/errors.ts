/** The errors of workspaces: one sentence for each code, and the codes of what a host throws. */
import type { BlockErrorCode } from "../blocks/types.js";
import { type Refused, RefusedError } from "../core/errors.js";
import { isObject, isText } from "../core/kinds.js";

/** `names`: the codes and names of errors that hosts throw, separated by blanks. */
type Words = readonly [message: string, solution: string, names?: string];

/** For each code: the two sentences, in which `%` is the path and `%1` are details, and the hosts' errors with this meaning. */
const CODES = {
  NOT_FOUND: [
    "There is no file %.",
    "Send the path of an existing file, or create the file with write_file.",
    "ENOENT NotFoundError",
  ],
  IS_DIRECTORY: ["% is a directory.", "Send the path of a file.", "EISDIR"],
  // Node's mkdir fails with EEXIST if a file is in the way.
  NOT_DIRECTORY: [
    "A part of the path % is a file, not a directory.",
    "Send a path whose directories are not files.",
    "ENOTDIR EEXIST",
  ],
  NOT_TEXT: ["The file % is not UTF-8 text.", "Leave it as it is, or replace it as a whole with write_file."],
  QUOTA_EXCEEDED: [
    "There is no room left for %.",
    "Free some space; the file is unchanged.",
    "ENOSPC EDQUOT QuotaExceededError",
  ],
  NOT_ALLOWED: [
    "The host does not allow that for %.",
    "Ask the user for permission; the file is unchanged.",
    "EACCES EPERM EROFS NotAllowedError SecurityError",
  ],
  FILE_LOCKED: [
    "The file % is in use by another program.",
    "Try again later; the file is unchanged.",
    "EBUSY NoModificationAllowedError",
  ],
  // Browsers throw NotReadableError for a file that changed since it was opened.
  FILE_CHANGED: ["The file % has changed in the meantime.", "Read it again and send a new call.", "NotReadableError"],
  NO_CHANGE: ["The edit does not change %.", "Send a new_string that differs in more than its line ends."],
  ALREADY_EXISTS: ["There is already a file %.", "Change it by hunks, or send another path."],
  PATCH_SYNTAX: ["The patch cannot be read.", "Nothing was changed. Send the whole patch again."],
  UNDO_CONFLICT: [
    "% was changed again since, in the same lines.",
    "Nothing was changed. With `force` the other lines are reverted.",
  ],
  NOTHING_TO_UNDO: [
    "The history has no such changes.",
    "history() lists the groups that can be undone, or made again.",
  ],
  STALE_PROPOSAL: [
    "% has changed in the lines that the proposal changes.%1",
    "Nothing was written. Show the new diff, and propose the change again if it is still wanted.",
  ],
  CANCELLED: ["The call for % was cancelled.", "Nothing was written."],
  // Its code is CANCELLED.
  CANCELLED_LATE: [
    "The call for % was cancelled while the host was writing the file.",
    "The file may have changed: read it before the next call.",
  ],
  PROPOSAL_SETTLED: ["The proposal for % is already settled.", "Propose the change again."],
  UNSAFE_PATH: ["% contains a link that leads to a forbidden path.", "Send the path of another file."],
  INVALID_ARGUMENT: ["The proposal for % has %1 hunks, counted from 0.", "Name hunks of its diff."],
  HOST_FAILED: ["The host failed with %: %1", "Try again; if it fails again, ask the user."],
  SEVERAL_MATCHES: [
    "old_string is in % %1.",
    "Send more lines around the place, so that old_string is there exactly once.",
  ],
  NO_MATCH: [
    "old_string is not in %.%1",
    "Send old_string exactly as it stands in the file, blanks and line breaks included.",
  ],
} satisfies Record<string, Words>;

type WorkspaceCode = keyof typeof CODES;

const isWorkspaceCode = (code: string): code is WorkspaceCode => Object.hasOwn(CODES, code);

/** Why a call of a file tool failed, in docs/workspace.md. Those of {@link BlockErrorCode}: the call itself is not valid. */
export type FileErrorCode = BlockErrorCode | Exclude<WorkspaceCode, "CANCELLED_LATE"> | "UNKNOWN_PROPOSAL";

/** The place in a file that is most similar to `old_string`. */
export interface NearestText {
  /** From 1. */
  line: number;
  /** The lines of the file at the nearest place; their number is that of the lines of `old_string`. */
  text: string;
  /** For a hunk of a patch: how its lines differ from the file's. Lines with `-` are the file's, with `+` the hunk's. */
  diff?: string;
}

/** The first character in which `old_string` differs from a similar place in the file. */
export interface TextDifference {
  /** In the file, from 1. */
  line: number;
  /** In UTF-16 units, from 1. */
  column: number;
  /** The code point of the file there, such as `"U+00A0"`; null at its end. */
  found: string | null;
  /** The code point of `old_string` there; null at its end. */
  sent: string | null;
}

/** The reason why a call failed, with advice. */
export interface FileError {
  code: FileErrorCode;
  /** The problem, in one sentence. */
  message: string;
  /** The advice what to send or do instead. */
  solution: string;
  /** For `edits` and patches: which of the replacements, or of the file's hunks, failed, from 0. */
  index?: number;
  /** For a patch: the file that it is about. */
  path?: string;
  /** For `edit_file`: how often `old_string` is in the file. */
  matches?: number;
  /** For `NO_MATCH`: the most similar place in the file. */
  nearest?: NearestText;
  /** For `NO_MATCH`: the difference, if it is hard to see. */
  difference?: TextDifference;
  /** For `UNDO_CONFLICT`: where the files were changed again since, such as `"src/a.ts:12"`. */
  places?: string[];
  /** For `NOT_FOUND`: files with similar paths, the nearest first. */
  near?: string[];
}

/** A host's failure of a known kind. */
export class HostError extends Error {
  constructor(
    readonly code: WorkspaceCode,
    cause?: unknown,
  ) {
    super(code, { cause });
  }
}

/** Thrown for a refusal of a workspace; its `answer` is the result for the caller. */
export class FileRefusedError extends RefusedError<FileError> {}

/** A refusal to throw. `details` are put into its message; `extra` are further properties of the answer, beside its error. */
export function fileRefusal(row: WorkspaceCode, path: string, details: string | number = "", extra?: object) {
  const [words, solution] = CODES[row];
  const code = row === "CANCELLED_LATE" ? "CANCELLED" : row;
  const message = words.replace(/%1?/g, (gap) => (gap === "%" ? JSON.stringify(path) : `${details}`));
  return new FileRefusedError({ status: "error", error: { code, message, solution }, ...extra });
}

/** The same refusal with suggestions of similar paths. */
export function nearRefusal(refused: FileRefusedError, near: string[]): FileRefusedError {
  if (near.length === 0) return refused;
  const { error } = refused.answer;
  const solution = `Did you mean ${near.map((path) => JSON.stringify(path)).join(" or ")}? If not: ${error.solution}`;
  return new FileRefusedError({ ...refused.answer, error: { ...error, solution, near } });
}

/** The refusal for anything that a host has thrown. */
export function hostRefusal(cause: unknown, path: string): FileRefusedError {
  if (cause instanceof FileRefusedError) return cause;
  const { code, name, message } = isObject(cause) ? cause : {};
  if (cause instanceof HostError) return fileRefusal(cause.code, path);
  // The code comes first: it is more precise than the name.
  for (const hostName of [code, name])
    for (const [workspaceCode, [, , names]] of Object.entries<Words>(CODES))
      if (isText(hostName) && names?.split(" ").includes(hostName) && isWorkspaceCode(workspaceCode))
        return fileRefusal(workspaceCode, path);
  const details = typeof message === "string" && message !== "" ? message : String(name ?? typeof cause);
  return fileRefusal("HOST_FAILED", path, details);
}

/** A refusal of the collection of proposals, which all kinds of proposals share, with the codes of files. */
export function proposalRefusal({ answer }: RefusedError): Refused<FileError> {
  const { code, message, solution } = answer.error;
  const fileCode = code === "LIMIT_EXCEEDED" || code === "UNKNOWN_PROPOSAL" ? code : "PROPOSAL_SETTLED";
  return { status: "error", error: { code: fileCode, message, solution } };
}

/** The refusal for a proposal that does not exist. `open` looks it up in the collection, which throws. */
export function unknownProposal(open: () => unknown): Refused<FileError> {
  try {
    open();
  } catch (cause) {
    if (cause instanceof RefusedError) return proposalRefusal(cause);
    throw cause;
  }
  // Not reached: `open` throws for an unknown id.
  return fileRefusal("PROPOSAL_SETTLED", "").answer;
}

/** A handler for rejected promises: returns the value if the refusal has one of the codes, else throws it again. */
export function recoverFrom<Value>(value: Value, ...codes: WorkspaceCode[]): (cause: FileRefusedError) => Value {
  return (cause) => {
    if (codes.some((code) => code === cause.code)) return value;
    throw cause;
  };
}

/** The reason why `old_string` could not be replaced. */
export interface EditFailure {
  /** How often it is in the text: 0, or more than once. */
  matches: number;
  /** The lines at which the first matches begin, from 1. */
  lines?: number[];
  /** The most similar place, if there was no match. */
  nearest?: NearestText;
  /** The first difference, if there was no match and the difference is hard to see. */
  difference?: TextDifference;
}

/** The refusal of an edit. `index`: for several `edits`, the index of the replacement that failed. */
export function editRefusal(failure: EditFailure & { index?: number }, path: string): FileRefusedError {
  const { matches, lines = [], nearest, difference, index } = failure;
  const more = matches > lines.length ? ", …" : "";
  const refused =
    matches > 0
      ? fileRefusal("SEVERAL_MATCHES", path, `${matches} times: at the lines ${lines.join(", ")}${more}`)
      : fileRefusal("NO_MATCH", path, differenceWords(difference) ?? nearestWords(nearest));
  const { error } = refused.answer;
  if (difference) error.solution = `Send old_string with the characters of the file${escapeOf(difference.found)}.`;
  if (index !== undefined) error.message = `edits[${index}]: ${error.message}`;
  Object.assign(error, {
    ...(index !== undefined && { index }),
    matches,
    ...(nearest && { nearest }),
    ...(difference && { difference }),
  });
  return refused;
}

const nearestWords = (nearest?: NearestText): string =>
  nearest ? ` The nearest text begins at line ${nearest.line}.` : "";

function differenceWords(difference?: TextDifference): string | undefined {
  if (difference === undefined) return undefined;
  const { line, column, found, sent } = difference;
  return ` At line ${line}, column ${column} the file has ${characterWords(found)} where old_string has ${characterWords(sent)}.`;
}

/** Names of characters that are invisible or look alike, by code point. */
const NAMES: { readonly [code: string]: string } = {
  "U+0009": "tab",
  "U+000A": "line feed",
  "U+000D": "carriage return",
  "U+0020": "space",
  "U+00A0": "no-break space",
  "U+00AD": "soft hyphen",
  "U+200B": "zero-width space",
  "U+200C": "zero-width non-joiner",
  "U+200D": "zero-width joiner",
  "U+202F": "narrow no-break space",
  "U+2028": "line separator",
  "U+2060": "word joiner",
  "U+3000": "ideographic space",
  "U+FEFF": "byte order mark",
};

/** A character in a message: `"’" (U+2019)`, or its name if it is invisible. */
function characterWords(code: string | null): string {
  if (code === null) return "its end";
  const char = String.fromCodePoint(Number.parseInt(code.slice(2), 16));
  const name = NAMES[code];
  if (name !== undefined) return `${code} (${name})`;
  return /[\p{C}\p{M}\p{Z}]/u.test(char) ? code : `"${char}" (${code})`;
}

/**
 * Words with the JSON escape of a character that a model may not be able to write otherwise. Empty for ASCII, and above U+FFFF.
 */
function escapeOf(code: string | null): string {
  if (code === null || code.length > 6 || /^U\+00[0-7]/.test(code)) return "";
  return `, such as \\u${code.slice(2).toLowerCase()} in JSON`;
}
