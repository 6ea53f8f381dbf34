/** What a person has chosen of each proposal so far: parts left out, values of their own. */
import type { Json } from "genui-patch";
import { cell, useCell } from "../lib/cell";

export interface Choice {
  /** The parts that shall not be made. */
  without: ReadonlySet<string>;
  edits: ReadonlyMap<string, Json>;
  /** For a file: the whole text in the person's own words. */
  text?: string | undefined;
}

const all: Choice = { without: new Set(), edits: new Map() };

const choices = cell<ReadonlyMap<string, Choice>>(new Map());

export const choiceOf = (id: string): Choice => choices.get().get(id) ?? all;

export function useChoice(id: string): Choice {
  return useCell(choices).get(id) ?? all;
}

function change(id: string, changes: Partial<Choice>): void {
  choices.set(new Map(choices.get()).set(id, { ...choiceOf(id), ...changes }));
}

export function toggle(id: string, part: string): void {
  const without = new Set(choiceOf(id).without);
  if (!without.delete(part)) without.add(part);
  change(id, { without });
}

export function edit(id: string, part: string, value: Json | undefined): void {
  const edits = new Map(choiceOf(id).edits);
  if (value === undefined) edits.delete(part);
  else edits.set(part, value);
  change(id, { edits });
}

export const editText = (id: string, text: string | undefined): void => change(id, { text });
