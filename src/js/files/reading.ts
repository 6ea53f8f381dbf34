/** `readingTools`: the tools by which an agent reads files: pages of lines, and lists with sizes. */

import { checkPath } from "../blocks/policy.js";
import { unlessAborted } from "../core/abort.js";
import { isText, type Members } from "../core/kinds.js";
import { utf8Length } from "../core/surrogates.js";
import { object, text } from "../definitions/format.js";
import type { ToolDefinition } from "../definitions/types.js";
import { defaultMaxBlockBytes } from "../generated/facts.js";
import { type Answer, argumentsOf, type Failed, failed, solutionFor, type ToolSet } from "../tools/tool-set.js";
import type { Json } from "../types.js";
import { FileRefusedError, fileRefusal } from "./errors.js";
import { pathInstead } from "./instead.js";
import type { WorkspaceOptions } from "./types.js";

/** The methods of a workspace that these tools need. */
interface Files {
  /** Reads a file after the calls for it that have begun. */
  readAfterCalls(path: string): Promise<string | null>;
  list(dir?: string): Promise<string[]>;
}

/** Bounds on what a model reads of a file in one result: in lines, and in UTF-16 units. */
const MAX_LINES = 2_000;
const MAX_CHARACTERS = 100_000;
/** The maximum number of files that one call lists: each is read for its size. */
const MAX_FILES = 200;

/** The schema of a whole number. */
const integer = (description: string) => ({ type: "integer", description });

const DEFINITIONS: readonly ToolDefinition[] = [
  {
    name: "read_file",
    description: "Reads a file, or a page of its lines. Read a file before you edit it.",
    input: object(
      {
        path: text("The file, relative to the workspace."),
        offset: integer("The first line, from 1. Default 1."),
        limit: integer(`How many lines. Default and most: ${MAX_LINES}.`),
      },
      ["path"],
    ),
    readOnly: true,
  },
  {
    name: "list_files",
    description: "Lists the files of the workspace or of a directory and all below it, with their sizes in bytes.",
    input: object(
      {
        directory: text("The directory. Default: the whole workspace."),
        offset: integer("The first file of the list, from 1. Default 1."),
        limit: integer(`How many files. Default and most: ${MAX_FILES}.`),
      },
      [],
    ),
    readOnly: true,
  },
];

/** The tools that read the files of a workspace. None of their calls needs an approval. */
export function readingTools(files: Files, options: WorkspaceOptions): ToolSet {
  const run: { readonly [tool: string]: (args: Members) => Promise<Answer> } = {
    read_file: (args) => readFile(files, args, options),
    list_files: (args) => listFiles(files, args, options),
  };
  return {
    definitions: DEFINITIONS,
    validate(call) {
      const definition = DEFINITIONS.find(({ name }) => name === call.tool);
      const args = definition && argumentsOf(definition, call);
      if (args === undefined)
        return failed("INVALID_JSON", "The arguments are no JSON object.", "Send one JSON object.");
      const read = () => answerOf(() => run[call.tool]?.(args));
      return { args, execute: ({ signal }) => unlessAborted(read(), signal, cancelled) };
    },
  };
}

/** The answer of a tool, or of the refusal that it throws. `read` returns `undefined` for an unknown tool. */
async function answerOf(read: () => Promise<Answer> | undefined): Promise<Answer> {
  try {
    const answer = await read();
    if (answer !== undefined) return answer;
  } catch (cause) {
    if (!(cause instanceof FileRefusedError)) throw cause;
    return { status: "error", error: { ...cause.answer.error } };
  }
  return failed("UNKNOWN_TOOL", "There is no such tool.", "Use read_file or list_files.");
}

/** An argument that is a whole number from 1, or its default; the failure for anything else. */
function numberIn(args: Members, key: string, fallback: number): number | Failed {
  const value = args[key] ?? fallback;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1) return value;
  return failed("INVALID_FIELD", `"${key}" must be a whole number from 1.`, `Send another ${key}, or leave it out.`);
}

/** The part of a list that the arguments ask for: from the item `first`, counted from 1, at most `count` items. */
function pageOf(args: Members, most: number): { first: number; count: number } | Failed {
  const [first, limit] = [numberIn(args, "offset", 1), numberIn(args, "limit", most)];
  if (typeof first !== "number") return first;
  return typeof limit === "number" ? { first, count: Math.min(limit, most) } : limit;
}

