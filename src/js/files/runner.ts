/** `CallRunner`: executes validated calls, reports their status to listeners, and ends them when they are cancelled. */
import type { FileWarning, WorkspaceCall } from "../approval/types.js";
import { checkPath } from "../blocks/policy.js";
import { unlessAborted } from "../core/abort.js";
import { GenuiPatchError } from "../core/errors.js";
import type { Listeners } from "../core/listeners.js";
import type { Source } from "../store/history-types.js";
import type { Access } from "./access.js";
import { FileRefusedError, fileRefusal, hostRefusal, nearRefusal } from "./errors.js";
import { nearPaths } from "./near.js";
import type { CheckedCall, FileRead } from "./plan.js";
import type { FileQueue } from "./queue.js";
import type { ExecutionResult, WorkspaceEvent, WorkspaceOptions } from "./types.js";

/** The part of a result that only an executed call has. */
export type Done = Pick<ExecutionResult, "action" | "diff" | "fixes" | "files">;

type Outcome = Omit<ExecutionResult, "call">;

/** Executes a valid call on the current texts of its files. */
export type Run = (reads: readonly FileRead[]) => Promise<Done>;

/** The state of a call that can be cancelled. */
export interface Progress {
  signal?: AbortSignal | undefined;
  isWriting: boolean;
  /** Warnings about the paths, once they are known. */
  warnings?: FileWarning[];
}

export class CallRunner {
  constructor(
    private readonly access: Access,
    private readonly queue: FileQueue,
    private readonly options: WorkspaceOptions,
    private readonly listeners: Listeners<WorkspaceEvent>,
  ) {}

  async execute(
    { call, refused, paths }: CheckedCall,
    run: Run,
    by: Source,
    progress: Progress = { isWriting: false },
  ) {
    let settled: ExecutionResult | undefined;
    const notify = (call: WorkspaceCall, result?: ExecutionResult) =>
      this.listeners.emit({ type: "status", call, author: by.author, ...(result && { result }) });
    const settle = (outcome: Outcome): ExecutionResult => {
      if (settled !== undefined) return settled;
      const { warnings } = progress;
      settled = { call: { ...call, status: outcome.status }, ...outcome, ...(warnings && { warnings }) };
      notify(settled.call, settled);
      return settled;
    };
    notify({ ...call, status: "processing" });
    if (refused) return settle(failure(refused));
    const { path } = call;
    const { signal } = progress;
    const work = this.queue.run(paths, async (files) => {
      if (signal?.aborted) return settle(failure(fileRefusal("CANCELLED", path)));
      notify({ ...call, status: "executing" });
      return settle(await this.#perform(call, paths, files, run, progress));
    });
    // A cancelled call that is still running keeps its place in the queue, so that no other call runs beside it.
    const cancelled = () => failure(fileRefusal(progress.isWriting ? "CANCELLED_LATE" : "CANCELLED", path));
    return unlessAborted(work, signal, () => settle(cancelled()));
  }

  /** Reads files, and collects the warnings about their paths. */
  async read(
    paths: readonly string[],
    files: readonly string[],
    read: (path: string) => Promise<string | null>,
  ): Promise<{ reads: FileRead[]; warnings?: FileWarning[] }> {
    const reads: FileRead[] = [];
    const warnings: FileWarning[] = [];
    for (const [place, path] of paths.entries()) {
      reads.push({ path, file: files[place] ?? path, text: await read(path) });
      warnings.push(...((await this.access.warnings(path)).warnings ?? []));
    }
    return { reads, ...(warnings.length > 0 && { warnings }) };
  }

  /** The refusal for a failure; for a missing file it names files with similar paths. */
  async refusal(cause: unknown, path: string): Promise<FileRefusedError> {
    const refused = hostRefusal(cause, path);
    if (refused.code !== "NOT_FOUND") return refused;
    const paths = await this.access.list(undefined).catch((): string[] => []);
    const allowed = paths.filter((path) => checkPath(path, this.options.policy).ok);
    return nearRefusal(refused, nearPaths(refused.answer.error.path ?? path, allowed));
  }

  async #perform(
    call: WorkspaceCall,
    paths: readonly string[],
    files: readonly string[],
    run: Run,
    progress: Progress,
  ): Promise<Outcome> {
    try {
      const done = await this.queue.exclusively(paths, async () => {
        const { reads, ...warnings } = await this.read(paths, files, (path) => this.access.find(path));
        Object.assign(progress, warnings);
        return run(reads);
      });
      return { status: "completed", ...done };
    } catch (cause) {
      if (cause instanceof GenuiPatchError && !(cause instanceof FileRefusedError)) throw cause;
      return failure(await this.refusal(cause, call.path));
    }
  }
}

const failure = ({ answer }: FileRefusedError): Outcome => ({ ...answer, status: "failed" });
