/** Files that an agent may change: in memory, in the browser's private file system, or where the host keeps them. */
import { type ToolSet, toolSet } from "../agent/tool-set.js";
import type { ExecuteOptions } from "../agent/types.js";
import { isSettled, ProposalCollection } from "../approval/collection.js";
import type { FileProposal } from "../approval/types.js";
import { checkPath } from "../blocks/policy.js";
import { validateToolBlock } from "../blocks/stream.js";
import type { FileCall, ToolCall } from "../blocks/types.js";
import { GenuiPatchError } from "../core/errors.js";
import { requireJson } from "../core/json.js";
import { Listeners } from "../core/listeners.js";
import { bindMethods } from "../core/methods.js";
import { ANY, requireFunction, requireObject, requireOptions, requireText, wrong } from "../core/require.js";
import { wellFormed } from "../core/surrogates.js";
import { textDiff } from "../diff/text.js";
import type { Json } from "../types.js";
import { Access, keyOf, type OwnHost } from "./access.js";
import { fileToolSet } from "./agent.js";
import { fileError, HostError, hostError } from "./errors.js";
import { MemoryHost } from "./memory.js";
import { type Directory, OpfsHost, openOpfs, placeOf, requireWritable } from "./opfs.js";
import { type CheckedCall, checkCall, plan } from "./plan.js";
import { agree, carry, requireApproval, type Waiting } from "./proposals.js";
import type {
  ExecutionResult,
  FileAction,
  FileApproval,
  FileChange,
  FileError,
  FilePreview,
  FileRefusal,
  WorkspaceEvent,
  WorkspaceHost,
  WorkspaceOptions,
} from "./types.js";

type Done =
  | { before: string | null; after: string | null; action?: FileAction }
  | { error: FileError; diff?: FileProposal["diff"] };

/**
 * Files that an agent may change by tool calls. What a call says never throws: it comes to a result with an error. Calls
 * on one path wait for each other; a call that fails leaves its file as it was.
 *
 * ```ts
 * const files = Workspace.memory({ "src/a.ts": "let a = 1;\n" });
 * const { status, diff } = await files.execute(call);
 * ```
 */
export class Workspace {
  declare [Symbol.dispose]: () => void;
  readonly #access: Access;
  readonly #options: WorkspaceOptions;
  readonly #listeners = new Listeners<WorkspaceEvent>();
  readonly #proposals: ProposalCollection<Waiting>;
  readonly #queues = new Map<string, Promise<unknown>>();
  readonly #revisions = new Map<string, number>();
  #disposed = false;

  private constructor(host: OwnHost, options: WorkspaceOptions, method: string) {
    requireOptions(method, options, { policy: ANY, limits: ANY });
    // A policy or a limit that is not understood is told at once.
    validateToolBlock("{}", options);
    this.#access = new Access(host, options.policy);
    this.#options = { ...options };
    this.#proposals = new ProposalCollection(options.limits?.maxProposals);
    bindMethods(this);
  }

