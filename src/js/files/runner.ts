/** `CallRunner`: executes validated calls, tells listeners their status, and ends them when they are cancelled. */
import type { FileWarning } from "../approval/types.js";
import { checkPath } from "../blocks/policy.js";
import type { ToolCall } from "../blocks/types.js";
import { unlessAborted } from "../core/abort.js";
import { GenuiPatchError } from "../core/errors.js";
import type { Listeners } from "../core/listeners.js";
import type { Access } from "./access.js";
import { FileRefusedError, fileRefusal, hostRefusal, nearRefusal } from "./errors.js";
import { nearPaths } from "./near.js";
import type { CheckedCall } from "./plan.js";
import type { Text } from "./proposals.js";
import type { FileQueue } from "./queue.js";
import type { ExecutionResult, WorkspaceEvent, WorkspaceOptions } from "./types.js";

export type Done = Pick<ExecutionResult, "action" | "diff" | "fixes">;

type Outcome = Omit<ExecutionResult, "call">;

/** Executes a valid call on the current text of its file. */
export type Run = (call: ToolCall<never>, before: Text, file: string) => Promise<Done>;

/** The state of a call that can be cancelled. */
export interface Progress {
  signal?: AbortSignal | undefined;
  isWriting: boolean;
  /** Warnings about the path, once they are known. */
  warnings?: FileWarning[];
}

export class CallRunner {
  constructor(
    private readonly access: Access,
    private readonly queue: FileQueue,
    private readonly options: WorkspaceOptions,
    private readonly listeners: Listeners<WorkspaceEvent>,
  ) {}

  async execute({ call, refused }: CheckedCall, run: Run, progress: Progress = { isWriting: false }) {
    let settled: ExecutionResult | undefined;
    const settle = (outcome: Outcome): ExecutionResult => {
      if (settled !== undefined) return settled;
      const { warnings } = progress;
      settled = { call: { ...call, status: outcome.status }, ...outcome, ...(warnings && { warnings }) };
      this.#tell(settled.call, settled);
      return settled;
    };
    this.#tell({ ...call, status: "processing" });
    if (refused) return settle(failure(refused));
    const { path } = call;
    const { signal } = progress;
    const work = this.queue.run(path, async (file) => settle(await this.#perform(call, file, run, progress)));
    // A cancelled call that is still running keeps its place in the queue, so that no other call runs beside it.
    const cancelled = () => failure(fileRefusal(progress.isWriting ? "CANCELLED_LATE" : "CANCELLED", path));
    return unlessAborted(work, signal, () => settle(cancelled()));
  }

  /** The refusal for a failure; for a missing file it names files with similar paths. */
  async refusal(cause: unknown, path: string): Promise<FileRefusedError> {
    const refused = hostRefusal(cause, path);
    if (refused.code !== "NOT_FOUND") return refused;
    const paths = await this.access.list(undefined).catch((): string[] => []);
    const allowed = paths.filter((path) => checkPath(path, this.options.policy).ok);
    return nearRefusal(refused, nearPaths(path, allowed));
  }

  async #perform(call: ToolCall<never>, file: string, run: Run, progress: Progress): Promise<Outcome> {
    const { path } = call;
    if (progress.signal?.aborted) return failure(fileRefusal("CANCELLED", path));
    this.#tell({ ...call, status: "executing" });
    try {
      const done = await this.queue.exclusively(path, async () => {
        const before = await this.access.find(path);
        Object.assign(progress, await this.access.warnings(path));
        return run(call, before, file);
      });
      return { status: "completed", ...done };
    } catch (cause) {
      if (cause instanceof GenuiPatchError && !(cause instanceof FileRefusedError)) throw cause;
      return failure(await this.refusal(cause, path));
    }
  }

  #tell(call: ToolCall<never>, result?: ExecutionResult): void {
    this.listeners.emit({ type: "status", call, ...(result && { result }) });
  }
}

const failure = ({ answer }: FileRefusedError): Outcome => ({ ...answer, status: "failed" });
