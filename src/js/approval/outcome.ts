/** Compares the result of an approval with the proposal. */
import type { Outcome } from "./types.js";

/** One part of a proposal with its place: a path, a field, or the index of a hunk. */
export type Part<Place> = readonly [fate: "applied" | "omitted" | "edited", place: Place];

/**
 * `extent`: all or nothing of the proposal was applied; `undefined` if it follows from the parts. `isChanged`: the result has changes
 * by the user outside of the listed parts.
 */
export function outcomeOf<Place>(
  extent: "all" | "none" | undefined,
  parts: readonly Part<Place>[],
  isChanged = false,
): Outcome<Place> {
  const places: { [fate in Part<Place>[0]]: Place[] } = { applied: [], omitted: [], edited: [] };
  for (const [fate, place] of parts) places[fate].push(place);
  return { extent: extent ?? (isChanged || places.edited.length > 0 ? "edited" : "part"), ...places };
}