  /**
   * Files in memory, which remember their {@link history}.
   * @throws GenuiPatchError `INVALID_ARGUMENT` for files that are no strings, or have paths that no workspace has.
   */
  static memory(initial: Readonly<Record<string, string>> = {}, options: WorkspaceOptions = {}): Workspace {
    requireObject("Workspace.memory", "files", initial);
    const host = new MemoryHost();
    const files = new Workspace(host, options, "Workspace.memory");
    for (const [path, content] of Object.entries(initial)) {
      requireText("Workspace.memory", `text of ${JSON.stringify(path)}`, content);
      try {
        host.write(files.#path("Workspace.memory", path), wellFormed(content));
      } catch (cause) {
        if (!(cause instanceof HostError)) throw cause;
        throw new GenuiPatchError("INVALID_ARGUMENT", `Workspace.memory: ${fileError(cause.code, path).message}`);
      }
    }
    host.history.length = 0;
    return files;
  }

  /**
   * Files in the browser's private file system, which survive a reload: in all of it, in a directory of it, or in a
   * directory that the person picked. Each is replaced as a whole, or not at all; other tabs wait.
   * @throws GenuiPatchError `UNSUPPORTED` where there is none or where it cannot replace files as a whole: Node, pages
   * without https, private windows, Safari before 26.
   */
  static async opfs(directory: string | Directory = "", options: WorkspaceOptions = {}): Promise<Workspace> {
    const method = "Workspace.opfs";
    if (typeof directory === "string") {
      const name = directory === "" ? { ok: true as const, path: "" } : checkPath(directory);
      if (!name.ok) throw new GenuiPatchError("INVALID_ARGUMENT", `${method}: ${name.message}`);
      const root = await openOpfs(name.path === "" ? [] : name.path.split("/"));
      return new Workspace(new OpfsHost(root, name.path), options, method);
    }
    if (typeof directory?.getDirectoryHandle !== "function")
      throw wrong(method, "directory", "a path or a directory's handle", directory);
    requireWritable();
    return new Workspace(new OpfsHost(directory, await placeOf(directory)), options, method);
  }

  /**
   * Files where the host keeps them. Links are its duty, see `realpath` of {@link WorkspaceHost}; so is it to replace a file
   * as a whole.
   */
  static custom(host: WorkspaceHost, options: WorkspaceOptions = {}): Workspace {
    const method = "Workspace.custom";
    if (typeof host !== "object" || host === null) throw wrong(method, "host", "an object", host);
    for (const name of ["read", "write", "remove", "list"] as const)
      requireFunction(method, `host's ${name}`, host[name]);
    if (host.realpath !== undefined) requireFunction(method, "host's realpath", host.realpath);
    const own: OwnHost = {
      read: (path) => host.read(path),
      write: (path, content) => host.write(path, content),
      remove: (path) => host.remove(path),
      // Some hosts list everything, whatever they are asked for.
      list: async (dir) => {
        const paths = await host.list(dir);
        return dir === undefined ? paths : paths.filter((path) => path.startsWith(`${dir}/`));
      },
      ...(host.realpath && { realpath: (path) => (host as Required<WorkspaceHost>).realpath(path) }),
    };
    return new Workspace(own, options, method);
  }

  /**
   * Makes a call. It is validated again, and its status is told to the listeners as it changes. Once the signal is aborted,
   * nothing is written: a call that waits for its turn is `failed` with `CANCELLED`.
   */
  async execute(call: FileCall | ToolCall, options: ExecuteOptions = {}): Promise<ExecutionResult> {
    this.#alive();
    requireOptions("execute", options, { signal: ANY });
    const checked = checkCall("execute", call, this.#options);
    return this.#make(checked, async (valid, before) => {
      const planned = plan(valid, before);
      if ("error" in planned) return planned;
      if (options.signal?.aborted) return { error: fileError("CANCELLED", valid.path) };
      // An edit holds for the text in which its place was found, and for no other.
      if (valid.tool === "edit_file" && (await this.#access.text(valid.path)) !== before)
        return { error: fileError("FILE_CHANGED", valid.path) };
      return this.#write(valid.path, before, planned.after);
    });
  }

  /** @internal */
  [toolSet](): ToolSet {
    return fileToolSet(this, this.#options);
  }

  /** What a call would do. Nothing is written. */
  async preview(call: FileCall | ToolCall): Promise<FilePreview> {
    this.#alive();
    const { call: checked, error } = checkCall("preview", call, this.#options);
    const path = typeof checked.path === "string" ? checked.path : "";
    const failed = (error: FileError, before: string | null = null): FilePreview => {
      return { path, before, after: before, hunks: [], error };
    };
    if (error !== undefined) return failed(error);
    return this.#turn(path, async () => {
      const found = await this.#access.find(path);
      if ("error" in found) return failed(found.error);
      const { before } = found;
      const planned = plan(checked, before);
      if ("error" in planned) return failed(planned.error, before);
      return { path, before, after: planned.after, hunks: textDiff(before ?? "", planned.after ?? "") };
    });
  }

  /** Keeps a call until a person approves or refuses it. Nothing is written. */
  async propose(call: FileCall | ToolCall): Promise<FileProposal | FileRefusal> {
    this.#alive();
    // It is kept, and shown.
    requireJson(call as unknown as Json, "call");
    const { call: checked } = checkCall("propose", call, this.#options);
    const { before, after, hunks, error } = await this.preview(checked);
    if (error !== undefined) return { status: "error", error };
    const full = this.#proposals.full();
    if (full !== undefined) return full as FileRefusal;
    const { path } = checked;
    const proposal: FileProposal = {
      id: this.#proposals.nextId(),
      kind: "file",
      target: path,
      revision: this.#revision(path),
      diff: hunks,
      changes: [],
      status: "pending",
      // A copy, since it is frozen.
      proposed: { ...structuredClone(checked), status: "detected" },
    };
    this.#proposals.put({ proposal, before, after, hunks });
    this.#listeners.tell({ type: "proposal", proposal });
    return proposal;
  }

  /**
   * Makes what was proposed, some hunks of it, or the person's own text. If the file has changed since, the change is
   * carried over where the two do not overlap; else the result is `STALE_PROPOSAL`, with the diff as it would be now: what
   * is still wanted is proposed anew.
   * @throws GenuiPatchError `INVALID_ARGUMENT` for hunks and edits that are not understood.
   */
  async approve(proposalId: string, approval: FileApproval = {}): Promise<ExecutionResult | FileRefusal> {
    this.#alive();
    requireApproval(approval);
    const waiting = this.#proposals.records.get(proposalId);
    if (waiting === undefined) return this.#proposals.open(proposalId) as FileRefusal;
    const { proposed } = waiting.proposal;
    let checked: CheckedCall = { call: proposed };
    if (approval.edits !== undefined) {
      const edits = wellFormed(approval.edits);
      const { error } = checkCall("approve", { ...proposed, tool: "write_file", content: edits }, this.#options);
      if (error) checked = { call: proposed, error };
      approval = { edits };
    }
    return this.#make(checked, async (call, current) => {
      if (isSettled(waiting.proposal)) return { error: fileError("PROPOSAL_SETTLED", call.path) };
      const agreed = agree(waiting, current, approval);
      if (agreed === "stale") return this.#refresh(waiting, current);
      if (approval.hunks !== undefined && waiting.proposal.diff !== waiting.hunks) {
        // The file is as it was again, but hunks were shown and chosen of another diff.
        this.#news(waiting, { status: "pending", diff: waiting.hunks });
        return { error: fileError("STALE_PROPOSAL", call.path), diff: waiting.hunks };
      }
      if (agreed === "no such hunk") return { error: fileError("INVALID_ARGUMENT", call.path, waiting.hunks.length) };
      // From here on it cannot be refused.
      const { status } = waiting.proposal;
      this.#proposals.update(waiting, { status: "approved" });
      const { approved, after } = agreed;
      const done = current === after ? { before: current, after } : await this.#write(call.path, current, after);
      if ("error" in done) this.#proposals.update(waiting, { status });
      else this.#news(waiting, { approved, effective: after });
      return done;
    });
  }

  /**
   * The person's no: it will not be made.
   * @throws GenuiPatchError `UNKNOWN_PROPOSAL`, `PROPOSAL_SETTLED`.
   */
  refuse(proposalId: string, reason?: string): void {
    this.#alive();
    this.#listeners.tell({ type: "proposal", proposal: this.#proposals.refuse(proposalId, reason).proposal });
  }

  /** The proposals, those that are settled among them as long as there is room: the same list, frozen, until one changes. */
  proposals(): readonly FileProposal[] {
    this.#alive();
    return this.#proposals.list();
  }

  /** Tells a listener what happens. The function that comes back ends that. */
  subscribe(listener: (event: WorkspaceEvent) => void): () => void {
    this.#alive();
    requireFunction("subscribe", "listener", listener);
    return this.#listeners.subscribe(listener);
  }

  /**
   * The text of a file; null if there is none.
   * @throws GenuiPatchError `UNSAFE_PATH` for a path that no call may name; the code of {@link FileError} if the host fails.
   */
  async read(path: string): Promise<string | null> {
    this.#alive();
    const found = await this.#access.find(this.#path("read", path));
    if (!("error" in found)) return found.before;
    if (found.error.code === "NOT_DIRECTORY") return null;
    throw thrown(found.error);
  }

  /** Whether there is a file of that path. @throws as {@link read} */
  async exists(path: string): Promise<boolean> {
    this.#alive();
    const found = await this.#access.find(this.#path("exists", path));
    if (!("error" in found)) return found.before !== null;
    const { code } = found.error;
    if (code !== "NOT_TEXT" && code !== "IS_DIRECTORY" && code !== "NOT_DIRECTORY") throw thrown(found.error);
    return code === "NOT_TEXT";
  }

  /** The paths of all files in a directory and below, sorted; of all files without one. */
  async list(dir = ""): Promise<string[]> {
    this.#alive();
    requireText("list", "directory", dir);
    // The directory itself need not be one that a call may write to.
    const off = this.#options.policy?.off;
    const checked = /^[./]*$/.test(dir) && !dir.includes("..") ? undefined : checkPath(dir.replace(/\/$/, ""), { off });
    if (checked?.ok === false) throw new GenuiPatchError("UNSAFE_PATH", checked.message);
    try {
      return [...(await this.#access.host.list(checked?.path))].sort();
    } catch (cause) {
      const error = hostError(cause, dir);
      if (error.code === "NOT_FOUND" || error.code === "NOT_DIRECTORY") return [];
      throw thrown(error, cause);
    }
  }

  /** All files with their texts; those that are no text, or that no call may name, are left out. */
  async snapshot(): Promise<Record<string, string>> {
    const entries: [string, string][] = [];
    for (const path of await this.list()) {
      if (!checkPath(path, this.#options.policy).ok) continue;
      const found = await this.#access.find(path);
      if (!("error" in found)) {
        if (found.before !== null) entries.push([path, found.before]);
      } else if (!["NOT_TEXT", "UNSAFE_PATH", "IS_DIRECTORY"].includes(found.error.code)) throw thrown(found.error);
    }
    return Object.fromEntries(entries);
  }

  /** What was done to the files of a workspace in memory, or to one of them, oldest first: the last 1,000 changes. */
  history(path?: string): FileChange[] {
    this.#alive();
    const all = this.#access.host.history ?? [];
    if (path === undefined) return [...all];
    const checked = this.#path("history", path);
    return all.filter((change) => change.path === checked);
  }

  /** Every later call throws. May be called twice. Calls that wait are still made. */
  dispose(): void {
    this.#disposed = true;
    this.#listeners.clear();
  }

  #alive(): void {
    if (this.#disposed) throw new GenuiPatchError("DISPOSED", "This was disposed of: make a new one.");
  }

  #path(method: string, path: string): string {
    const checked = checkPath(path, this.#options.policy);
    if (!checked.ok) throw new GenuiPatchError("UNSAFE_PATH", `${method}: ${checked.message}`);
    return checked.path;
  }

  #revision(path: string): number {
    return this.#revisions.get(path) ?? 0;
  }

  /** Lets what concerns one file happen one after another. */
  #turn<T>(path: string, run: () => Promise<T>): Promise<T> {
    const key = keyOf(path);
    const turn = (this.#queues.get(key) ?? Promise.resolve()).then(run);
    const end = () => {
      if (this.#queues.get(key) === tail) this.#queues.delete(key);
    };
    const tail = turn.then(end, end);
    this.#queues.set(key, tail);
    return turn;
  }

  async #make({ call, error }: CheckedCall, run: (call: ToolCall<never>, before: string | null) => Promise<Done>) {
    this.#tell({ ...call, status: "processing" });
    if (error !== undefined) return this.#settle(call, { error });
    const { path } = call;
    return this.#turn(path, async () => {
      this.#tell({ ...call, status: "executing" });
      const work = async (): Promise<Done> => {
        const found = await this.#access.find(path);
        return "error" in found ? found : run(call, found.before);
      };
      try {
        return this.#settle(call, await (this.#access.host.lock ? this.#access.host.lock(path, work) : work()));
      } catch (cause) {
        if (cause instanceof GenuiPatchError) throw cause;
        return this.#settle(call, { error: hostError(cause, path) });
      }
    });
  }

  #settle(call: ToolCall<never>, done: Done): ExecutionResult {
    const status = "error" in done ? "failed" : "completed";
    const result: ExecutionResult = { call: { ...call, status }, status };
    if ("error" in done) Object.assign(result, done);
    else {
      const { before, after, action } = done;
      if (action !== undefined) result.action = action;
      result.diff = textDiff(before ?? "", after ?? "");
    }
    this.#tell(result.call, result);
    return result;
  }

  #tell(call: ToolCall<never>, result?: ExecutionResult): void {
    this.#listeners.tell({ type: "status", call, ...(result && { result }) });
  }

  async #write(path: string, before: string | null, after: string | null): Promise<Done> {
    const error = await this.#access.put(path, after);
    if (error !== undefined) return { error };
    this.#revisions.set(path, this.#revision(path) + 1);
    this.#overtake(path, after);
    return { before, after, action: after === null ? "deleted" : before === null ? "created" : "updated" };
  }

