/** `CallRunner`: executes checked calls, reports their status to listeners, and ends them when they are cancelled. */
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
export type ExecutedEffect = Pick<ExecutionResult, "action" | "diff" | "fixes" | "files">;

/** The result of a call, without the call. */
type Outcome = Omit<ExecutionResult, "call">;

/** Executes a valid call on the current texts of its files. @throws FileRefusedError, or an error of the host */
export type Run = (reads: readonly FileRead[]) => Promise<ExecutedEffect>;

/** The state of a call that can be cancelled. The function that runs it sets `isWriting`. */
export interface Progress {
  signal?: AbortSignal | undefined;
  /** A write may have begun: a cancelled call may have changed its files. */
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

  /**
   * Executes a call when the earlier calls on its files are over. Never rejects for a refusal or an error of the host: the result
   * is then `failed`. A call ends once: with the result of `run`, or with `CANCELLED` as soon as the signal is aborted, and what
   * comes later is ignored.
   */
  async execute(
    { call, refused, paths }: CheckedCall,
    run: Run,
    by: Source,
    progress: Progress = { isWriting: false },
  ) {
    // `undefined` until the call has ended.
    let finalResult: ExecutionResult | undefined;
    const notify = (call: WorkspaceCall, result?: ExecutionResult) =>
      this.listeners.emit({ type: "status", call, author: by.author, ...(result && { result }) });
    const settle = (outcome: Outcome): ExecutionResult => {
      if (finalResult !== undefined) return finalResult;
      const { warnings } = progress;
      finalResult = { call: { ...call, status: outcome.status }, ...outcome, ...(warnings && { warnings }) };
      notify(finalResult.call, finalResult);
      return finalResult;
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

  /**
   * Reads files with the function `read`, and collects the warnings about their paths. `files` are their identities, in the order
   * of the paths.
   */
  async read(
    paths: readonly string[],
    files: readonly string[],
    read: (path: string) => Promise<string | null>,
  ): Promise<{ reads: FileRead[]; warnings?: FileWarning[] }> {
    const reads: FileRead[] = [];
    const warnings: FileWarning[] = [];
    for (const [index, path] of paths.entries()) {
      reads.push({ path, file: files[index] ?? path, text: await read(path) });
      warnings.push(...((await this.access.warnings(path)).warnings ?? []));
    }
    return { reads, ...(warnings.length > 0 && { warnings }) };
  }

  /** The refusal for a failure; for a missing file it names files with similar paths. */
  async refusal(cause: unknown, path: string): Promise<FileRefusedError> {
    const refusal = hostRefusal(cause, path);
    if (refusal.code !== "NOT_FOUND") return refusal;
    const paths = await this.access.list(undefined).catch((): string[] => []);
    const allowedPaths = paths.filter((path) => checkPath(path, this.options.policy).ok);
    return nearRefusal(refusal, nearPaths(refusal.answer.error.path ?? path, allowedPaths));
  }

  /** Reads the files of a call, and runs it, while no other tab uses them. Misuse of the package by the page is thrown again. */
  async #perform(
    call: WorkspaceCall,
    paths: readonly string[],
    files: readonly string[],
    run: Run,
    progress: Progress,
  ): Promise<Outcome> {
    try {
      const effect = await this.queue.exclusively(paths, async () => {
        const { reads, ...warnings } = await this.read(paths, files, (path) => this.access.find(path));
        Object.assign(progress, warnings);
        return run(reads);
      });
      return { status: "completed", ...effect };
    } catch (cause) {
      if (cause instanceof GenuiPatchError && !(cause instanceof FileRefusedError)) throw cause;
      return failure(await this.refusal(cause, call.path));
    }
  }
}

const failure = ({ answer }: FileRefusedError): Outcome => ({ ...answer, status: "failed" });
