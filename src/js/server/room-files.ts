/** `RoomFiles`: the files of a room, which are what its log comes to, and the calls that wait for an approval. */
import type { FileProposal, ProposalStatus } from "../approval/types.js";
import type { FileCall } from "../blocks/types.js";
import { isText } from "../core/kinds.js";
import { FileRefusedError, fileRefusal } from "../files/errors.js";
import { foldPath } from "../files/identity.js";
import { checkAgentCall, type Review, textsOf } from "../files/plan.js";
import { agree, hunksOf, type Text, viewOn } from "../files/proposals.js";
import type { FileAction, FileApproval } from "../files/types.js";
import { Workspace } from "../files/workspace.js";
import { type SavedRecord, type TakenRecord, unknownRecord } from "./snapshot-records.js";
import type { RoomFilesOptions, RoomResult } from "./types.js";

/** A call on a file that waits, with the texts that it was proposed with. */
export interface FileProposed {
  kind: "file";
  call: FileCall;
  before: Text;
  after: Text;
}

/** The effect of a call on its file. */
interface PlannedFile {
  call: FileCall;
  before: Text;
  after: Text;
}

/** The effect of an approval: the text that was approved, and the text that the file gets. */
export interface AgreedFile extends Pick<FileProposal, "approved" | "effective" | "outcome"> {
  status: ProposalStatus;
}

interface Kept {
  text: string;
  /** The number of the entry that wrote it. */
  revision: number;
}

/** The parts of a decision that a page may send for a file. */
export type FileDecision = FileApproval & { /** The revision whose diff the user has seen. */ seen?: unknown };

const isKept = (value: unknown): value is [string, string, number] =>
  Array.isArray(value) && isText(value[0]) && isText(value[1]) && Number.isSafeInteger(value[2]);

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
  readonly #kept = new Map<string, Kept>();
  /** The numbers of the entries that deleted files. */
  readonly #deleted = new Map<string, number>();
  /** Proposals as they were shown last, with the number of changes of files before. */
  readonly #shown = new WeakMap<FileProposed, { at: number; proposal: FileProposal }>();
  #changes = 0;
  /** The files, to be read. They are written through the log. */
  readonly workspace: Workspace;

  constructor(private readonly options: RoomFilesOptions) {
    const refuse = () => {
      throw Object.assign(new Error("files are written through the room"), { code: "EROFS" });
    };
    const { initial: _, ...rest } = options;
    this.workspace = Workspace.custom(
      { read: (path) => this.text(path), list: () => [...this.#kept.keys()], write: refuse, remove: refuse },
      rest,
    );
  }

  get count(): number {
    return this.#kept.size;
  }

  text(path: string): Text {
    return this.#kept.get(path)?.text ?? null;
  }

  revision(path: string): number {
    return this.#kept.get(path)?.revision ?? this.#deleted.get(path) ?? 0;
  }

  all(): { [path: string]: string } {
    return Object.fromEntries([...this.#kept].map(([path, { text }]) => [path, text]));
  }

  set(path: string, text: Text, revision: number): FileAction {
    const before = this.text(path);
    this.#changes += 1;
    if (text === null) {
      this.#kept.delete(path);
      this.#deleted.set(path, revision);
      return "deleted";
    }
    this.#kept.set(path, { text, revision });
    return before === null ? "created" : "updated";
  }

  /** The effect that a call would have now, with its normalised path; or its refusal. */
  plan(sent: FileCall, review: Review): PlannedFile | RoomResult {
    return orRefusal(() => {
      const checked = checkAgentCall(sent, this.#valid);
      if (checked.refused) throw checked.refused;
      const { tool, path } = checked.call;
      const before = this.text(path);
      const [planned] = checked.plan(new Map([[path, before]]), review);
      return {
        call: { tool, path, ...textsOf(checked.call) },
        before,
        after: planned === undefined ? before : planned.after,
      };
    });
  }

  get #valid() {
    const { policy, limits } = this.options;
    return { policy, limits };
  }

  /** The call as a proposal, on the text that the file has now. */
  shown(id: string, proposed: FileProposed): FileProposal {
    const known = this.#shown.get(proposed);
    if (known?.at === this.#changes) return known.proposal;
    const proposal = this.#show(id, proposed);
    this.#shown.set(proposed, { at: this.#changes, proposal });
    return proposal;
  }

  #show(id: string, proposed: FileProposed): FileProposal {
    const { call } = proposed;
    const { path } = call;
    const current = this.text(path);
    const view = viewOn(this.#parts(proposed), [current]);
    const twins = [...this.#kept.keys()].filter((other) => other !== path && foldPath(other) === foldPath(path));
    const planned = view === undefined ? this.#now(call) : view.parts[0];
    const action = current === null ? "created" : planned?.after === null ? "deleted" : undefined;
    return {
      id,
      kind: "file",
      target: path,
      revision: this.revision(path),
      status: view === undefined ? "stale" : "pending",
      diff: planned === undefined ? [] : hunksOf(current, planned.after),
      changes: [],
      proposed: { ...checkAgentCall(call, this.#valid).call, path, status: "detected" },
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

  /** The file of a call in the form of a workspace's proposals, which may have several. */
  #parts({ call: { path }, before, after }: FileProposed) {
    return { parts: [{ path, file: path, before, after, seen: this.text(path) }] };
  }

  /** The effect that a stale call would have now; `undefined` if it would be refused. */
  #now(call: FileCall): { after: Text } | undefined {
    const planned = this.plan(call, "reviewed");
    return "status" in planned ? undefined : planned;
  }

  /** The effect of a decision on the current text; or its refusal. */
  agree(id: string, proposed: FileProposed, decision: FileDecision): AgreedFile | RoomResult {
    const { path } = proposed.call;
    const { hunks, edits, seen } = decision;
    return orRefusal((): AgreedFile | RoomResult => {
      const { diff } = this.shown(id, proposed);
      const current = this.text(path);
      const parts = this.#parts(proposed);
      const view = viewOn(parts, [current]);
      // Hunks are named by their place in a diff: the user must have seen this one.
      const isOther = hunks !== undefined && seen !== undefined && seen !== this.revision(path);
      if (view === undefined || isOther) throw fileRefusal("STALE_PROPOSAL", path, "", { diff });
      if (hunks?.some((index) => !Number.isSafeInteger(index) || index < 0 || index >= diff.length))
        throw fileRefusal("INVALID_ARGUMENT", path, diff.length);
      if (edits !== undefined) {
        const { refused } = checkAgentCall({ tool: "write_file", path, content: edits }, this.#valid);
        if (refused) throw refused;
      }
      const agreed = agree(parts, view, edits === undefined ? { hunks } : { edits });
      if (agreed === undefined) throw fileRefusal("STALE_PROPOSAL", path, "", { diff });
      const [approved = null] = agreed.approved;
      const [effective = null] = agreed.after;
      return { status: "approved", approved, effective, outcome: agreed.outcome };
    });
  }

  take(): TakenRecord[] {
    const kept = [...this.#kept].map(([path, { text, revision }]) => ({ kind: "file", value: [path, text, revision] }));
    return [...kept, { kind: "deleted", value: [...this.#deleted] }];
  }

  restore({ kind, value }: SavedRecord): void {
    if (kind === "file") {
      if (isKept(value)) this.#kept.set(value[0], { text: value[1], revision: value[2] });
    } else if (kind !== "deleted") throw unknownRecord(kind);
    else if (Array.isArray(value))
      for (const [path, revision] of value) this.#deleted.set(String(path), Number(revision));
  }
}
