import { type RefObject, useEffect } from "react";
import { useCell } from "../lib/cell";
import { outcome } from "./instances";
import { touchedBy } from "./touched";

const milliseconds = 1800;

/** Lights up for a moment what a call has touched. With reduced motion the light is simply on, then off. */
export function Flash({ stage }: { stage: RefObject<HTMLDivElement | null> }) {
  const last = useCell(outcome);

  useEffect(() => {
    if (!stage.current || last?.by !== "call" || last.result.status !== "success") return;
    const easing = matchMedia("(prefers-reduced-motion: reduce)").matches ? "step-end" : "ease-out";
    for (const element of touchedBy(stage.current, last.result.changes)) {
      element.animate({ outlineColor: ["var(--flash)", "transparent"] }, { duration: milliseconds, easing });
    }
  }, [last, stage]);

  return null;
}
