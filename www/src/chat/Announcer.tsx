import { decisionText } from "../proposal/reasons";
import type { Part } from "./parts";
import { describe } from "./pill";

/** Announces the state of the newest tool block, or the last decision, to screen readers. */
export function Announcer({ parts }: { parts: readonly Part[] }) {
  const last = [...parts].reverse().find((part) => part.kind === "block" || part.kind === "note");
  return (
    <p role="status" className="unseen">
      {last?.kind === "block"
        ? describe(last).sentence
        : last?.kind === "note" && `${last.nodeId}: ${decisionText(last.text)}`}
    </p>
  );
}
