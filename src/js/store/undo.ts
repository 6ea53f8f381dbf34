/** `PatchStore.undo` and `redo`: reverts a group of changes, and keeps all changes that came later. */
import { refusal } from "../core/errors.js";
import { Mirror } from "../core/mirror.js";
import { formatPath } from "../core/path.js";
import { FLAG, requireOptions, requireText, TEXT } from "../core/require.js";
import { wellFormed } from "../core/surrogates.js";
import type { Step } from "../core/tree.js";
import type { Author, Change, Json, OptimisticResult, PathSegment, UndoOptions } from "../types.js";
import { AUTHORS, USER } from "./authors.js";
import type { History } from "./history.js";
import type { StoreCore } from "./store-core.js";
import { Timeline } from "./timeline.js";
import { namedPath, toCall } from "./undo-call.js";

const OPTIONS = { author: AUTHORS, group: TEXT, force: FLAG, optimistic: FLAG };

/** Whether there is a group to undo, or to make again. */
export function canRevert(
  core: StoreCore,
  method: string,
  name: string,
  options: UndoOptions,
  isRedo: boolean,
): boolean {
  core.handle.check();
  requireText(method, "name", name);
  requireOptions(method, options, OPTIONS);
  core.find(name);
  return core.histories.get(wellFormed(name))?.find(options, isRedo) !== undefined;
}

/** Undoes the group of these options, or makes it again. */
export function revert(core: StoreCore, givenName: string, options: UndoOptions, isRedo: boolean): OptimisticResult {
  const method = isRedo ? "redo" : "undo";
  core.handle.check();
  requireText(method, "name", givenName);
  requireOptions(method, options, OPTIONS);
  const name = wellFormed(givenName);
  const about = { instance_name: name };
  const before = core.snapshot(name);
  const history = core.histories.get(name);
  const group = history?.find(options, isRedo);
  if (history === undefined || group === undefined) {
    const what = isRedo ? "was undone and can be made again" : "can be undone";
    const message = `Of "${name}", no group of these options ${what}.`;
    const solution = "See history(): groups beyond limits.maxHistory are forgotten.";
    throw refusal("NOTHING_TO_UNDO", message, solution, undefined, about);
  }
  const document = new Mirror(before, false);
  const rules = core.rules(name);
  history.settle(rules);
  const found = new Timeline(history.steps).revert(group.number, isRedo, document, rules);
  const { changes, kept } = found;
  if (kept.length > 0 && !(options.force && changes.length > 0)) {
    const places = [...new Set(found.places.map(pathText))];
    const listed = places.slice(0, 8).join(", ");
    const message = `Later changes are in the way of "${group.id}" at ${listed}.`;
    const rest = changes.length > 0 ? ", or send force: true to leave these places as they are and do the rest" : "";
    const { answer } = refusal("UNDO_CONFLICT", message, `Nothing was changed. Undo the later changes first${rest}.`);
    return { ...answer, error: { ...answer.error, places }, ...about };
  }
  const groups = [...history.groups];
  // Before the change, so that its listeners see the history as it is after the undo.
  history.toggle(group);
  const reverts = { group: group.number, isRedo, kept };
  const isHeld = options.optimistic === undefined && core.drafts.isAlone(name);
  const by = { author: USER, reverts, isHeld, undoes: history.callsOf(group.number) };
  const isOptimistic = options.optimistic ?? (core.connections > 0 || core.hasPending(name));
  const call = wholeCall(name, before, document.snapshot, changes);
  const result: OptimisticResult = isOptimistic
    ? core.applyOptimistic(call ?? toCall(core, name, changes), by)
    : call === undefined
      ? core.edit(name, changes, "apply", by)
      : core.apply(call, by);
  if (result.status === "success") {
    history.settle(rules);
    // If the changes of the group cancel each other out, the undo has left no step: this one marks its writes as undone.
    if (!history.steps.some((step) => step.reverts === reverts))
      history.add({ records: [], author: USER, reverts, pendingId: result.pendingId });
  } else {
    group.isUndone = isRedo;
    history.groups = groups;
  }
  return result;
}

/** Cache of {@link authorsOf}: by history, the authors at a version of it and a revision of the document. */
const known = new WeakMap<History, { version: number; revision: number; authors: Readonly<Record<string, Author>> }>();

/** For each path that the history of an instance has a change of: the author of the last one. */
export function authorsOf(core: StoreCore, name: string): Readonly<Record<string, Author>> {
  const document = core.snapshot(name);
  const history = core.histories.get(name);
  if (history === undefined || document === undefined) return NOBODY;
  const { version } = history;
  const revision = core.revision(name);
  const before = known.get(history);
  if (before?.version === version && before.revision === revision) return before.authors;
  const rules = core.rules(name);
  history.settle(rules);
  const entries = [...new Timeline(history.steps).authors()];
  const found = Object.fromEntries(
    entries.map(([path, author]) => [pathText(namedPath(document, path, rules)), author]),
  );
  const authors =
    before !== undefined && JSON.stringify(before.authors) === JSON.stringify(found)
      ? before.authors
      : Object.freeze(found);
  known.set(history, { version, revision, authors });
  return authors;
}

const NOBODY: Readonly<Record<string, Author>> = Object.freeze({});

/** The call that creates or deletes the instance; `undefined` if it exists before and after the changes. */
function wholeCall(name: string, before: Json | undefined, after: Json | undefined, changes: readonly Change[]) {
  if (!changes.some(({ path }) => path.length === 0) || (before !== undefined && after !== undefined)) return undefined;
  if (after === undefined) return { instance_name: "__DELETE__", target_instance_name: name };
  return { instance_name: "__CREATE__", new_instance_name: name, patches: [{ op: "create", value: after }] };
}

function pathText(path: readonly (Step | PathSegment)[]): string {
  try {
    return path.length === 0 ? "the document" : formatPath(path);
  } catch {
    return JSON.stringify(path);
  }
}
