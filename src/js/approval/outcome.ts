/** How what was made of a proposal compares with what was proposed. */
import type { Outcome } from "./types.js";

/** What became of one part of a proposal, and where it is: a path, a field, the index of a hunk. */
export type Part<Place> = readonly [fate: "applied" | "omitted" | "edited", place: Place];

/** `isChanged`: something was made that is neither as proposed nor as it was before, beside those parts. */
export function outcomeOf<Place>(
  extent: "all" | "none" | undefined,
  parts: readonly Part<Place>[],
  isChanged = false,
): Outcome<Place> {
  const places: { [fate in Part<Place>[0]]: Place[] } = { applied: [], omitted: [], edited: [] };
  for (const [fate, place] of parts) places[fate].push(place);
  return { extent: extent ?? (isChanged || places.edited.length > 0 ? "edited" : "part"), ...places };
}
