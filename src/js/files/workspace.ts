/** `Workspace`: files that an agent may change: in memory, in the browser's private file system, or where the host keeps them. */

import { isSettled } from "../approval/collection.js";
import type { FileProposal, WorkspaceCall } from "../approval/types.js";
import { checkPath } from "../blocks/policy.js";
import { validateToolBlock } from "../blocks/stream.js";
import type { FileCall, Fix, ToolCall } from "../blocks/types.js";
import { unlessAborted } from "../core/abort.js";
import { disposed, GenuiPatchError, misuse, RefusedError } from "../core/errors.js";
import { requireJson } from "../core/json.js";
import { Listeners } from "../core/listeners.js";
import { bindMethods } from "../core/methods.js";
import {
  ANY,
  type ArgumentKind,
  FLAG,
  FUNCTION,
  INDEXES,
  OBJECT,
  requireKind,
  requireOptions,
  TEXT,
  wrong,
} from "../core/require.js";
import { wellFormed } from "../core/surrogates.js";
import { AGENT, AUTHOR_FILTER, CHANGE, sourceOf } from "../store/authors.js";
import { type CallEffect, type ToolSet, type ToolSetOptions, toolSet } from "../tools/tool-set.js";
import { Access } from "./access.js";
import { fileToolSets } from "./agent.js";
import { FileWriter } from "./commit.js";
import { FileRefusedError, fileRefusal, hostRefusal, proposalRefusal, recoverFrom, unknownProposal } from "./errors.js";
import { FileHistory } from "./history.js";
import { MemoryHost } from "./memory.js";
import { type Directory, directoryName, OpfsHost, openOpfs, requireAtomicWrites } from "./opfs.js";
import {
  editsOf,
  filesWithoutPlan,
  fixesOf,
  partsOf,
  planOn,
  restoredCall,
  savedProposal,
  savedTexts,
  textsBefore,
  withCurrentTexts,
} from "./parts.js";
import { PendingProposals } from "./pending.js";
import { type CheckedCall, checkCall, type FileRead, planEffect } from "./plan.js";
import { hunksOf, type Text } from "./proposals.js";
import { FileQueue } from "./queue.js";
import { readingTools } from "./reading.js";
import { CallRunner, type Progress, type Run } from "./runner.js";
import { damagedText, readSaved, type SavedProposal, writeSaved } from "./saved.js";
import type {
  ExecutionResult,
  FileApproval,
  FileCallOptions,
  FileHistoryEntry,
  FilePreview,
  FileRefusal,
  FileUndoOptions,
  FileUndoResult,
  WorkspaceEvent,
  WorkspaceHost,
  WorkspaceOptions,
} from "./types.js";
import { FileUndo } from "./undo.js";

export interface RestoreFilesOptions extends WorkspaceOptions {
  /**
   * The workspace to restore the proposals into, if its files are in the private file system or on a host and so not in the
   * text. Its own options apply.
   */
  files?: Workspace | undefined;
}

/**
 * Files that an agent may change by tool calls. An invalid call never throws: its result has an error. Calls on one file run
 * one after another; a call that fails leaves its file unchanged.
 *
 * ```ts
 * const files = Workspace.memory({ "src/a.ts": "let a = 1;\n" });
 * const { status, diff } = await files.execute(call);
 * ```
 */
export class Workspace {
  /** Set by `bindMethods`: calls `dispose`. */
  declare [Symbol.dispose]: () => void;
  readonly #host: WorkspaceHost;
  readonly #access: Access;
  readonly #options: WorkspaceOptions;
  readonly #listeners = new Listeners<WorkspaceEvent>();
  readonly #queue: FileQueue;
  readonly #runner: CallRunner;
  readonly #pending: PendingProposals;
  readonly #writer: FileWriter;
  readonly #history: FileHistory;
  readonly #undo: FileUndo;
  #isDisposed = false;

