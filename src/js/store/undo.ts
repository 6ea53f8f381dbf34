/** `PatchStore.undo` and `redo`: revert a group of changes, or make it again, and keep all changes that came later. */
import { refusal } from "../core/errors.js";
import { Mirror } from "../core/mirror.js";
import { formatPath } from "../core/path.js";
import { FLAG, requireOptions, requireText, TEXT } from "../core/require.js";
import { wellFormed } from "../core/surrogates.js";
import type { Step } from "../core/tree.js";
import type { Author, Change, Json, OptimisticResult, PathSegment, UndoOptions } from "../types.js";
import { AUTHOR_FILTER, USER } from "./authors.js";
import type { History } from "./history.js";
import type { StoreCore } from "./store-core.js";
import { Timeline } from "./timeline.js";
import { namedPath, toCall } from "./undo-call.js";

const OPTIONS = { author: AUTHOR_FILTER, group: TEXT, force: FLAG, optimistic: FLAG };

/** Whether there is a group to undo, or to redo. `method` is the public method that was called. */
export function canRevert(core: StoreCore, method: "canUndo" | "canRedo", name: string, options: UndoOptions): boolean {
  core.handle.check();
  requireText(method, "name", name);
  requireOptions(method, options, OPTIONS);
  const isUndone = method === "canRedo";
  return core.histories.get(wellFormed(name))?.find({ ...options, isUndone }) !== undefined;
}

/**
 * Undoes the group that matches the options, or redoes it. `Timeline` finds the changes; they are applied as a call of the user,
 * which is pending if the page has a connection or pending calls. If later changes are in the way, nothing changes, unless
 * `force` is set.
 */
export function revert(
  core: StoreCore,
  method: "undo" | "redo",
  givenName: string,
  options: UndoOptions,
): OptimisticResult {
  core.handle.check();
  requireText(method, "name", givenName);
  requireOptions(method, options, OPTIONS);
  const name = wellFormed(givenName);
  const isRedo = method === "redo";
  const details = { instance_name: name };
  const before = core.snapshot(name);
  const history = core.histories.get(name);
  const group = history?.find({ ...options, isUndone: isRedo });
  if (history === undefined || group === undefined) {
    const predicate = isRedo ? "was undone and can be made again" : "can be undone";
    const message = `Of "${name}", no group of these options ${predicate}.`;
    const solution = "See history(): groups beyond limits.maxHistory are forgotten.";
    return { ...refusal("NOTHING_TO_UNDO", message, solution).answer, ...details };
  }
  // A copy, on which the changes are planned.
  const document = new Mirror(before);
  const rules = core.rules(name);
  history.update(rules);
  const reversal = new Timeline(history.steps).revert(group.number, isRedo, document, rules);
  // `kept`: the indexes of the group's writes that stay, because later changes are in the way.
  const { changes, kept } = reversal;
  // With `force` the rest is reverted, if there is any.
  if (kept.length > 0 && !(options.force && changes.length > 0)) {
    const places = [...new Set(reversal.places.map(pathText))];
    const firstPlaces = places.slice(0, 8).join(", ");
    const message = `Later changes are in the way of "${group.id}" at ${firstPlaces}.`;
    const orForce = changes.length > 0 ? ", or send force: true to leave these places as they are and do the rest" : "";
    const solution = `Nothing was changed. Undo the later changes first${orForce}.`;
    const { answer } = refusal("UNDO_CONFLICT", message, solution);
    return { ...answer, error: { ...answer.error, places }, ...details };
  }
  const groupsBefore = [...history.groups];
  // Before the change, so that its listeners see the history as it is after the undo.
  history.toggle(group);
  const reverts = { group: group.number, isRedo, kept };
  const isHeld = options.optimistic === undefined && core.drafts.canHold(name);
  const by = { author: USER, reverts, isHeld, undoes: history.callsOf(group.number) };
  const isOptimistic = options.optimistic ?? (core.connections > 0 || core.pendingCalls.count(name) > 0);
  const createOrDelete = createOrDeleteCall(name, before, document.snapshot, changes);
  let result: OptimisticResult;
  // The server takes calls, not edits, so a pending undo is a call. Any other undo applies its edits.
  if (isOptimistic) result = core.applyOptimistic(createOrDelete ?? toCall(core, name, changes), by);
  else if (createOrDelete !== undefined) result = core.apply(createOrDelete, by);
  else result = core.edit(name, changes, "apply", by);
  if (result.status === "success") {
    history.update(rules);
    // If the changes of the group cancel each other out, the undo has left no step: this one marks its writes as undone.
    if (!history.steps.some((step) => step.reverts === reverts))
      history.add({ records: [], author: USER, reverts, pendingId: result.pendingId });
  } else {
    // Restores the state and the order from before `toggle`.
    group.isUndone = isRedo;
    history.groups = groupsBefore;
  }
  return result;
}

/** Cache of {@link authorsOf}: by history, the authors at a version of it and a revision of the document. */
const authorsCache = new WeakMap<
  History,
  { version: number; revision: number; authors: Readonly<Record<string, Author>> }
>();

/** The author of the last change of each value that the history is about, by the path of the value as text. */
export function authorsOf(core: StoreCore, name: string): Readonly<Record<string, Author>> {
  const document = core.snapshot(name);
  const history = core.histories.get(name);
  if (history === undefined || document === undefined) return NO_AUTHORS;
  const { version } = history;
  const revision = core.revision(name);
  const cached = authorsCache.get(history);
  if (cached?.version === version && cached.revision === revision) return cached.authors;
  const rules = core.rules(name);
  history.update(rules);
  const entries = [...new Timeline(history.steps).authors()];
  const currentAuthors = Object.fromEntries(
    entries.map(([path, author]) => [pathText(namedPath(document, path, rules)), author]),
  );
  // Callers get the same object as before if the authors are the same.
  const isSame = cached !== undefined && JSON.stringify(cached.authors) === JSON.stringify(currentAuthors);
  const authors = isSame ? cached.authors : Object.freeze(currentAuthors);
  authorsCache.set(history, { version, revision, authors });
  return authors;
}

const NO_AUTHORS: Readonly<Record<string, Author>> = Object.freeze({});

/** The call that creates or deletes the instance; `undefined` if it exists before and after the changes. */
function createOrDeleteCall(
  name: string,
  before: Json | undefined,
  after: Json | undefined,
  changes: readonly Change[],
) {
  if (!changes.some(({ path }) => path.length === 0) || (before !== undefined && after !== undefined)) return undefined;
  if (after === undefined) return { instance_name: "__DELETE__", target_instance_name: name };
  return { instance_name: "__CREATE__", new_instance_name: name, patches: [{ op: "create", value: after }] };
}

/** A path as text for people. A path that the grammar does not allow, e.g. one with the key "", is written as JSON. */
function pathText(path: readonly (Step | PathSegment)[]): string {
  try {
    return path.length === 0 ? "the document" : formatPath(path);
  } catch {
    return JSON.stringify(path);
  }
}
