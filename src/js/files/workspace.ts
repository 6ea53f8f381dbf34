/** Files that an agent may change: in memory, in the browser's private file system, or where the host keeps them. */
import { type ToolSet, toolSet } from "../agent/tool-set.js";
import type { ExecuteOptions } from "../agent/types.js";
import { isSettled, ProposalCollection } from "../approval/collection.js";
import type { FileProposal, FileWarning } from "../approval/types.js";
import { checkPath } from "../blocks/policy.js";
import { validateToolBlock } from "../blocks/stream.js";
import type { FileCall, ToolCall } from "../blocks/types.js";
import { unlessAborted } from "../core/abort.js";
import { answered, disposed, GenuiPatchError, misuse, RefusedError } from "../core/errors.js";
import { parseJson, requireJson } from "../core/json.js";
import { isObject, isText } from "../core/kinds.js";
import { Listeners } from "../core/listeners.js";
import { bindMethods } from "../core/methods.js";
import {
  ANY,
  type ArgumentKind,
  FUNCTION,
  INDEXES,
  OBJECT,
  requireKind,
  requireOptions,
  TEXT,
  wrong,
} from "../core/require.js";
import { wellFormed } from "../core/surrogates.js";
import { equal } from "../diff/equal.js";
import type { Hunk, Json } from "../types.js";
import { Access } from "./access.js";
import { fileToolSet } from "./agent.js";
import { FileRefusedError, fileRefusal, hostRefusal, instead, nearRefusal } from "./errors.js";
import { foldPath } from "./identity.js";
import { MemoryHost } from "./memory.js";
import { nearPaths } from "./near.js";
import { type Directory, OpfsHost, openOpfs, placeOf, requireWritable } from "./opfs.js";
import { type CheckedCall, checkCall, type Planned, plan } from "./plan.js";
import { agree, hunksOf, isSameDiff, type Text, viewOn, type Waiting } from "./proposals.js";
import type {
  ExecutionResult,
  FileAction,
  FileApproval,
  FileChange,
  FilePreview,
  FileRefusal,
  WorkspaceEvent,
  WorkspaceHost,
  WorkspaceOptions,
} from "./types.js";

type Done = Pick<ExecutionResult, "action" | "diff" | "fixes">;
type Outcome = Omit<ExecutionResult, "call">;
/** Makes a valid call on the text that its file has. */
type Run = (call: ToolCall<never>, before: Text, file: string) => Promise<Done>;
/** How far a call is that may be cancelled. */
interface Progress {
  signal?: AbortSignal | undefined;
  isWriting: boolean;
  /** Warnings about the path, once they are known. */
  warnings?: FileWarning[];
}

export interface RestoreFilesOptions extends WorkspaceOptions {
  /**
   * The workspace that takes the proposals of the text, for files that are not in the text: those of the private file system,
   * or of a host. Its own options hold.
   */
  files?: Workspace | undefined;
}

/** A proposal in a saved text. All other properties are computed on restore. */
interface SavedProposal {
  id: string;
  call: FileCall;
  /** The text of the file on which it was proposed. */
  before: Text;
}