  /** `method` is named in errors about the options. */
  private constructor(host: WorkspaceHost, options: WorkspaceOptions, method: string) {
    requireOptions(method, options, { policy: ANY, limits: ANY });
    // Throws for an invalid policy or limit.
    validateToolBlock("{}", options);
    this.#host = host;
    this.#access = new Access(host, options.policy);
    this.#options = { ...options };
    this.#queue = new FileQueue(host, this.#access);
    this.#runner = new CallRunner(this.#access, this.#queue, this.#options, this.#listeners);
    this.#writer = new FileWriter(this.#access);
    this.#pending = new PendingProposals(this.#access, this.#writer, this.#listeners, options.limits?.maxProposals);
    this.#history = new FileHistory(options.limits);
    this.#undo = new FileUndo(this.#access, this.#queue, this.#writer, this.#history, this.#listeners);
    // An undo or redo has no source: it changes its group in the history itself.
    this.#writer.onCommit((edits, by) => void (by && this.#history.record(edits, by)));
    bindMethods(this);
  }

  /**
   * Files in memory.
   * @throws GenuiPatchError `INVALID_ARGUMENT` for texts that are not strings, and for forbidden paths.
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
    return files;
  }

  /**
   * Files in the browser's private file system, which survive a reload: in all of it, in one of its directories, or in a
   * directory that the user picked. A file is replaced as a whole or not at all; other tabs wait.
   * @throws GenuiPatchError `UNSUPPORTED` if there is no private file system that replaces files as a whole: in Node, on pages
   * without https, in private windows, in Safari before 26.
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
    requireAtomicWrites();
    return new Workspace(new OpfsHost(directory, await directoryName(directory)), options, method);
  }

  /**
   * Files of a host of your own. The host must replace files as a whole, and resolve links: see `realpath` of
   * {@link WorkspaceHost}.
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
   * Restores a workspace from the text of {@link Workspace.save}: its proposals, and its files if they were in memory. The
   * proposals are computed again from their calls and the files.
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
    const { files: texts, proposals } = readSaved(saved);
    if (files === undefined && texts === undefined)
      throw misuse("restore: the files are not in the text. Give the workspace that has them, as files.");
    const restored = files ?? Workspace.memory(texts, rest);
    for (const proposal of proposals) await restored.#restore(proposal);
    return restored;
  }

  /** The pending proposals as text, with the files if they are in memory, without the options. */
  save(): string {
    this.#requireAlive();
    const unsettled = [...this.#pending.collection.records.values()].filter(({ proposal }) => !isSettled(proposal));
    const proposals = unsettled.map(savedProposal);
    return writeSaved({ files: this.#host instanceof MemoryHost ? this.#host.texts() : undefined, proposals });
  }

  /**
   * Adds a saved proposal. Its call is planned on the texts on which it was proposed, and compared with the current ones. What
   * can no longer be read or planned becomes a stale proposal.
   */
  async #restore(saved: SavedProposal): Promise<void> {
    const { id } = saved;
    // The text has the id twice, or has been restored into this workspace before.
    if (this.#pending.collection.records.has(id)) throw damagedText();
    this.#pending.collection.makeRoom();
    const by = { author: saved.author ?? AGENT, group: saved.group };
    const checked = restoredCall(saved, this.#options);
    const { refused, paths } = checked;
    if (refused) {
      // A call that is not allowed any more, for example under another policy, stays as a stale proposal.
      const { before } = saved;
      const noFile = "";
      const part = { path: String(checked.call.path), file: noFile, before, seen: before };
      this.#pending.add(id, checked, { parts: [part], refused, by });
      return;
    }
    await this.#queue.run(paths, async (files) => {
      const texts = savedTexts(saved, checked);
      const planned = partsOf(checked, files, planOn(checked, texts) ?? filesWithoutPlan(checked, texts));
      try {
        const { reads, ...warnings } = await this.#runner.read(paths, files, (path) => this.#queue.read(path));
        this.#pending.add(id, checked, { ...planned, ...warnings, parts: withCurrentTexts(planned.parts, reads), by });
      } catch (cause) {
        if (!(cause instanceof FileRefusedError)) throw cause;
        this.#pending.add(id, checked, { ...planned, refused: cause, by });
      }
    });
  }

  /**
   * Validates a call again and executes it. Listeners get each change of its status. When the signal is aborted, the call
   * fails with `CANCELLED` at once, and no write begins. If a write has already begun, the error says so.
   */
  async execute(call: FileCall | ToolCall | WorkspaceCall, options: FileCallOptions = {}): Promise<ExecutionResult> {
    return this.#execute(call, options);
  }

  /** `seen`: the effect that a policy has decided on. The call fails if the file's text has changed since. */
  async #execute(
    call: FileCall | ToolCall | WorkspaceCall,
    options: FileCallOptions,
    seen?: CallEffect,
  ): Promise<ExecutionResult> {
    this.#requireAlive();
    requireOptions("execute", options, CALL);
    const { signal } = options;
    const by = sourceOf(options);
    const progress: Progress = { signal, isWriting: false };
    const checked = checkCall("execute", call, this.#options);
    // These calls do not depend on the text that they replace, so another program may have changed it.
    const replacesFile = checked.call.tool === "write_file" || checked.call.tool === "delete_file";
    const run: Run = async (reads) => {
      for (const { path, text } of reads)
        if (seen !== undefined && seen.before !== text) throw fileRefusal("FILE_CHANGED", path);
      const planned = checked.plan(textsBefore(reads), "unreviewed");
      const edits = editsOf(planned, reads);
      // An edit is only valid for the text in which old_string was found: another program may have changed it since.
      if (!replacesFile && !signal?.aborted) await this.#requireUnchanged(reads);
      if (signal?.aborted) throw fileRefusal("CANCELLED", checked.call.path);
      progress.isWriting = true;
      await this.#writer.commit(edits, by);
      return { ...planEffect(checked.isPatch === true, planned), ...fixesOf(planned) };
    };
    return this.#runner.execute(checked, run, by, progress);
  }

  /** Reads the files again. @throws FileRefusedError `FILE_CHANGED` */
  async #requireUnchanged(reads: readonly FileRead[]): Promise<void> {
    for (const { path, text } of reads) {
      if ((await this.#access.text(path)) !== text) throw fileRefusal("FILE_CHANGED", path);
    }
  }

  /** @internal */
  [toolSet](options: ToolSetOptions = {}): readonly ToolSet[] {
    const { read: hasReadingTools = true } = options;
    const files = {
      executeSeen: (call: WorkspaceCall, options: FileCallOptions, seen?: CallEffect) =>
        this.#execute(call, options, seen),
      propose: this.propose,
      list: this.list,
      readAfterCalls: (path: string) => this.#queue.run([path], () => this.#queue.read(path)),
    };
    const sets = fileToolSets(files, this.#access, this.#options, options);
    return hasReadingTools ? [...sets, readingTools(files, this.#options)] : sets;
  }

  /** The effect that a call would have. Nothing is written. */
  async preview(call: FileCall | ToolCall): Promise<FilePreview> {
    this.#requireAlive();
    const { call: checked, refused, plan } = checkCall("preview", call, this.#options);
    const path = typeof checked.path === "string" ? checked.path : "";
    let before: Text = null;
    let warnings: Pick<FilePreview, "warnings"> = {};
    try {
      if (refused) throw refused;
      return await this.#queue.run([path], async () => {
        before = await this.#queue.read(path);
        warnings = await this.#access.warnings(path);
        const unchanged = { after: before };
        const [planned = unchanged] = plan(new Map([[path, before]]), "reviewed");
        const { after, fixes }: { after: Text; fixes?: Fix[] } = planned;
        return { path, before, after, hunks: hunksOf(before, after), ...(fixes && { fixes }), ...warnings };
      });
    } catch (cause) {
      if (!(cause instanceof FileRefusedError)) throw cause;
      const { error } = (await this.#runner.refusal(cause, path)).answer;
      return { path, before, after: before, hunks: [], error, ...warnings };
    }
  }

  /**
   * Keeps a call until a user approves or refuses it. Nothing is written. If the signal is aborted before the proposal exists,
   * the result is `CANCELLED`. The default author of a proposal is `{ kind: "agent" }`.
   */
  async propose(
    call: FileCall | ToolCall | WorkspaceCall,
    options: FileCallOptions = {},
  ): Promise<FileProposal | FileRefusal> {
    this.#requireAlive();
    requireOptions("propose", options, CALL);
    const { signal } = options;
    const by = sourceOf(options, AGENT);
    // Proposals are saved as JSON text.
    requireJson(call, "call");
    const checked = checkCall("propose", call, this.#options);
    if (checked.refused) return checked.refused.answer;
    const { paths, plan } = checked;
    const { path } = checked.call;
    // Once the proposal exists, an abort no longer matters.
    let proposal: FileProposal | undefined;
    const work = this.#queue.run<FileProposal | FileRefusal>(paths, async (files) => {
      const { reads, ...warnings } = await this.#runner.read(paths, files, (path) => this.#queue.read(path));
      const planned = partsOf(checked, files, plan(textsBefore(reads), "reviewed"));
      if (signal?.aborted) throw fileRefusal("CANCELLED", path);
      const { collection } = this.#pending;
      collection.makeRoom();
      proposal = this.#pending.add(collection.nextId(), checked, { ...planned, ...warnings, by });
      return proposal;
    });
    const answer = work.catch(async (cause): Promise<FileRefusal> => {
      if (cause instanceof FileRefusedError) return (await this.#runner.refusal(cause, path)).answer;
      if (cause instanceof RefusedError) return proposalRefusal(cause);
      throw cause;
    });
    return unlessAborted(answer, signal, () => proposal ?? fileRefusal("CANCELLED", path).answer);
  }

  /**
   * Writes the proposed change, some hunks of it, or the text that the user has edited. If a file has changed since, the
   * changes are merged if they do not overlap; else the result is `STALE_PROPOSAL` with the current diff, and the change
   * must be proposed again. The change is by the author of the proposal, unless `author` says otherwise.
   */
  async approve(proposalId: string, approval: FileApproval = {}): Promise<ExecutionResult | FileRefusal> {
    this.#requireAlive();
    requireOptions("approve", approval, { hunks: INDEXES, edits: TEXT, ...CHANGE });
    if (approval.hunks !== undefined && approval.edits !== undefined)
      throw misuse("approve: either hunks or edits, not both.");
    const { collection } = this.#pending;
    const record = collection.records.get(proposalId);
    if (record === undefined) return unknownProposal(() => collection.open(proposalId));
    const { proposed, author, group } = record.proposal;
    if (approval.edits !== undefined && record.isPatch)
      throw misuse("approve: the edits of a user are the text of one file; approve hunks of a patch.");
    // The refusal of a restored proposal may also be one of its files, which its checked call does not have.
    let checked: CheckedCall = {
      ...record.checked,
      call: proposed,
      ...(record.refused && { refused: record.refused }),
    };
    if (approval.edits !== undefined && !record.refused) {
      // The user's text is checked as the text of a call that writes it.
      const edits = wellFormed(approval.edits);
      const { refused } = checkCall("approve", { ...proposed, tool: "write_file", content: edits }, this.#options);
      if (refused) checked = { ...checked, refused };
      approval = { ...approval, edits };
    }
    const by = sourceOf({ author: approval.author ?? author, group: approval.group ?? group });
    const run: Run = (reads) => this.#pending.approve(record, approval, reads, by);
    return this.#runner.execute(checked, run, by);
  }

  /**
   * Refuses a proposal for the user.
   * @throws GenuiPatchError `UNKNOWN_PROPOSAL`, `PROPOSAL_SETTLED`.
   */
  refuse(proposalId: string, reason?: string): void {
    this.#requireAlive();
    this.#listeners.emit({ type: "proposal", proposal: this.#pending.collection.refuse(proposalId, reason).proposal });
  }

  /** The proposals, with settled ones as long as there is room: the same frozen list until one changes. */
  proposals(): readonly FileProposal[] {
    this.#requireAlive();
    return this.#pending.collection.list();
  }

  /** Calls the listener with each event. Returns a function that unsubscribes. */
  subscribe(listener: (event: WorkspaceEvent) => void): () => void {
    this.#requireAlive();
    requireKind("subscribe", "listener", listener, FUNCTION);
    return this.#listeners.subscribe(listener);
  }

  /**
   * The text of a file; null if it does not exist.
   * @throws GenuiPatchError `UNSAFE_PATH` for a forbidden path; the code of {@link FileError} if the host fails.
   */
  async read(path: string): Promise<string | null> {
    this.#requireAlive();
    return this.#queue.read(this.#path("read", path)).catch(recoverFrom(null, "NOT_DIRECTORY"));
  }

  /** Whether a file exists. @throws as {@link read} */
  async exists(path: string): Promise<boolean> {
    this.#requireAlive();
    // A file that is not text exists.
    const text = this.#access.find(this.#path("exists", path)).catch(recoverFrom("", "NOT_TEXT"));
    return (await text.catch(recoverFrom(null, "IS_DIRECTORY", "NOT_DIRECTORY"))) !== null;
  }

  /** The paths of all files in a directory and below it, sorted; without a directory, of all files. */
  async list(dir = ""): Promise<string[]> {
    this.#requireAlive();
    requireKind("list", "directory", dir, TEXT);
    // Only the safety of the path is checked, under the rules that are not off: the directory need not be writable.
    const off = this.#options.policy?.off;
    // "", ".", "./" and "/" are the whole workspace.
    const isRoot = /^[./]*$/.test(dir) && !dir.includes("..");
    const checked = isRoot ? undefined : checkPath(dir.replace(/\/$/, ""), { off });
    if (checked?.ok === false) throw new GenuiPatchError("UNSAFE_PATH", checked.message);
    return this.#access.list(checked?.path);
  }

  /** All files with their texts. Binary files and forbidden paths are left out. */
  async snapshot(): Promise<Record<string, string>> {
    const entries: [string, string][] = [];
    for (const path of await this.list()) {
      if (!checkPath(path, this.#options.policy).ok) continue;
      const read = this.#queue.read(path);
      const text = await read.catch(recoverFrom(null, "NOT_TEXT", "UNSAFE_PATH", "IS_DIRECTORY"));
      if (text !== null) entries.push([path, text]);
    }
    return Object.fromEntries(entries);
  }

  /**
   * The changes of this workspace in groups, oldest first; with a path, the groups that have changed that file. A group is a
   * call, or all calls with the same `group`. Bounded by `limits.maxHistory` and `limits.maxHistoryBytes`; not part of {@link
   * save}.
   */
  history(path?: string): FileHistoryEntry[] {
    this.#requireAlive();
    return this.#history.list(path === undefined ? undefined : this.#path("history", path));
  }

  /**
   * Reverts a group of changes under everything that came later: without options the last group, whoever made it. If lines of the
   * group were changed again, nothing is changed, and the error `UNDO_CONFLICT` has the `places`; with `force` the other lines
   * are reverted.
   *
   * ```ts
   * await files.undo({ author: "agent" }); // what the user has typed since stays
   * ```
   */
  undo(options: FileUndoOptions = {}): Promise<FileUndoResult> {
    return this.#revert("undo", options);
  }

  /** Makes the group again that was undone last. A new change by its author ends that. */
  redo(options: FileUndoOptions = {}): Promise<FileUndoResult> {
    return this.#revert("redo", options);
  }

  /** Whether there is a group to undo. */
  canUndo(options: FileUndoOptions = {}): boolean {
    this.#requireAlive();
    requireOptions("canUndo", options, UNDO);
    return this.#history.find("undo", options) !== undefined;
  }

  /** Whether there is a group to make again. */
  canRedo(options: FileUndoOptions = {}): boolean {
    this.#requireAlive();
    requireOptions("canRedo", options, UNDO);
    return this.#history.find("redo", options) !== undefined;
  }

  async #revert(type: "undo" | "redo", options: FileUndoOptions): Promise<FileUndoResult> {
    this.#requireAlive();
    requireOptions(type, options, UNDO);
    return this.#undo.run(type, options);
  }

  /** Later calls throw. May be called twice. Waiting calls are still executed. */
  dispose(): void {
    this.#isDisposed = true;
    this.#listeners.clear();
  }

  /** @throws GenuiPatchError `DISPOSED` */
  #requireAlive(): void {
    if (this.#isDisposed) throw disposed();
  }

  /** The normalised path. @throws GenuiPatchError `UNSAFE_PATH`, which names `method` */
  #path(method: string, path: string): string {
    const checked = checkPath(path, this.#options.policy);
    if (!checked.ok) throw new GenuiPatchError("UNSAFE_PATH", `${method}: ${checked.message}`);
    return checked.path;
  }
}

const WORKSPACE: ArgumentKind = ["a Workspace", (value) => value instanceof Workspace];

/** The kinds of the options of a call. */
const CALL = { signal: ANY, ...CHANGE };
/** The kinds of the options of `undo`, `redo`, `canUndo` and `canRedo`. */
const UNDO = { author: AUTHOR_FILTER, group: TEXT, force: FLAG };
