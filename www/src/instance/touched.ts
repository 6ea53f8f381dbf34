/** Which parts of the rendered page a call has touched. Parts say by `data-at` what they show. */
import type { Change } from "genui-patch";

type Steps = readonly (string | number)[];

interface Spot {
  element: HTMLElement;
  at: Steps;
}

/** The attribute of a part that shows what is kept there. */
export const at = (...steps: Steps) => JSON.stringify(steps);

export function touchedBy(root: HTMLElement, changes: readonly Pick<Change, "path">[]): ReadonlySet<HTMLElement> {
  const spots = [...root.querySelectorAll<HTMLElement>("[data-at]")].map(
    (element): Spot => ({ element, at: JSON.parse(element.dataset.at ?? "[]") as Steps }),
  );
  return new Set(changes.flatMap((change) => touched(spots, change.path)).map(({ element }) => element));
}

/** What shows the place or something in it; else the nearest that holds it. */
function touched(spots: readonly Spot[], path: Steps): readonly Spot[] {
  const within = spots.filter((spot) => begins(spot.at, path));
  if (within.length > 0) return within;
  const around = spots.filter((spot) => begins(path, spot.at));
  const nearest = Math.max(...around.map((spot) => spot.at.length));
  return around.filter((spot) => spot.at.length === nearest);
}

const begins = (long: Steps, short: Steps) => short.every((step, index) => String(step) === String(long[index]));
