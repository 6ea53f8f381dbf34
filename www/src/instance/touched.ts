/** The parts of a rendered page that changes concern. */
import type { Change } from "genui-patch";
import { objectOf, objectsOf, textOf, type View } from "../lib/view";

type Steps = readonly (string | number)[];

interface Spot {
  element: HTMLElement;
  /** The place of the document that the element shows. */
  at: Steps;
}

export function touchedBy(
  root: HTMLElement,
  document: View | undefined,
  changes: readonly Pick<Change, "path">[],
): ReadonlySet<HTMLElement> {
  const spots = spotsIn(root, document);
  return new Set(changes.flatMap((change) => touched(spots, change.path)).map(({ element }) => element));
}

function spotsIn(root: HTMLElement, document: View | undefined): Spot[] {
  const blocks = objectsOf(objectOf(document).blocks);
  const places = new Map(blocks.map(({ id, bind }, index) => [textOf(id), { index, bind: stepsOf(bind) }]));
  const spots: Spot[] = [];
  const add = (selector: string, placeOf: (element: HTMLElement) => Steps | undefined) => {
    for (const element of root.querySelectorAll<HTMLElement>(selector)) {
      const at = placeOf(element);
      if (at !== undefined) spots.push({ element, at });
    }
  };
  const blockOf = (element: HTMLElement) => places.get(element.closest<HTMLElement>(".gp-block")?.dataset.block ?? "");
  add(".gp-page-head, .gp-steps", () => ["meta"]);
  add(".gp-page > .gp-actions", () => ["actions"]);
  add(".gp-block", (element) => {
    const place = blockOf(element);
    return place && ["blocks", place.index];
  });
  add(".gp-field", (element) => {
    const place = blockOf(element);
    return place && [...place.bind, element.dataset.field ?? ""];
  });
  return spots;
}

const stepsOf = (bind: View | undefined): Steps => (textOf(bind) || "state.params").split(".");

/** The elements that show the place or a part of it, otherwise the smallest one around it. */
function touched(spots: readonly Spot[], path: Steps): readonly Spot[] {
  const within = spots.filter((spot) => begins(spot.at, path));
  if (within.length > 0) return within;
  const around = spots.filter((spot) => begins(path, spot.at));
  const nearest = Math.max(...around.map((spot) => spot.at.length));
  return around.filter((spot) => spot.at.length === nearest);
}

const begins = (long: Steps, short: Steps) => short.every((step, index) => String(step) === String(long[index]));
