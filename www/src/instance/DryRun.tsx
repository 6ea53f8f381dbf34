import { useDeferredValue, useMemo } from "react";
import { type Example, exampleGroups } from "../data/examples";
import { tryCall, useRevision } from "./instances";

interface Props {
  id: string;
  text: string;
  example: Example | undefined;
  onSetUp(example: Example): void;
}

const meantToFail = exampleGroups.flatMap(({ refused, examples }) => (refused ? examples : []));

/** What the call would come to as the instances are now. Found out when nothing more urgent is to do. */
export function DryRun({ id, text, example, onSetUp }: Props) {
  const revision = useRevision();
  const triedText = useDeferredValue(text);
  const triedRevision = useDeferredValue(revision);
  const stale = triedText !== text || triedRevision !== revision;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another revision may answer otherwise
  const result = useMemo(() => tryCall(triedText), [triedText, triedRevision]);
  const refused = result.status === "error";
  const unprepared =
    refused && example !== undefined && !meantToFail.includes(example) && result.error.code !== "INVALID_JSON";

  return (
    <>
      <p id={id} className="dry-run" aria-busy={stale}>
        As things stand, this call {refused ? "is refused: " : `makes ${count(result.changes.length)}.`}
        {refused && <code>{result.error.code}</code>}
      </p>
      {unprepared && (
        <button type="button" className="small" onClick={() => onSetUp(example)}>
          Set up for this example
        </button>
      )}
    </>
  );
}

const count = (changes: number) => (changes === 0 ? "no change" : changes === 1 ? "1 change" : `${changes} changes`);
