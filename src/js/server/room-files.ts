/**
 * `RoomFiles`: the files of a room. They result from the entries of its log. It also computes what calls would change, and the
 * proposals of calls that wait for an approval.
 */
import type { FileProposal, ProposalStatus } from "../approval/types.js";
import type { FileCall } from "../blocks/types.js";
import { isText } from "../core/kinds.js";
import { FileRefusedError, fileRefusal } from "../files/errors.js";
import { foldPath } from "../files/identity.js";
import { checkAgentCall, type Review, textsOf } from "../files/plan.js";
import { hunksOf, resultOf, type Text, viewOn } from "../files/proposals.js";
import type { FileAction, FileApproval } from "../files/types.js";
import { Workspace } from "../files/workspace.js";
import { type SavedRecord, type UnsavedRecord, unknownRecord } from "./snapshot-records.js";
import type { RoomFilesOptions, RoomResult } from "./types.js";

/** A call, with the text of its file before it and after it; null for no file. */
interface PlannedFile {
  call: FileCall;
  before: Text;
  after: Text;
}

/** A call on a file that waits for an approval. The texts are those when it was proposed. It is saved in snapshots. */
export interface WaitingFileCall extends PlannedFile {
  kind: "file";
}

/**
 * The effect of an approval, as the log has it. `approved`: the text that the user has approved. `effective`: the text that the
 * file gets; null deletes it.
 */
export interface AgreedFile extends Pick<FileProposal, "approved" | "effective" | "outcome"> {
  status: ProposalStatus;
}

interface RoomFile {
  text: string;
  /** The number of the entry that wrote it. */
  revision: number;
}

/** The parts of a decision that a page may send for a file. */
export type FileDecision = FileApproval & { /** The revision whose diff the user has seen. */ seen?: unknown };

const isSavedFile = (value: unknown): value is [path: string, text: string, revision: number] =>
  Array.isArray(value) && isText(value[0]) && isText(value[1]) && Number.isSafeInteger(value[2]);

/** A refusal of a workspace as rooms have refusals, always with a solution. */
const refusalOf = ({ answer }: FileRefusedError): RoomResult => {
  const { status: _, error, ...rest } = answer;
  const { code, message, solution = "", ...details } = error;
  return { ...rest, status: "error", error: { code, message, solution, ...details } };
};

/** A function's result, or the refusal that it throws. */
function orRefusal<Result>(run: () => Result): Result | RoomResult {
  try {
    return run();
  } catch (cause) {
    if (cause instanceof FileRefusedError) return refusalOf(cause);
    throw cause;
  }
}

export class RoomFiles {
  /** The files, by path. */
  readonly #files = new Map<string, RoomFile>();
  /** The numbers of the entries that deleted files, by path. */
  readonly #deletionRevisions = new Map<string, number>();
  /** The last result of `proposal`, with the value of `#changeCount` for which it holds. */
  readonly #proposals = new WeakMap<WaitingFileCall, { changeCount: number; proposal: FileProposal }>();
  /** The number of changes of files since the room was loaded. */
  #changeCount = 0;
  /** The files, to be read. Its methods that write are refused: files are written through the log. */
  readonly workspace: Workspace;

