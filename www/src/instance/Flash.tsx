import { type RefObject, useEffect } from "react";
import { useCell } from "../lib/cell";
import { touched } from "./instances";
import { touchedBy } from "./touched";

const milliseconds = 1800;
const colours = { new: "var(--flash)", back: "var(--bad)" } as const;

/** Lights up for a moment what has changed from outside. With reduced motion the light is simply on, then off. */
export function Flash({ instance, stage }: { instance: string; stage: RefObject<HTMLDivElement | null> }) {
  const last = useCell(touched);

  useEffect(() => {
    if (!stage.current || last === undefined || last.instance !== instance) return;
    const easing = matchMedia("(prefers-reduced-motion: reduce)").matches ? "step-end" : "ease-out";
    const elements = touchedBy(stage.current, last.changes);
    if (last.shows) elements.values().next().value?.scrollIntoView({ block: "nearest" });
    for (const element of elements) {
      element.animate({ outlineColor: [colours[last.tone], "transparent"] }, { duration: milliseconds, easing });
    }
  }, [last, instance, stage]);

  return null;
}