  /** Marks the proposals that a change has overtaken, and those that it has made possible again. */
  #overtake(path: string, current: string | null): void {
    for (const waiting of this.#proposals.records.values()) {
      if (waiting.proposal.target !== path || isSettled(waiting.proposal)) continue;
      const status = carry(waiting.before, waiting.after, current) === "stale" ? "stale" : "pending";
      if (status !== waiting.proposal.status)
        this.#news(waiting, { status, ...(status === "pending" && { diff: waiting.hunks }) });
    }
  }

  /** What a proposal that was overtaken would do now: for the person to see, and to be proposed anew. */
  #refresh(waiting: Waiting, current: string | null): Done {
    const { proposed, target } = waiting.proposal;
    const planned = plan(proposed, current);
    const error = fileError("STALE_PROPOSAL", target);
    if ("error" in planned) error.message += ` ${planned.error.message}`;
    const diff = "error" in planned ? [] : textDiff(current ?? "", planned.after ?? "");
    this.#news(waiting, { status: "stale", diff, revision: this.#revision(target) });
    return { error, diff };
  }

  #news(waiting: Waiting, news: Partial<FileProposal>): void {
    this.#proposals.update(waiting, news);
    this.#listeners.tell({ type: "proposal", proposal: waiting.proposal });
  }
}

const thrown = ({ code, message }: FileError, cause?: unknown) => new GenuiPatchError(code, message, { cause });