/** The version of the text that `save()` writes. */
const VERSION = 1;

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
   * A workspace from the text of {@link Workspace.save}: its proposals, and its files if they were in memory. What a proposal
   * shows is computed again, from its call and the file.
   *
   * ```ts
   * const restored = await Workspace.restore(files.save());
   * const opened = await Workspace.restore(saved, { files: await Workspace.opfs("project") });
   * ```
   * @throws GenuiPatchError with the code of what is wrong with the text.
   */
  static async restore(saved: string, options: RestoreFilesOptions = {}): Promise<Workspace> {
    requireKind("restore", "saved text", saved, TEXT);
    requireOptions("restore", options, { policy: ANY, limits: ANY, files: WORKSPACE });
    const { files, ...rest } = options;
    const { texts, proposals } = readSaved(saved);
    if (files === undefined && texts === undefined)
      throw misuse("restore: the files are not in the text. Give the workspace that has them, as files.");
    const restored = files ?? Workspace.memory(texts as Record<string, string>, rest);
    for (const proposal of proposals) await restored.#restore(proposal);
    return restored;
  }

  /** The proposals that wait as text, and the files if they are in memory. Options are not in it. */
  save(): string {
    this.#alive();
    const waiting = [...this.#proposals.records.values()].filter(({ proposal }) => !isSettled(proposal));
    const proposals = waiting.map(
      ({ proposal: { id, proposed: call }, before }): SavedProposal => ({ id, call, before }),
    );
    const files = this.#host instanceof MemoryHost ? this.#host.texts() : undefined;
    return JSON.stringify({ "genui-patch-files": VERSION, files, proposals });
  }

  async #restore({ id, call, before }: SavedProposal): Promise<void> {
    if (this.#proposals.records.has(id)) throw damaged();
    this.#proposals.makeRoom();
    const { call: proposed, refused } = checkCall("restore", call, this.#options);
    // A call that may not be made any more, under another policy for example, stays as a stale proposal.
    if (refused)
      return void this.#put(
        id,
        { ...proposed, path: String(proposed.path) },
        { file: "", before, seen: before, refused },
      );
    const { path } = proposed;
    await this.#turn(path, async (file) => {
      try {
        const seen = await this.#read(path);
        const warnings = await this.#access.warnings(path);
        this.#put(id, proposed, { file, before, seen, ...planned(proposed, before), ...warnings });
      } catch (cause) {
        if (!(cause instanceof FileRefusedError)) throw cause;
        this.#put(id, proposed, { file, before, seen: before, refused: cause });
      }
    });
  }

  /**
   * Makes a call. It is validated again, and its status is told to the listeners as it changes. Once the signal is aborted, the
   * call is `failed` with `CANCELLED` at once, whatever the host is doing, and no write begins. The error says so if one has
   * begun.
   */
  async execute(call: FileCall | ToolCall, options: ExecuteOptions = {}): Promise<ExecutionResult> {
    this.#alive();
    requireOptions("execute", options, { signal: ANY });
    const { signal } = options;
    const progress: Progress = { signal, isWriting: false };
    const run: Run = async (valid, before, file) => {
      const { tool, path } = valid;
      const { after, fixes } = plan(valid, before, "unreviewed");
      // An edit holds for the text in which its place was found, and for no other.
      if (tool === "edit_file" && !signal?.aborted && (await this.#access.text(path)) !== before)
        throw fileRefusal("FILE_CHANGED", path);
      if (signal?.aborted) throw fileRefusal("CANCELLED", path);
      progress.isWriting = true;
      return { ...(await this.#write(path, file, before, after)), ...(fixes && { fixes }) };
    };
    return this.#make(checkCall("execute", call, this.#options), run, progress);
  }

  /** @internal */
  [toolSet](): ToolSet {
    return fileToolSet(this, this.#access, this.#options);
  }

  /** What a call would do. Nothing is written. */
  async preview(call: FileCall | ToolCall): Promise<FilePreview> {
    this.#alive();
    const { call: checked, refused } = checkCall("preview", call, this.#options);
    const path = typeof checked.path === "string" ? checked.path : "";
    let before: Text = null;
    let warnings: Pick<FilePreview, "warnings"> = {};
    try {
      if (refused) throw refused;
      return await this.#turn(path, async () => {
        before = await this.#read(path);
        warnings = await this.#access.warnings(path);
        const { after, fixes } = plan(checked, before, "reviewed");
        return { path, before, after, hunks: hunksOf(before, after), ...(fixes && { fixes }), ...warnings };
      });
    } catch (cause) {
      if (!(cause instanceof FileRefusedError)) throw cause;
      const { error } = (await this.#refusal(cause, path)).answer;
      return { path, before, after: before, hunks: [], error, ...warnings };
    }
  }

  /** Keeps a call until a person approves or refuses it. Nothing is written. An aborted signal ends it with `CANCELLED`. */
  async propose(call: FileCall | ToolCall, options: ExecuteOptions = {}): Promise<FileProposal | FileRefusal> {
    this.#alive();
    requireOptions("propose", options, { signal: ANY });
    const { signal } = options;
    // It is kept, and shown.
    requireJson(call as unknown as Json, "call");
    const { call: checked, refused } = checkCall("propose", call, this.#options);
    if (refused) return refused.answer;
    const { path } = checked;
    let proposal: FileProposal | undefined;
    const work = this.#turn<FileProposal | FileRefusal>(path, async (file) => {
      const before = await this.#read(path);
      const made = plan(checked, before, "reviewed");
      const warnings = await this.#access.warnings(path);
      if (signal?.aborted) throw fileRefusal("CANCELLED", path);
      this.#proposals.makeRoom();
      proposal = this.#put(this.#proposals.nextId(), checked, { file, before, seen: before, ...made, ...warnings });
      return proposal;
    });
    const answer = work.catch(async (cause): Promise<FileRefusal> => {
      if (cause instanceof FileRefusedError) return (await this.#refusal(cause, path)).answer;
      if (cause instanceof RefusedError) return cause.answer as FileRefusal;
      throw cause;
    });
    return unlessAborted(answer, signal, () => proposal ?? fileRefusal("CANCELLED", path).answer);
  }

  #put(
    id: string,
    call: ToolCall<never>,
    { warnings, fixes, ...own }: Omit<Waiting, "proposal"> & Pick<FileProposal, "warnings" | "fixes">,
  ): FileProposal {
    const { path: target } = call;
    // A copy, since it is frozen.
    const proposed = { ...structuredClone(call), status: "detected" as const };
    const revision = this.#revision(own.file);
    const proposal: FileProposal = {
      id,
      kind: "file",
      target,
      revision,
      diff: [],
      changes: [],
      status: "stale",
      proposed,
      ...(warnings && { warnings }),
      ...(fixes && { fixes }),
    };
    const waiting: Waiting = { proposal, ...own };
    waiting.proposal = { ...proposal, ...this.#shown(waiting, own.seen) };
    this.#proposals.put(waiting);
    this.#listeners.tell({ type: "proposal", proposal: waiting.proposal });
    return waiting.proposal;
  }

  /** The properties of a proposal that depend on the current text of its file. */
  #shown(waiting: Waiting, current: Text): Pick<FileProposal, "status" | "diff" | "action"> {
    const view = viewOn(waiting, current);
    if (view === undefined) return { status: "stale", diff: this.#fresh(waiting, current).diff };
    const { before, after, hunks: diff } = view;
    const action = before === after ? undefined : actionOf(before, after);
    return { status: "pending", diff, ...(action && action !== "updated" && { action }) };
  }

  /** The diff that the call of a stale proposal would make to the current text, or the reason why it would fail. */
  #fresh({ proposal: { proposed, target }, refused }: Waiting, current: Text): { diff: Hunk[]; why: string } {
    try {
      if (refused) throw refused;
      return { diff: hunksOf(current, plan(proposed, current, "reviewed").after), why: "" };
    } catch (cause) {
      return { diff: [], why: ` ${hostRefusal(cause, target).answer.error.message}` };
    }
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
    let checked: CheckedCall = { call: proposed, ...(waiting.refused && { refused: waiting.refused }) };
    if (approval.edits !== undefined && !waiting.refused) {
      const edits = wellFormed(approval.edits);
      const { refused } = checkCall("approve", { ...proposed, tool: "write_file", content: edits }, this.#options);
      if (refused) checked = { call: proposed, refused };
      approval = { edits };
    }
    return this.#make(checked, async ({ path }, current, file) => {
      if (isSettled(waiting.proposal)) throw fileRefusal("PROPOSAL_SETTLED", path);
      const view = viewOn(waiting, current);
      if (view === undefined) throw this.#overtaken(waiting, current);
      if (hunks !== undefined && !isSameDiff(view.hunks, waiting.proposal.diff)) {
        // The hunks were chosen of another diff.
        this.#refresh(waiting, current);
        throw fileRefusal("STALE_PROPOSAL", path, "", { diff: waiting.proposal.diff });
      }
      const agreed = agree(waiting, view, approval);
      if (agreed === undefined) throw this.#overtaken(waiting, current);
      // The record of a stale proposal has the diff of its call on another text.
      if (waiting.proposal.status === "stale") this.#refresh(waiting, current);
      const count = waiting.proposal.diff.length;
      if (hunks?.some((index) => index >= count)) throw fileRefusal("INVALID_ARGUMENT", path, count);
      // From here on it cannot be refused.
      const { status } = waiting.proposal;
      this.#proposals.update(waiting, { status: "approved" });
      try {
        const { approved, after, outcome } = agreed;
        const done = current === after ? { diff: [] } : await this.#write(path, file, current, after);
        this.#news(waiting, { approved, effective: after, outcome });
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
    return this.#read(this.#path("read", path)).catch(instead(null, "NOT_DIRECTORY"));
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
      const found = this.#read(path).catch(instead(null, "NOT_TEXT", "UNSAFE_PATH", "IS_DIRECTORY"));
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

  /** How often this workspace has changed a file. */
  #revision(file: string): number {
    return this.#revisions.get(file) ?? 0;
  }

  /** Runs one after another what concerns one file, by whichever path it is named. */
  #turn<T>(path: string, run: (file: string) => Promise<T>): Promise<T> {
    const first = foldPath(path);
    return this.#queue(`path ${first}`, async () => {
      if (!this.#access.hasLinks) return run(first);
      // A path that leads nowhere is refused where the file is read.
      const file = await this.#access.identity(path).catch(() => first);
      // Calls lock the path first and then the file. The fixed order prevents deadlocks.
      return this.#queue(`file ${file}`, () => run(file));
    });
  }

  #queue<T>(key: string, run: () => Promise<T>): Promise<T> {
    const turn = (this.#queues.get(key) ?? Promise.resolve()).then(run);
    const end = () => {
      if (this.#queues.get(key) === tail) this.#queues.delete(key);
    };
    const tail = turn.then(end, end);
    this.#queues.set(key, tail);
    return turn;
  }

  async #make({ call, refused }: CheckedCall, run: Run, progress: Progress = { isWriting: false }) {
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
    const work = this.#turn(path, async (file) => settle(await this.#perform(call, file, run, progress)));
    // What is still under way then keeps its turn, so that no other call mixes with it. Nobody is told how it ends.
    const cancelled = () => failure(fileRefusal(progress.isWriting ? "CANCELLED_LATE" : "CANCELLED", path));
    return unlessAborted(work, signal, () => settle(cancelled()));
  }

  async #perform(call: ToolCall<never>, file: string, run: Run, progress: Progress): Promise<Outcome> {
    const { path } = call;
    if (progress.signal?.aborted) return failure(fileRefusal("CANCELLED", path));
    this.#tell({ ...call, status: "executing" });
    const work = async () => {
      const before = await this.#access.find(path);
      Object.assign(progress, await this.#access.warnings(path));
      return run(call, before, file);
    };
    try {
      const done = await (this.#host instanceof OpfsHost ? this.#host.lock(path, work, "exclusive") : work());
      return { status: "completed", ...done };
    } catch (cause) {
      if (cause instanceof GenuiPatchError && !(cause instanceof FileRefusedError)) throw cause;
      return failure(await this.#refusal(cause, path));
    }
  }

  /** The text of a file, while no tab writes it: in WebKit a file that is being replaced is empty, or cut off, for a moment. */
  #read(path: string): Promise<string | null> {
    const find = () => this.#access.find(path);
    return this.#host instanceof OpfsHost ? this.#host.lock(path, find, "shared") : find();
  }

  /** Why something failed; of a file that is not there, with files that are near. */
  async #refusal(cause: unknown, path: string): Promise<FileRefusedError> {
    const refused = hostRefusal(cause, path);
    if (refused.code !== "NOT_FOUND") return refused;
    const paths = await this.list().catch((): string[] => []);
    const allowed = paths.filter((path) => checkPath(path, this.#options.policy).ok);
    return nearRefusal(refused, nearPaths(path, allowed));
  }

  #tell(call: ToolCall<never>, result?: ExecutionResult): void {
    this.#listeners.tell({ type: "status", call, ...(result && { result }) });
  }

  async #write(path: string, file: string, before: Text, after: Text): Promise<Done> {
    await this.#access.ask(path, (host) => (after === null ? host.remove(path) : host.write(path, after)));
    this.#access.listed(path, after !== null);
    this.#revisions.set(file, this.#revision(file) + 1);
    for (const waiting of this.#proposals.records.values()) {
      const { target } = waiting.proposal;
      if (waiting.file !== file || isSettled(waiting.proposal)) continue;
      // Only the host knows whether another spelling of the path is the same file.
      const current = target === path ? { text: after } : await this.#lookUp(target);
      if (current !== undefined && !isSettled(waiting.proposal)) this.#refresh(waiting, current.text);
    }
    return { action: actionOf(before, after), diff: hunksOf(before, after) };
  }

  /** The text of a file; nothing if the host does not say. */
  async #lookUp(path: string): Promise<{ text: Text } | undefined> {
    try {
      return { text: await this.#access.find(path) };
    } catch {
      return undefined;
    }
  }

  /** Brings what a proposal shows up to date with the text of its file. */
  #refresh(waiting: Waiting, current: Text): void {
    const { proposal, seen } = waiting;
    const shown = this.#shown(waiting, current);
    waiting.seen = current;
    const revision = this.#revision(waiting.file);
    const isSame =
      shown.status === proposal.status &&
      shown.action === proposal.action &&
      equal(shown.diff as never, proposal.diff as never);
    if (isSame) {
      if (seen !== current && revision !== proposal.revision) this.#proposals.update(waiting, { revision });
      return;
    }
    const { action: _, ...rest } = proposal;
    waiting.proposal = rest;
    this.#news(waiting, { revision, ...shown });
  }

  /** Shows what a proposal that was overtaken would do now: for the person to see, and to be proposed anew. */
  #overtaken(waiting: Waiting, current: Text): FileRefusedError {
    const { target } = waiting.proposal;
    const { diff, why } = this.#fresh(waiting, current);
    waiting.seen = current;
    this.#news(waiting, { status: "stale", diff, revision: this.#revision(waiting.file) });
    return fileRefusal("STALE_PROPOSAL", target, why, { diff });
  }

  #news(waiting: Waiting, news: Partial<FileProposal>): void {
    this.#proposals.update(waiting, news);
    this.#listeners.tell({ type: "proposal", proposal: waiting.proposal });
  }
}

