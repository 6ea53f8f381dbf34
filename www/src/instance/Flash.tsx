import { type RefObject, useEffect } from "react";
import { useCell } from "../lib/cell";
import { touched } from "./instances";
import { store } from "./store";
import { touchedBy } from "./touched";

const milliseconds = 1800;
const colours = { new: "var(--flash)", back: "var(--bad)" } as const;

/** Lights up for a moment the parts that others have changed. With reduced motion the light is on, then off. */
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
    }
  }, [last, instance, stage]);

  return null;
}
