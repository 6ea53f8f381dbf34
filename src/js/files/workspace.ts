/** Files that an agent may change: in memory, in the browser's private file system, or where the host keeps them. */
import { type ToolSet, toolSet } from "../agent/tool-set.js";
import type { ExecuteOptions } from "../agent/types.js";
import { isSettled, ProposalCollection } from "../approval/collection.js";
import type { FileProposal } from "../approval/types.js";
import { checkPath } from "../blocks/policy.js";
import { validateToolBlock } from "../blocks/stream.js";
import type { FileCall, ToolCall } from "../blocks/types.js";
import { answered, disposed, GenuiPatchError, misuse } from "../core/errors.js";
import { requireJson } from "../core/json.js";
import { Listeners } from "../core/listeners.js";
import { bindMethods } from "../core/methods.js";
import { ANY, FUNCTION, INDEXES, OBJECT, requireKind, requireOptions, TEXT, wrong } from "../core/require.js";
import { wellFormed } from "../core/surrogates.js";
import { textDiff } from "../diff/text.js";
import type { Hunk, Json } from "../types.js";
import { Access, keyOf } from "./access.js";
import { fileToolSet } from "./agent.js";
import { FileRefusedError, fileRefusal, hostRefusal, instead } from "./errors.js";
import { MemoryHost } from "./memory.js";
import { type Directory, OpfsHost, openOpfs, placeOf, requireWritable } from "./opfs.js";
import { type CheckedCall, checkCall, plan } from "./plan.js";
import { agree, carry, type Waiting } from "./proposals.js";
import type {
  ExecutionResult,
  FileApproval,
  FileChange,
  FilePreview,
  FileRefusal,
  WorkspaceEvent,
  WorkspaceHost,
  WorkspaceOptions,
} from "./types.js";