  constructor(private readonly options: RoomFilesOptions) {
    // As on a file system that cannot be written.
    const refuse = () => {
      throw Object.assign(new Error("files are written through the room"), { code: "EROFS" });
    };
    const { initial: _, ...rest } = options;
    this.workspace = Workspace.custom(
      { read: (path) => this.text(path), list: () => [...this.#files.keys()], write: refuse, remove: refuse },
      rest,
    );
  }

  get count(): number {
    return this.#files.size;
  }

  /** The text of a file; null if it does not exist. */
  text(path: string): Text {
    return this.#files.get(path)?.text ?? null;
  }

  /** The number of the last entry that wrote or deleted a file; 0 if none exists. */
  revision(path: string): number {
    return this.#files.get(path)?.revision ?? this.#deletionRevisions.get(path) ?? 0;
  }

  /** The texts of all files, by path. */
  all(): { [path: string]: string } {
    return Object.fromEntries([...this.#files].map(([path, { text }]) => [path, text]));
  }

  /** Writes a file, or deletes it if the text is null. `revision`: the number of the entry that does this. */
  set(path: string, text: Text, revision: number): FileAction {
    const before = this.text(path);
    this.#changeCount += 1;
    if (text === null) {
      this.#files.delete(path);
      this.#deletionRevisions.set(path, revision);
      return "deleted";
    }
    this.#files.set(path, { text, revision });
    return before === null ? "created" : "updated";
  }

  /**
   * The effect that a call would have now, with its normalised path; or its refusal. `review`: whether a user will see the diff
   * before it is executed.
   */
  plan(call: FileCall, review: Review): PlannedFile | RoomResult {
    return orRefusal(() => {
      const checked = checkAgentCall(call, this.#rules);
      if (checked.refused) throw checked.refused;
      const { tool, path } = checked.call;
      const before = this.text(path);
      // A call on one file plans one change.
      const [{ after } = { after: before }] = checked.plan(new Map([[path, before]]), review);
      return { call: { tool, path, ...textsOf(checked.call) }, before, after };
    });
  }

  /** The options that the checks of calls need. */
  get #rules() {
    const { policy, limits } = this.options;
    return { policy, limits };
  }

  /** The proposal of a call, on the text that the file has now. */
  proposal(id: string, waiting: WaitingFileCall): FileProposal {
    const last = this.#proposals.get(waiting);
    if (last?.changeCount === this.#changeCount) return last.proposal;
    const proposal = this.#computeProposal(id, waiting);
    this.#proposals.set(waiting, { changeCount: this.#changeCount, proposal });
    return proposal;
  }

  #computeProposal(id: string, waiting: WaitingFileCall): FileProposal {
    const { call } = waiting;
    const { path } = call;
    const current = this.text(path);
    // The change merged into the current text; undefined if the file has changed in the same lines.
    const view = viewOn(this.#recordOf(waiting), [current]);
    // Files that are the same file on some systems.
    const twins = [...this.#files.keys()].filter((other) => other !== path && foldPath(other) === foldPath(path));
    // A stale proposal shows what the call would change if it were proposed anew.
    const planned = view === undefined ? this.#planAgain(call) : view.parts[0];
    // Without an action, the proposal changes the file.
    const action = current === null ? "created" : planned?.after === null ? "deleted" : undefined;
    return {
      id,
      kind: "file",
      target: path,
      revision: this.revision(path),
      status: view === undefined ? "stale" : "pending",
      diff: planned === undefined ? [] : hunksOf(current, planned.after),
      // Only proposals on documents have changes by path.
      changes: [],
      proposed: { ...checkAgentCall(call, this.#rules).call, path, status: "detected" },
      ...(action && { action }),
      ...(twins.length > 0 && {
        warnings: [
          {
            code: "TWIN_PATH",
            message: `${path} differs from ${twins.join(", ")} only in case or accents.`,
            paths: twins,
          },
        ],
      }),
    };
  }

  /**
   * A waiting call in the form of a workspace's proposals, which may change several files. `seen`: the text on which the user
   * decides, here always the current one.
   */
  #recordOf({ call: { path }, before, after }: WaitingFileCall) {
    return { parts: [{ path, file: path, before, after, seen: this.text(path) }] };
  }

  /** The effect that a stale call would have now; `undefined` if it would be refused. */
  #planAgain(call: FileCall): { after: Text } | undefined {
    const planned = this.plan(call, "reviewed");
    return "status" in planned ? undefined : planned;
  }

  /** The effect of a decision on the current text; or its refusal. */
  agree(id: string, waiting: WaitingFileCall, decision: FileDecision): AgreedFile | RoomResult {
    const { path } = waiting.call;
    const { hunks, edits, seen } = decision;
    return orRefusal((): AgreedFile | RoomResult => {
      const { diff } = this.proposal(id, waiting);
      const noDetails = "";
      const staleRefusal = () => fileRefusal("STALE_PROPOSAL", path, noDetails, { diff });
      const current = this.text(path);
      const record = this.#recordOf(waiting);
      const view = viewOn(record, [current]);
      // Hunks are named by their indexes in a diff, so the user must have seen the current diff.
      const sawOtherDiff = hunks !== undefined && seen !== undefined && seen !== this.revision(path);
      if (view === undefined || sawOtherDiff) throw staleRefusal();
      const hunkCount = diff.length;
      if (hunks?.some((index) => !Number.isSafeInteger(index) || index < 0 || index >= hunkCount))
        throw fileRefusal("INVALID_ARGUMENT", path, hunkCount);
      if (edits !== undefined) {
        // The user's own text must keep the limits of files.
        const { refused } = checkAgentCall({ tool: "write_file", path, content: edits }, this.#rules);
        if (refused) throw refused;
      }
      const agreed = resultOf(record, view, edits === undefined ? { hunks } : { edits });
      if (agreed === undefined) throw staleRefusal();
      // Both lists have the text of one file.
      const [approved = null] = agreed.approved;
      const [effective = null] = agreed.after;
      return { status: "approved", approved, effective, outcome: agreed.outcome };
    });
  }

  /** The files, and the numbers of the entries that deleted others, for a snapshot. */
  toRecords(): UnsavedRecord[] {
    const files = [...this.#files].map(([path, { text, revision }]) => ({
      kind: "file",
      value: [path, text, revision],
    }));
    return [...files, { kind: "deleted", value: [...this.#deletionRevisions] }];
  }

  restore({ kind, value }: SavedRecord): void {
    if (kind === "file") {
      if (isSavedFile(value)) {
        const [path, text, revision] = value;
        this.#files.set(path, { text, revision });
      }
    } else if (kind !== "deleted") throw unknownRecord(kind);
    else if (Array.isArray(value))
      for (const [path, revision] of value) this.#deletionRevisions.set(String(path), Number(revision));
  }
}