const WORKSPACE: ArgumentKind = ["a Workspace", (value) => value instanceof Workspace];

function actionOf(before: Text, after: Text): FileAction {
  return after === null ? "deleted" : before === null ? "created" : "updated";
}

/** What a call makes of a text; no `after` if the call cannot be applied to this text. */
function planned(call: ToolCall<never>, before: Text): Partial<Planned> {
  try {
    return plan(call, before, "reviewed");
  } catch (cause) {
    if (cause instanceof FileRefusedError) return {};
    throw cause;
  }
}

const damaged = (code = "INVALID_STRUCTURE") =>
  new GenuiPatchError(code, "The text is not one that save() of a Workspace returned.");

function readSaved(text: string): { texts: Record<string, string> | undefined; proposals: SavedProposal[] } {
  const saved = parseJson(text);
  if (saved === undefined) throw damaged("INVALID_JSON");
  if (!isObject<Json>(saved) || saved["genui-patch-files"] !== VERSION) throw damaged();
  const { files: texts, proposals } = saved;
  const isProposal = (value: unknown) =>
    isObject(value) && isText(value.id) && isObject(value.call) && (value.before === null || isText(value.before));
  const areTexts = texts === undefined || (isObject<Json>(texts) && Object.values(texts).every(isText));
  if (!areTexts || !Array.isArray(proposals) || !proposals.every(isProposal)) throw damaged();
  return { texts: texts as Record<string, string> | undefined, proposals: proposals as unknown as SavedProposal[] };
}

const failure = ({ answer }: FileRefusedError): Outcome => ({ ...answer, status: "failed" });
