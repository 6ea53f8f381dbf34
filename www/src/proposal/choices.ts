/** What a person has chosen of each proposal so far: parts left out, values of their own. */
import type { Json, Proposal } from "genui-patch";
import { cell, useCell } from "../lib/cell";
import { partsOf } from "./rows";

export interface Choice {
  /** The parts that shall not be made. */
  without: ReadonlySet<string>;
  edits: ReadonlyMap<string, Json>;
  /** For a file: the whole text in the person's own words. */
  text?: string | undefined;
  /** The parts that there were to choose from. A proposal that was carried over may have others, by the same names. */
  parts: readonly string[];
}

const all: Choice = { without: new Set(), edits: new Map(), parts: [] };

const choices = cell<ReadonlyMap<string, Choice>>(new Map());

export const choiceOf = (id: string): Choice => choices.get().get(id) ?? all;

export function useChoice(id: string): Choice {
  return useCell(choices).get(id) ?? all;
}

function change(id: string, changes: Partial<Choice>): void {
  choices.set(new Map(choices.get()).set(id, { ...choiceOf(id), ...changes }));
}

export function toggle(proposal: Proposal, part: string): void {
  const without = new Set(standing(proposal).without);
  if (!without.delete(part)) without.add(part);
  change(proposal.id, { without, parts: partsOf(proposal) });
}

export function edit(proposal: Proposal, part: string, value: Json | undefined): void {
  const edits = new Map(standing(proposal).edits);
  if (value === undefined) edits.delete(part);
  else edits.set(part, value);
  change(proposal.id, { edits, parts: partsOf(proposal) });
}

/** Whether what was chosen still stands for the parts that it was chosen from. */
export function stands(proposal: Proposal): boolean {
  const { without, edits, parts } = choiceOf(proposal.id);
  const now = partsOf(proposal);
  return (
    without.size + edits.size === 0 || (parts.length === now.length && parts.every((part, at) => part === now[at]))
  );
}

function standing(proposal: Proposal): Choice {
  if (!stands(proposal)) forget(proposal.id);
  return choiceOf(proposal.id);
}

export const forget = (id: string): void => change(id, all);

export const editText = (id: string, text: string | undefined): void => change(id, { text });
