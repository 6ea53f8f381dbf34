import type { Part } from "./parts";
import { describe } from "./pill";

/** Tells the state of the newest tool block to those who do not see it. */
export function Announcer({ parts }: { parts: readonly Part[] }) {
  const block = [...parts].reverse().find((part) => part.kind === "block");
  return (
    <p role="status" className="unseen">
      {block?.kind === "block" ? describe(block).sentence : ""}
    </p>
  );
}