async function readFile(files: Files, args: Members, { policy, limits }: WorkspaceOptions): Promise<Answer> {
  const { path: sent } = args;
  if (!isText(sent)) return failed("MISSING_PATH", "read_file needs a path.", "Send the path of a file.");
  const checked = checkPath(sent, policy);
  if (!checked.ok) return failed("UNSAFE_PATH", checked.message, pathInstead(sent, policy));
  const page = pageOf(args, MAX_LINES);
  if ("status" in page) return page;
  const { path } = checked;
  const content = await files.readAfterCalls(path);
  if (content === null) throw fileRefusal("NOT_FOUND", path);
  if (content.includes("\0")) throw fileRefusal("NOT_TEXT", path);
  const size = utf8Length(content);
  const maxBytes = limits?.maxBlockBytes ?? defaultMaxBlockBytes;
  if (size > maxBytes)
    return tooLarge(`The file ${JSON.stringify(path)} has ${size} bytes; at most ${maxBytes} can be read.`);
  return linesOf(path, content, size, page);
}

/** The lines of a page, which ends before a line that would make it too long. `size`: of the file, in bytes. */
function linesOf(
  path: string,
  content: string,
  size: number,
  { first, count }: { first: number; count: number },
): Answer {
  const lines = content === "" ? [] : content.split(/(?<=\n)/);
  const total = lines.length;
  // An empty file can be read from line 1.
  const maxFirst = Math.max(total, 1);
  if (first > maxFirst) {
    const message = `The file ${JSON.stringify(path)} has ${total} lines: there is no line ${first}.`;
    return failed("INVALID_FIELD", message, `Send an offset up to ${maxFirst}.`);
  }
  let text = "";
  // The number of the line after `text`, from 1.
  let next = first;
  for (; next < first + count && next <= total; next++) {
    const line = lines[next - 1] ?? "";
    if (text.length + line.length > MAX_CHARACTERS) break;
    text += line;
  }
  if (next === first && total > 0)
    return tooLarge(`Line ${first} of ${JSON.stringify(path)} alone has more than ${MAX_CHARACTERS} characters.`);
  const nextPage = next <= total ? { next_offset: next } : {};
  return {
    status: "success",
    result: { path, content: text, offset: first, lines: next - first, total_lines: total, size, ...nextPage },
  };
}

async function listFiles(files: Files, args: Members, { policy }: WorkspaceOptions): Promise<Answer> {
  const directory = args.directory ?? "";
  if (!isText(directory))
    return failed("INVALID_FIELD", '"directory" must be a string.', "Send the path of a directory.");
  const page = pageOf(args, MAX_FILES);
  if ("status" in page) return page;
  const checkedDirectory = directoryOf(directory, policy);
  if (!isText(checkedDirectory)) return checkedDirectory;
  const listed = await files.list(checkedDirectory === "" ? undefined : checkedDirectory);
  const paths = listed.filter((path) => checkPath(path, policy).ok);
  const pagePaths = paths.slice(page.first - 1, page.first - 1 + page.count);
  const entries: Json[] = [];
  for (const path of pagePaths) entries.push({ path, ...(await sizeOf(files, path)) });
  const next = page.first + pagePaths.length;
  const nextPage = next <= paths.length ? { next_offset: next } : {};
  return { status: "success", result: { files: entries, total: paths.length, ...nextPage } };
}

/** The directory of a list: empty for the whole workspace. Only its safety is checked: it need not be writable. */
function directoryOf(directory: string, policy: WorkspaceOptions["policy"]): string | Failed {
  const path = directory.replace(/\/$/, "");
  if (path === "" || path === ".") return "";
  const checked = checkPath(path, policy?.off && { off: policy.off });
  return checked.ok ? checked.path : failed("UNSAFE_PATH", checked.message, solutionFor("UNSAFE_PATH"));
}

/** The size of a file in bytes, or the code of the error if it cannot be read as text. */
async function sizeOf(files: Files, path: string): Promise<{ size?: number; unreadable?: string }> {
  try {
    const text = await files.readAfterCalls(path);
    // Null if the file was deleted after it was listed.
    return text === null ? {} : { size: utf8Length(text) };
  } catch (cause) {
    if (cause instanceof FileRefusedError) return { unreadable: cause.code };
    throw cause;
  }
}

function cancelled(): Failed {
  return failed("CANCELLED", "The call was cancelled.", "Wait for the user.");
}

function tooLarge(message: string): Failed {
  return failed("LIMIT_EXCEEDED", message, "Leave it as it is, or ask the user for the part that you need.");
}
