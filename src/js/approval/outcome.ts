/** The outcome of an approval: which parts of the proposal were applied. The callers compare the documents. */
import type { Outcome } from "./types.js";

/** The outcome of one part of a proposal. `Place` names the part: a path, a field, or the index of a hunk. */
export type Part<Place> = readonly [fate: "applied" | "omitted" | "edited", place: Place];

/**
 * `extent`: all or nothing of the proposal was applied; `undefined` if it follows from the parts: `edited` with an edited part,
 * else `part`. `hasOtherEdits`: the user has also changed something outside of the listed parts.
 */
export function outcomeOf<Place>(
  extent: "all" | "none" | undefined,
  parts: readonly Part<Place>[],
  hasOtherEdits = false,
): Outcome<Place> {
  const places: { [fate in Part<Place>[0]]: Place[] } = { applied: [], omitted: [], edited: [] };
  for (const [fate, place] of parts) places[fate].push(place);
  const isEdited = hasOtherEdits || places.edited.length > 0;
  return { extent: extent ?? (isEdited ? "edited" : "part"), ...places };
}
