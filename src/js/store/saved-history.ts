/** Histories in saved texts, and who has made the pending calls. */
import { misuse } from "../core/errors.js";
import { isObject, isText, mapMembers } from "../core/kinds.js";
import type { Recorded } from "../core/mirror.js";
import type { Change } from "../types.js";
import { isAuthor } from "./authors.js";
import type { History } from "./history.js";
import type { Group, HistoryStep, Source } from "./history-types.js";
import type { StoreCore } from "./store-core.js";

export interface SavedHistories {
  histories?: unknown;
  callers?: unknown;
}

/** What `save()` adds to the text of the module: nothing where everything has its default. */
export function saveHistories(core: StoreCore): SavedHistories {
  const histories = [...core.histories].flatMap(([name, history]) => {
    // The changes of a draft are not in the saved document.
    const isWhole = !history.steps.some((step) => step.draft !== undefined && !step.isEnded);
    return history.groups.length > 0 && isWhole ? [[name, saveHistory(history)] as const] : [];
  });
  const pending = core.pending().filter(({ author, group }) => author.kind !== "user" || author.id || group);
  const callers = pending.map(({ pendingId, author, group }) => [pendingId, { author, group }] as const);
  return {
    ...(histories.length > 0 && { histories: Object.fromEntries(histories) }),
    ...(callers.length > 0 && { callers: Object.fromEntries(callers) }),
  };
}

/** Groups are written once, those that can be undone first, and steps name them by their index. */
function saveHistory({ groups, steps }: History): object {
  const all = new Set(groups);
  for (const { group, reverts } of steps)
    for (const one of [group, reverts?.group]) if (one !== undefined) all.add(one);
  const indexes = new Map([...all].map((group, index) => [group, index]));
  const indexOf = (group: Group | undefined) => group && indexes.get(group);
  const saved = steps.map(({ records, author, pendingId, ends, draft, isEnded, group, reverts }) => ({
    records,
    author,
    pendingId,
    ends,
    draft,
    isEnded,
    group: indexOf(group),
    reverts: reverts && { ...reverts, group: indexOf(reverts.group) },
  }));
  return { groups: [...all], listed: groups.length, steps: saved };
}

/** Restores what {@link saveHistories} has saved. */
export function restoreHistories(core: StoreCore, { histories = {}, callers = {} }: SavedHistories): void {
  if (!isObject(histories) || !isObject(callers)) throw damaged();
  for (const [pendingId, source] of Object.entries(callers)) {
    if (!isSource(source)) throw damaged();
    core.callers.set(pendingId, source);
  }
  for (const [name, saved] of Object.entries(histories)) {
    if (!isObject(saved) || !Array.isArray(saved.groups) || !Array.isArray(saved.steps)) throw damaged();
    const { steps, listed } = saved;
    const groups: unknown[] = saved.groups;
    if (!groups.every(isGroup)) throw damaged();
    const made = steps.map((step: unknown): HistoryStep => readStep(step, groups));
    core.history(name)?.restore(groups.slice(0, Number(listed)), made);
  }
}

function readStep(step: unknown, groups: readonly Group[]): HistoryStep {
  if (!isObject(step) || !Array.isArray(step.records) || !step.records.every(isRecord) || !isAuthor(step.author))
    throw damaged();
  const { records, author, group, reverts } = step;
  const texts = mapMembers({ pendingId: 0, ends: 0, draft: 0 }, (_, key) =>
    isText(step[key]) ? step[key] : undefined,
  );
  return {
    records,
    author,
    ...texts,
    ...(step.isEnded === true && { isEnded: true }),
    group: groups[Number(group)],
    reverts: readReverts(reverts, groups),
  };
}

function readReverts(reverts: unknown, groups: readonly Group[]): HistoryStep["reverts"] {
  if (!isObject(reverts)) return undefined;
  const group = groups[Number(reverts.group)];
  const { kept } = reverts;
  if (group === undefined || !Array.isArray(kept)) throw damaged();
  return { group, isRedo: reverts.isRedo === true, kept: kept.map(Number) };
}

const isSource = (value: unknown): value is Source => isObject(value) && isAuthor(value.author);

const isGroup = (value: unknown): value is Group =>
  isObject(value) &&
  isText(value.id) &&
  isAuthor(value.author) &&
  Number.isFinite(value.time) &&
  Number.isFinite(value.order);

const isRecord = (value: unknown): value is Recorded => isObject(value) && isChange(value.change);

const isPath = (path: unknown) => Array.isArray(path) && path.every((step) => isText(step) || Number.isInteger(step));

function isChange(change: unknown): change is Change {
  if (!isObject(change) || !isPath(change.path)) return false;
  const { kind } = change;
  return kind === "set" || kind === "insert" || kind === "remove" || (kind === "move" && isPath(change.from));
}

const damaged = () => misuse("restore: the text has a history that is damaged.");
