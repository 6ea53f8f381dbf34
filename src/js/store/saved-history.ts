/** What a saved text holds besides the module's part: the histories, and who has made the pending calls (their sources). */
import { misuse } from "../core/errors.js";
import { isObject, isText, isTexts } from "../core/kinds.js";
import type { Recorded } from "../core/mirror.js";
import type { Change } from "../types.js";
import { isAuthor } from "./authors.js";
import type { Group, HistoryStep, Source } from "./history-types.js";
import type { StoreCore } from "./store-core.js";

/** The history of an instance as JSON: from {@link PatchStore.saveHistory}, for `load` in another store. Its form is internal. */
export interface SavedHistory {
  readonly groups: readonly object[];
  readonly steps: readonly object[];
}

/** Members of a saved text, to be checked: the histories by name of the instance, and the sources by pending id. */
export interface SavedHistories {
  histories?: unknown;
  callers?: unknown;
}

/**
 * The members that `save()` adds to the module's text: histories, and as `callers` the sources of pending calls. A call of a user
 * without an id, outside of a group, has none: that is the default.
 */
export function saveHistories(core: StoreCore): SavedHistories {
  const histories = [...core.histories.keys()].flatMap((name) => {
    const saved = saveHistory(core, name);
    return saved === undefined ? [] : [[name, saved] as const];
  });
  const pending = core.pendingCalls.list().filter(({ author, group }) => author.kind !== "user" || author.id || group);
  const callers = pending.map(({ pendingId, author, group }) => [pendingId, { author, group }] as const);
  return {
    ...(histories.length > 0 && { histories: Object.fromEntries(histories) }),
    ...(callers.length > 0 && { callers: Object.fromEntries(callers) }),
  };
}

/** The history of an instance, not copied; `undefined` if it has no groups, an open draft, or more bytes than `maxBytes`. */
export function saveHistory(
  core: StoreCore,
  name: string,
  maxBytes = Number.POSITIVE_INFINITY,
): { groups: Group[]; steps: HistoryStep[] } | undefined {
  const history = core.histories.get(name);
  if (history === undefined) return undefined;
  // The notes of the last calls become groups and steps.
  history.update(core.rules(name));
  const { groups, steps, bytes } = history;
  // The changes of a draft are not in the saved document.
  const hasDraft = steps.some(({ draft, isEnded }) => draft !== undefined && !isEnded);
  return groups.length === 0 || hasDraft || bytes > maxBytes ? undefined : { groups, steps };
}

/** Restores what {@link saveHistory} has returned; nothing if the store keeps no histories (`maxHistory: 0`). */
export function restoreHistory(core: StoreCore, name: string, saved: unknown): void {
  if (!isSavedHistory(saved)) throw damaged();
  core.ensureHistory(name)?.restore(saved.groups, saved.steps);
}

/** Whether a value is what {@link saveHistory} returns. */
export function isSavedHistory(saved: unknown): saved is { groups: Group[]; steps: HistoryStep[] } {
  return isObject(saved) && isListOf(saved.groups, isGroup) && isListOf(saved.steps, isStep);
}

/** Restores what {@link saveHistories} has saved. */
export function restoreHistories(core: StoreCore, { histories = {}, callers = {} }: SavedHistories): void {
  if (!isObject(histories) || !isObject(callers)) throw damaged();
  for (const [pendingId, source] of Object.entries(callers)) {
    if (!isSource(source)) throw damaged();
    core.pendingCalls.setCaller(pendingId, source);
  }
  for (const [name, saved] of Object.entries(histories)) restoreHistory(core, name, saved);
}

function isListOf<Item>(list: unknown, isItem: (item: unknown) => item is Item): list is Item[] {
  return Array.isArray(list) && list.every(isItem);
}

const isSource = (value: unknown): value is Source => isObject(value) && isAuthor(value.author);

const isGroup = (value: unknown): value is Group =>
  isObject(value) &&
  isText(value.id) &&
  isAuthor(value.author) &&
  Number.isFinite(value.number) &&
  Number.isFinite(value.time);

const isStep = (value: unknown): value is HistoryStep =>
  isObject(value) &&
  isAuthor(value.author) &&
  isListOf(value.records, isRecord) &&
  (value.drops === undefined || isTexts(value.drops)) &&
  (value.reverts === undefined || (isObject(value.reverts) && Array.isArray(value.reverts.kept)));

const isRecord = (value: unknown): value is Recorded => isObject(value) && isChange(value.change);

const isPath = (path: unknown) => Array.isArray(path) && path.every((step) => isText(step) || Number.isInteger(step));

function isChange(change: unknown): change is Change {
  if (!isObject(change) || !isPath(change.path)) return false;
  const { kind } = change;
  return kind === "set" || kind === "insert" || kind === "remove" || (kind === "move" && isPath(change.from));
}

const damaged = () => misuse("A saved history is damaged: use one that save() or saveHistory() returned.");
