import { type RefObject, useEffect } from "react";
import { useCell } from "../lib/cell";
import { t } from "../words/words";
import { type Touched, touched } from "./instances";
import { store } from "./store";
import { touchedBy } from "./touched";

const milliseconds = 1800;
const colours = { new: "var(--flash)", back: "var(--bad)" } as const;

/** How long it is marked what the agent has changed, in milliseconds. */
const markedFor = 6000;
/** The marked elements, each with the timer that ends its mark. */
const marks = new WeakMap<HTMLElement, ReturnType<typeof setTimeout>>();
/** The changes that were marked: opening an instance again does not mark them again. */
const seen = new WeakSet<Touched>();

/**
 * Lights up for a moment the parts that others have changed. With reduced motion the light is on, then off. What the agent has
 * changed has a mark with a word for some seconds.
 */
export function Flash({ instance, stage }: { instance: string; stage: RefObject<HTMLDivElement | null> }) {
  const last = useCell(touched);

  useEffect(() => {
    if (!stage.current || last === undefined || last.instance !== instance) return;
    const easing = matchMedia("(prefers-reduced-motion: reduce)").matches ? "step-end" : "ease-out";
    const elements = touchedBy(stage.current, store.snapshot(instance), last.changes);
    if (last.shows) elements.values().next().value?.scrollIntoView({ block: "nearest" });
    for (const element of elements) {
      const outline = [`2px solid ${colours[last.tone]}`, "2px solid transparent"];
      element.animate({ outline, outlineOffset: ["3px", "3px"] }, { duration: milliseconds, easing });
      if (!last.byAgent) unmark(element);
      else if (!seen.has(last) && ![...elements].some((other) => other !== element && other.contains(element)))
        mark(element);
    }
    seen.add(last);
  }, [last, instance, stage]);

  // A field that the user writes in is not the agent's any more.
  useEffect(() => {
    const { current } = stage;
    const onInput = ({ target }: Event) => {
      const field = target instanceof Element ? target.closest<HTMLElement>(".gp-field[data-by-agent]") : null;
      if (field !== null) unmark(field);
    };
    current?.addEventListener("input", onInput);
    return () => current?.removeEventListener("input", onInput);
  }, [stage]);

  return null;
}

/** By an attribute that no component knows of: it outlives their rendering, and goes with its element. */
function mark(element: HTMLElement): void {
  clearTimeout(marks.get(element));
  element.dataset.byAgent = t("changed by the agent");
  marks.set(
    element,
    setTimeout(() => unmark(element), markedFor),
  );
}

function unmark(element: HTMLElement): void {
  clearTimeout(marks.get(element));
  marks.delete(element);
  delete element.dataset.byAgent;
}
