/** Takes back what the agent did in one of its turns, or the user's own last edit; and makes it again. */
import type { PatchError } from "genui-patch";
import { cell } from "../lib/cell";
import { log } from "../log/log";
import { flow, refetch } from "../proposal/flow";
import { labelOf, tell } from "../server/noticeBoard";
import { t, type Words } from "../words/words";
import { touched } from "./instances";
import { showSteps } from "./paths";
import { store } from "./store";

/** An instance or a task flow that a turn has changed. */
interface Changed {
  kind: "page" | "flow";
  name: string;
}

/** By the id of a turn, which is also that of its groups in the histories. */
const changedBy = new Map<string, readonly Changed[]>();
const noted = cell(0);

/** Notes that a call of a turn was for this instance or task flow. */
export function noteTurn(turn: string, kind: Changed["kind"], name: string): void {
  const before = changedBy.get(turn) ?? [];
  if (before.some((one) => one.kind === kind && one.name === name)) return;
  changedBy.set(turn, [...before, { kind, name }]);
  noted.set(noted.get() + 1);
}

/** The possible action on a turn; `""` if it has changed nothing that could be undone or made again. */
export type Revertible = "undo" | "redo" | "";

export function revertible(turn: string): Revertible {
  const changed = changedBy.get(turn) ?? [];
  if (changed.some((one) => can(one, turn, "undo"))) return "undo";
  return changed.some((one) => can(one, turn, "redo")) ? "redo" : "";
}

export function watchTurns(listener: () => void): () => void {
  const ends = [store.subscribe(listener), flow.subscribe(listener), noted.subscribe(listener)];
  return () => {
    for (const end of ends) end();
  };
}

function can({ kind, name }: Changed, group: string, method: "undo" | "redo"): boolean {
  const source = kind === "flow" ? flow : store;
  return method === "undo" ? source.canUndo(name, { group }) : source.canRedo(name, { group });
}

/** Why a turn was not undone, or not made again. */
export interface Refusal {
  method: "undo" | "redo";
  words: Words;
  /** Whether the rest can be done without the places that are in the way. */
  hasRest: boolean;
}

/** Undoes a turn, or makes it again: in all instances, or in none if a later change is in the way. */
export function revertTurn(turn: string, method: "undo" | "redo", force = false): Refusal | undefined {
  const refused: { name: string; error: PatchError }[] = [];
  store.batch(() => {
    const done: Changed[] = [];
    for (const one of (changedBy.get(turn) ?? []).filter((changed) => can(changed, turn, method))) {
      const error = revertIn(one, turn, method, force);
      if (error === undefined) done.push(one);
      else refused.push({ name: one.name, error });
    }
    if (refused.length > 0 && !force)
      for (const one of done) revertIn(one, turn, method === "undo" ? "redo" : "undo", false);
  });
  log("chat", refused.length > 0 ? "conflict" : method, turn, {
    tone: refused.length > 0 ? "bad" : "good",
    detail: refused,
  });
  if (refused.length === 0) return undefined;
  return {
    method,
    words: () => refused.map(({ name, error }) => inTheWay(method, name, error)).join(" "),
    hasRest: !force && refused.every(({ error }) => error.solution.includes("force: true")),
  };
}

function revertIn(
  { kind, name }: Changed,
  group: string,
  method: "undo" | "redo",
  force: boolean,
): PatchError | undefined {
  if (kind === "flow") {
    const { error } = flow[method](name, { group, force });
    if (error === undefined) refetch(name);
    return error;
  }
  // As a pending call, so that the server gets it too.
  const result = store[method](name, { group, force, optimistic: true });
  if (result.status === "success") touched.set({ instance: name, changes: result.changes, tone: "new", shows: true });
  return result.error;
}

/** The last message about an undo of the user's own edits, for screen readers. */
export const announced = cell<Words>(() => "");

/** Undoes the user's own last edit of an instance, or makes it again. Returns false if no such edit exists. */
export function revertOwn(name: string, method: "undo" | "redo"): boolean {
  const options = { author: "user", optimistic: true } as const;
  if (!(method === "undo" ? store.canUndo(name, options) : store.canRedo(name, options))) return false;
  const result = store[method](name, options);
  const { error } = result;
  log("instance", error?.code ?? method, name, { tone: error ? "bad" : "good", detail: result });
  if (result.status === "success") {
    touched.set({ instance: name, changes: result.changes, tone: "new", shows: true });
    announced.set(() => (method === "undo" ? t("Your last change was undone.") : t("Your change was made again.")));
  } else if (error !== undefined) {
    const title = () => (method === "undo" ? t("Not undone") : t("Not made again"));
    tell("warn", title, () => inTheWay(method, name, error));
  }
  return true;
}

/** Why something was not undone, with the places, in words. */
function inTheWay(method: "undo" | "redo", name: string, { places = [], message }: PatchError): string {
  if (places.length === 0) return message;
  const document = store.snapshot(name);
  const listed = places.map((place) => {
    const label = labelOf(document, place);
    return place === "the document" ? showSteps([]) : label === undefined ? place : `“${label}” (${place})`;
  });
  const filling = { name, places: listed.join(", ") };
  return method === "undo"
    ? t("Not undone: in {name} this was changed since: {places}.", filling)
    : t("Not made again: in {name} this was changed since: {places}.", filling);
}
