/** `FileHistory`: the changes of a workspace in groups, which can be undone and made again. */
import { mergeWithConflicts } from "../diff/merge.js";
import { limits } from "../generated/facts.js";
import { isBy, isSameAuthor } from "../store/authors.js";
import type { Source } from "../store/history-types.js";
import type { Limits } from "../types.js";
import { changeOf, type FileEdit } from "./commit.js";
import type { Text } from "./proposals.js";
import type { FileChange, FileHistoryEntry, FileUndoOptions } from "./types.js";

/** Changes that are undone and made again together. */
interface Group {
  /** Frozen; replaced when it changes. */
  entry: FileHistoryEntry;
  /** For an undone group: the changes that undid it, which `redo` reverts. Empty for a group that was never undone. */
  reverted: readonly FileChange[];
  /** The length of all texts of the changes, in UTF-16 units. */
  size: number;
  /** Greater for a group that was undone or made again later; 0 for a group that never was. */
  undoOrder: number;
}

/** A place at which a later change prevents the undo. */
interface ConflictPlace {
  path: string;
  /** Of the current text, from 1. */
  line: number;
}

/** The effect of undoing changes on the current texts. */
export interface RevertResult {
  /** The texts afterwards, by path. */
  texts: Map<string, Text>;
  conflicts: ConflictPlace[];
}

export class FileHistory {
  /** Oldest first. */
  readonly #groups: Group[] = [];
  readonly #maxGroups: number;
  readonly #maxBytes: number;
  /** Random, so that the groups of two workspaces differ. */
  readonly #prefix = Math.floor(Math.random() * 2 ** 48).toString(36);
  /** Grows with each new group and each undo: for ids, and for `undoOrder`. */
  #count = 0;

  constructor({ maxHistory, maxHistoryBytes }: Partial<Limits> = {}) {
    this.#maxGroups = maxHistory ?? limits.maxHistory;
    this.#maxBytes = maxHistoryBytes ?? limits.maxHistoryBytes;
  }

  /** Adds the changes of a call to its group. */
  record(edits: readonly FileEdit[], { author, group: id }: Source): void {
    if (this.#maxGroups === 0 || edits.length === 0) return;
    // A new change by an author drops the groups that this author has undone: `redo` would mix both.
    this.#drop((group) => group.entry.undone && isSameAuthor(group.entry.author, author));
    const changes = edits.map(changeOf);
    const existing = id === undefined ? undefined : this.#groups.find(({ entry }) => entry.id === id && !entry.undone);
    if (existing) this.#replace(existing, { ...existing.entry, changes: [...existing.entry.changes, ...changes] });
    else {
      this.#count += 1;
      const entry = { id: id ?? `${this.#prefix}-${this.#count}`, author, time: Date.now(), changes, undone: false };
      const group: Group = { entry, reverted: [], size: 0, undoOrder: 0 };
      this.#groups.push(group);
      this.#replace(group, entry);
    }
    this.#trim();
  }

  /** The groups, oldest first; with a path, only the groups that have changed the file there. */
  list(path?: string): FileHistoryEntry[] {
    const entries = this.#groups.map(({ entry }) => entry);
    return path === undefined
      ? entries
      : entries.filter(({ changes }) => changes.some((change) => change.path === path));
  }

  /**
   * The group that `undo` or `redo` is about, of the groups that the options name: for `undo` the youngest that is not undone, for
   * `redo` the one that was undone last. `undefined` if there is none.
   */
  find(type: "undo" | "redo", { author, group }: FileUndoOptions): FileHistoryEntry | undefined {
    const isUndone = type === "redo";
    const candidates = this.#groups.filter(
      ({ entry }) =>
        entry.undone === isUndone && (group === undefined || entry.id === group) && isBy(entry.author, author),
    );
    if (isUndone) candidates.sort((one, other) => one.undoOrder - other.undoOrder);
    return candidates.at(-1)?.entry;
  }

  /** The changes that `undo` or `redo` of a group has to revert. */
  changesOf(entry: FileHistoryEntry): readonly FileChange[] {
    return entry.undone ? (this.#groupOf(entry)?.reverted ?? []) : entry.changes;
  }

  /** Marks a group as undone, or an undone one as made again. `changes`: what the undo or redo has changed. */
  settle(entry: FileHistoryEntry, changes: readonly FileChange[]): void {
    const group = this.#groupOf(entry);
    if (group === undefined) return;
    this.#count += 1;
    group.undoOrder = this.#count;
    // After a redo, the next undo reverts what the redo has written.
    if (entry.undone) this.#replace(group, { ...entry, undone: false, changes });
    else {
      group.reverted = changes;
      this.#replace(group, { ...entry, undone: true });
    }
  }

  /** The group of an entry; `undefined` if it was dropped. */
  #groupOf({ id }: FileHistoryEntry): Group | undefined {
    return this.#groups.find(({ entry }) => entry.id === id);
  }

  /** Sets the entry of a group, and its size. */
  #replace(group: Group, entry: FileHistoryEntry): void {
    group.entry = Object.freeze({ ...entry, changes: Object.freeze([...entry.changes]) });
    group.size = entry.changes.reduce(
      (sum, { before, after }) => sum + (before ?? "").length + (after ?? "").length,
      0,
    );
  }

  #drop(isDropped: (group: Group) => boolean): void {
    // From the end, so that the indexes still to come stay valid.
    for (let index = this.#groups.length - 1; index >= 0; index--) {
      const group = this.#groups[index];
      if (group && isDropped(group)) this.#groups.splice(index, 1);
    }
  }

  /** Forgets the oldest groups beyond the limits. */
  #trim(): void {
    let size = this.#groups.reduce((sum, group) => sum + group.size, 0);
    while (this.#groups.length > this.#maxGroups || size > this.#maxBytes) {
      const oldest = this.#groups.shift();
      if (oldest === undefined) return;
      size -= oldest.size;
    }
  }
}

/**
 * Reverts changes on the current texts (by path), but keeps what was changed later. Lines that were changed again are conflicts,
 * and stay as they are.
 */
export function revert(changes: readonly FileChange[], current: ReadonlyMap<string, Text>): RevertResult {
  const texts = new Map(current);
  const conflicts: ConflictPlace[] = [];
  // The last change is reverted first.
  for (const { path, before, after } of mergeConsecutive(changes).reverse()) {
    const now = texts.get(path) ?? null;
    if (now === after) texts.set(path, before);
    else if (now === null || before === null || after === null) {
      // One of the two changes has created or deleted the file. It may have been reverted already.
      if (now !== before) conflicts.push({ path, line: 1 });
    } else {
      // Joins the reversal (from `after` to `before`) with the changes since (from `after` to `now`).
      const merged = mergeWithConflicts(after, now, before);
      texts.set(path, merged.text);
      for (const line of merged.conflicts) conflicts.push({ path, line });
    }
  }
  return { texts, conflicts };
}

/**
 * Joins consecutive changes of a file into one, where each change begins with the text that the change before it left. Then one
 * merge reverts them all, and finds no conflicts between them.
 */
function mergeConsecutive(changes: readonly FileChange[]): FileChange[] {
  const result: FileChange[] = [];
  for (const change of changes) {
    const index = result.findIndex(({ path, after }) => path === change.path && after === change.before);
    const earlier = result[index];
    const isLastOfFile = !result.slice(index + 1).some(({ path }) => path === change.path);
    if (earlier && isLastOfFile) result[index] = changeOf({ ...change, before: earlier.before });
    else result.push(change);
  }
  return result;
}
