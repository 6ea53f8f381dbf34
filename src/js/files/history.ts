/** `FileHistory`: the changes of a workspace in groups, which can be undone and made again. */
import { mergeWithConflicts } from "../diff/merge.js";
import { limits } from "../generated/facts.js";
import { isBy, isSameAuthor } from "../store/authors.js";
import type { Source } from "../store/history-types.js";
import type { Limits } from "../types.js";
import { changeOf, type FileEdit } from "./commit.js";
import type { Text } from "./proposals.js";
import type { FileChange, FileHistoryEntry, FileUndoOptions } from "./types.js";

interface Group {
  entry: FileHistoryEntry;
  /** For an undone group: the changes that undid it, which `redo` reverts. */
  reverted: readonly FileChange[];
  /** The length of all texts. */
  size: number;
}

/** Where a later change is in the way. */
interface ConflictPlace {
  path: string;
  line: number;
}

/** The effect of undoing changes on the current texts. */
export interface Reverted {
  texts: Map<string, Text>;
  conflicts: ConflictPlace[];
}

export class FileHistory {
  readonly #groups: Group[] = [];
  readonly #maxGroups: number;
  readonly #maxBytes: number;
  /** Random, so that the groups of two workspaces differ. */
  readonly #prefix = Math.floor(Math.random() * 2 ** 48).toString(36);
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
    const open = id === undefined ? undefined : this.#groups.find(({ entry }) => entry.id === id && !entry.undone);
    if (open) this.#replace(open, { ...open.entry, changes: [...open.entry.changes, ...changes] });
    else {
      this.#count += 1;
      const entry = { id: id ?? `${this.#prefix}-${this.#count}`, author, time: Date.now(), changes, undone: false };
      const group: Group = { entry, reverted: [], size: 0 };
      this.#groups.push(group);
      this.#replace(group, entry);
    }
    this.#trim();
  }

  /** The groups, oldest first; those that have changed a file, if a path is given. */
  list(path?: string): FileHistoryEntry[] {
    const entries = this.#groups.map(({ entry }) => entry);
    return path === undefined
      ? entries
      : entries.filter(({ changes }) => changes.some((change) => change.path === path));
  }

  /** The last group that the options name and that is undone, or not undone. */
  find({ author, group }: FileUndoOptions, isUndone: boolean): FileHistoryEntry | undefined {
    const wanted = this.#groups.filter(
      ({ entry }) =>
        entry.undone === isUndone && (group === undefined || entry.id === group) && isBy(entry.author, author),
    );
    // The group that was undone last is made again first.
    return isUndone ? wanted.sort((one, other) => orderOf(one) - orderOf(other)).at(-1)?.entry : wanted.at(-1)?.entry;
  }

  /** The changes that `undo` or `redo` of a group has to revert. */
  changesOf(entry: FileHistoryEntry): readonly FileChange[] {
    return entry.undone ? (this.#groupOf(entry)?.reverted ?? []) : entry.changes;
  }

  /** Marks a group as undone, or as made again. `changes`: what that has changed. */
  settle(entry: FileHistoryEntry, changes: readonly FileChange[]): void {
    const group = this.#groupOf(entry);
    if (group === undefined) return;
    this.#count += 1;
    undoOrder.set(group, this.#count);
    if (entry.undone) this.#replace(group, { ...entry, undone: false, changes });
    else {
      group.reverted = changes;
      this.#replace(group, { ...entry, undone: true });
    }
  }

  #groupOf({ id }: FileHistoryEntry): Group | undefined {
    return this.#groups.find(({ entry }) => entry.id === id);
  }

  #replace(group: Group, entry: FileHistoryEntry): void {
    group.entry = Object.freeze({ ...entry, changes: Object.freeze([...entry.changes]) });
    group.size = entry.changes.reduce(
      (sum, { before, after }) => sum + (before ?? "").length + (after ?? "").length,
      0,
    );
  }

  #drop(isDropped: (group: Group) => boolean): void {
    for (let place = this.#groups.length - 1; place >= 0; place--) {
      const group = this.#groups[place];
      if (group && isDropped(group)) this.#groups.splice(place, 1);
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

/** When groups were undone, as a growing number. */
const undoOrder = new WeakMap<Group, number>();
const orderOf = (group: Group): number => undoOrder.get(group) ?? 0;

/**
 * Reverts changes on the current texts, under everything that came later. Lines that were changed again are conflicts, and stay as
 * they are.
 */
export function revert(changes: readonly FileChange[], current: ReadonlyMap<string, Text>): Reverted {
  const texts = new Map(current);
  const conflicts: ConflictPlace[] = [];
  for (const { path, before, after } of joined(changes).reverse()) {
    const now = texts.get(path) ?? null;
    if (now === after) texts.set(path, before);
    else if (now === null || before === null || after === null) {
      // The file was created or deleted by one side, and changed by the other.
      if (now !== before) conflicts.push({ path, line: 1 });
    } else {
      const merged = mergeWithConflicts(after, now, before);
      texts.set(path, merged.text);
      for (const line of merged.conflicts) conflicts.push({ path, line });
    }
  }
  return { texts, conflicts };
}

/** The changes with consecutive ones of a file as one. */
function joined(changes: readonly FileChange[]): FileChange[] {
  const result: FileChange[] = [];
  for (const change of changes) {
    const place = result.findIndex(({ path, after }) => path === change.path && after === change.before);
    const earlier = result[place];
    const isLast = !result.slice(place + 1).some(({ path }) => path === change.path);
    if (earlier && isLast) result[place] = changeOf({ ...change, before: earlier.before });
    else result.push(change);
  }
  return result;
}