type Done = Pick<ExecutionResult, "action" | "diff">;

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
  readonly #host: WorkspaceHost;
  readonly #access: Access;
  readonly #options: WorkspaceOptions;
  readonly #listeners = new Listeners<WorkspaceEvent>();
  readonly #proposals: ProposalCollection<Waiting>;
  readonly #queues = new Map<string, Promise<unknown>>();
  readonly #revisions = new Map<string, number>();
  #disposed = false;

  private constructor(host: WorkspaceHost, options: WorkspaceOptions, method: string) {
    requireOptions(method, options, { policy: ANY, limits: ANY });
    // A policy or a limit that is not understood is told at once.
    validateToolBlock("{}", options);
    this.#host = host;
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
    requireKind("Workspace.memory", "files", initial, OBJECT);
    const host = new MemoryHost();
    const files = new Workspace(host, options, "Workspace.memory");
    for (const [path, content] of Object.entries(initial)) {
      requireKind("Workspace.memory", `text of ${JSON.stringify(path)}`, content, TEXT);
      const checked = files.#path("Workspace.memory", path);
      try {
        host.write(checked, wellFormed(content));
      } catch (cause) {
        throw misuse(`Workspace.memory: ${hostRefusal(cause, path).answer.error.message}`);
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
      if (!name.ok) throw misuse(`${method}: ${name.message}`);
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
      requireKind(method, `host's ${name}`, host[name], FUNCTION);
    if (host.realpath !== undefined) requireKind(method, "host's realpath", host.realpath, FUNCTION);
    return new Workspace(host, options, method);
  }

  /**
   * Makes a call. It is validated again, and its status is told to the listeners as it changes. Once the signal is aborted,
   * nothing is written: a call that waits for its turn is `failed` with `CANCELLED`.
   */
  async execute(call: FileCall | ToolCall, options: ExecuteOptions = {}): Promise<ExecutionResult> {
    this.#alive();
    requireOptions("execute", options, { signal: ANY });
    return this.#make(checkCall("execute", call, this.#options), async (valid, before) => {
      const { tool, path } = valid;
      const after = plan(valid, before);
      if (options.signal?.aborted) throw fileRefusal("CANCELLED", path);
      // An edit holds for the text in which its place was found, and for no other.
      if (tool === "edit_file" && (await this.#access.text(path)) !== before) throw fileRefusal("FILE_CHANGED", path);
      return this.#write(path, before, after);
    });
  }

  /** @internal */
  [toolSet](): ToolSet {
    return fileToolSet(this, this.#options);
  }

  /** What a call would do. Nothing is written. */
  async preview(call: FileCall | ToolCall): Promise<FilePreview> {
    this.#alive();
    const { call: checked, refused } = checkCall("preview", call, this.#options);
    const path = typeof checked.path === "string" ? checked.path : "";
    let before: string | null = null;
    try {
      if (refused) throw refused;
      return await this.#turn(path, async () => {
        before = await this.#access.find(path);
        const after = plan(checked, before);
        return { path, before, after, hunks: textDiff(before ?? "", after ?? "") };
      });
    } catch (cause) {
      if (!(cause instanceof FileRefusedError)) throw cause;
      return { path, before, after: before, hunks: [], error: cause.answer.error };
    }
  }

  /** Keeps a call until a person approves or refuses it. Nothing is written. */
  async propose(call: FileCall | ToolCall): Promise<FileProposal | FileRefusal> {
    this.#alive();
    // It is kept, and shown.
    requireJson(call as unknown as Json, "call");
    const { call: checked } = checkCall("propose", call, this.#options);
    const { before, after, hunks, error } = await this.preview(checked);
    if (error !== undefined) return { status: "error", error };
    return answered(() => {
      this.#proposals.makeRoom();
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
    });
  }

  /**
   * Makes what was proposed, some hunks of it, or the person's own text. If the file has changed since, the change is
   * carried over where the two do not overlap; else the result is `STALE_PROPOSAL`, with the diff as it would be now: what
   * is still wanted is proposed anew.
   */
  async approve(proposalId: string, approval: FileApproval = {}): Promise<ExecutionResult | FileRefusal> {
    this.#alive();
    requireOptions("approve", approval, { hunks: INDEXES, edits: TEXT });
    const { hunks } = approval;
    if (hunks !== undefined && approval.edits !== undefined) throw misuse("approve: either hunks or edits, not both.");
    const waiting = this.#proposals.records.get(proposalId);
    if (waiting === undefined) return answered(() => this.#proposals.open(proposalId)) as FileRefusal;
    const { proposed } = waiting.proposal;
    let checked: CheckedCall = { call: proposed };
    if (approval.edits !== undefined) {
      const edits = wellFormed(approval.edits);
      const { refused } = checkCall("approve", { ...proposed, tool: "write_file", content: edits }, this.#options);
      if (refused) checked = { call: proposed, refused };
      approval = { edits };
    }
    return this.#make(checked, async ({ path }, current) => {
      if (isSettled(waiting.proposal)) throw fileRefusal("PROPOSAL_SETTLED", path);
      const isUnknown = hunks?.some((index) => index >= waiting.hunks.length);
      const agreed = isUnknown ? undefined : agree(waiting, current, approval);
      if (agreed === undefined && !isUnknown) throw this.#overtaken(waiting, current);
      if (hunks !== undefined && waiting.proposal.diff !== waiting.hunks) {
        // The file is as it was again, but hunks were shown and chosen of another diff.
        this.#news(waiting, { status: "pending", diff: waiting.hunks });
        throw fileRefusal("STALE_PROPOSAL", path, "", { diff: waiting.hunks });
      }
      if (agreed === undefined) throw fileRefusal("INVALID_ARGUMENT", path, waiting.hunks.length);
      // From here on it cannot be refused.
      const { status } = waiting.proposal;
      this.#proposals.update(waiting, { status: "approved" });
      try {
        const { approved, after } = agreed;
        const done = current === after ? { diff: [] } : await this.#write(path, current, after);
        this.#news(waiting, { approved, effective: after });
        return done;
      } catch (cause) {
        this.#proposals.update(waiting, { status });
        throw cause;
      }
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
    requireKind("subscribe", "listener", listener, FUNCTION);
    return this.#listeners.subscribe(listener);
  }

  /**
   * The text of a file; null if there is none.
   * @throws GenuiPatchError `UNSAFE_PATH` for a path that no call may name; the code of {@link FileError} if the host fails.
   */
  async read(path: string): Promise<string | null> {
    this.#alive();
    return this.#access.find(this.#path("read", path)).catch(instead(null, "NOT_DIRECTORY"));
  }

  /** Whether there is a file of that path. @throws as {@link read} */
  async exists(path: string): Promise<boolean> {
    this.#alive();
    const found = this.#access.find(this.#path("exists", path)).catch(instead("", "NOT_TEXT"));
    return (await found.catch(instead(null, "IS_DIRECTORY", "NOT_DIRECTORY"))) !== null;
  }

  /** The paths of all files in a directory and below, sorted; of all files without one. */
  async list(dir = ""): Promise<string[]> {
    this.#alive();
    requireKind("list", "directory", dir, TEXT);
    // The directory itself need not be one that a call may write to.
    const off = this.#options.policy?.off;
    const checked = /^[./]*$/.test(dir) && !dir.includes("..") ? undefined : checkPath(dir.replace(/\/$/, ""), { off });
    if (checked?.ok === false) throw new GenuiPatchError("UNSAFE_PATH", checked.message);
    const listed = this.#access.ask(dir, async (host) => {
      const paths = [...(await host.list(checked?.path))].sort();
      // Some hosts list everything, whatever they are asked for.
      return checked ? paths.filter((path) => path.startsWith(`${checked.path}/`)) : paths;
    });
    return listed.catch(instead([], "NOT_FOUND", "NOT_DIRECTORY"));
  }

  /** All files with their texts; those that are no text, or that no call may name, are left out. */
  async snapshot(): Promise<Record<string, string>> {
    const entries: [string, string][] = [];
    for (const path of await this.list()) {
      if (!checkPath(path, this.#options.policy).ok) continue;
      const found = this.#access.find(path).catch(instead(null, "NOT_TEXT", "UNSAFE_PATH", "IS_DIRECTORY"));
      const text = await found;
      if (text !== null) entries.push([path, text]);
    }
    return Object.fromEntries(entries);
  }

  /** What was done to the files of a workspace in memory, or to one of them, oldest first: the last 1,000 changes. */
  history(path?: string): FileChange[] {
    this.#alive();
    const all = this.#host instanceof MemoryHost ? this.#host.history : [];
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
    if (this.#disposed) throw disposed();
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

  async #make({ call, refused }: CheckedCall, run: (call: ToolCall<never>, before: string | null) => Promise<Done>) {
    const settle = (outcome: Omit<ExecutionResult, "call">): ExecutionResult => {
      const result = { call: { ...call, status: outcome.status }, ...outcome };
      this.#tell(result.call, result);
      return result;
    };
    const fail = ({ answer }: FileRefusedError) => settle({ ...answer, status: "failed" });
    this.#tell({ ...call, status: "processing" });
    if (refused) return fail(refused);
    const { path } = call;
    return this.#turn(path, async () => {
      this.#tell({ ...call, status: "executing" });
      const work = async () => run(call, await this.#access.find(path));
      try {
        return settle({
          status: "completed",
          ...(await (this.#host instanceof OpfsHost ? this.#host.lock(path, work) : work())),
        });
      } catch (cause) {
        if (cause instanceof GenuiPatchError && !(cause instanceof FileRefusedError)) throw cause;
        return fail(hostRefusal(cause, path));
      }
    });
  }

  #tell(call: ToolCall<never>, result?: ExecutionResult): void {
    this.#listeners.tell({ type: "status", call, ...(result && { result }) });
  }

  async #write(path: string, before: string | null, after: string | null): Promise<Done> {
    await this.#access.ask(path, (host) => (after === null ? host.remove(path) : host.write(path, after)));
    this.#revisions.set(path, this.#revision(path) + 1);
    for (const waiting of this.#proposals.records.values()) {
      if (waiting.proposal.target !== path || isSettled(waiting.proposal)) continue;
      // A change may overtake a proposal, or make it possible again.
      const status = carry(waiting.before, waiting.after, after) === undefined ? "stale" : "pending";
      if (status !== waiting.proposal.status)
        this.#news(waiting, { status, ...(status === "pending" && { diff: waiting.hunks }) });
    }
    const action = after === null ? "deleted" : before === null ? "created" : "updated";
    return { action, diff: textDiff(before ?? "", after ?? "") };
  }

  /** Shows what a proposal that was overtaken would do now: for the person to see, and to be proposed anew. */
  #overtaken(waiting: Waiting, current: string | null): FileRefusedError {
    const { proposed, target } = waiting.proposal;
    let diff: Hunk[] = [];
    let why = "";
    try {
      diff = textDiff(current ?? "", plan(proposed, current) ?? "");
    } catch (cause) {
      why = ` ${hostRefusal(cause, target).answer.error.message}`;
    }
    this.#news(waiting, { status: "stale", diff, revision: this.#revision(target) });
    return fileRefusal("STALE_PROPOSAL", target, why, { diff });
  }

  #news(waiting: Waiting, news: Partial<FileProposal>): void {
    this.#proposals.update(waiting, news);
    this.#listeners.tell({ type: "proposal", proposal: waiting.proposal });
  }
}
