import type { PatchResult } from "genui-patch";
import { useEffect, useState } from "react";
import { type Example, exampleGroups } from "../data/examples";
import { t } from "../words/words";
import { tryCall, useRevision } from "./instances";

interface Props {
  text: string;
  /** Whether this text was applied last. */
  again: boolean;
  example: Example | undefined;
  onSetUp(example: Example): void;
  /** Gets the result in words, for a description of the editor. */
  onSay(words: string): void;
}

const meantToFail = exampleGroups.flatMap(({ refused, examples }) => (refused ? examples : []));

/** Milliseconds without a change before a call is tried: it is tried on a copy of everything. */
const pause = 120;

interface Tried {
  text: string;
  revision: number;
  result: PatchResult;
}

/** The result that the call would have on the instances as they are now. */
export function DryRun({ text, again, example, onSetUp, onSay }: Props) {
  const revision = useRevision();
  const [tried, setTried] = useState<Tried>(() => ({ text, revision, result: tryCall(text) }));
  const stale = tried.text !== text || tried.revision !== revision;

  useEffect(() => {
    const timer = setTimeout(() => setTried({ text, revision, result: tryCall(text) }), pause);
    return () => clearTimeout(timer);
  }, [text, revision]);

  const { result } = tried;
  const refused = result.status === "error";
  const unprepared =
    refused && example !== undefined && !meantToFail.includes(example) && result.error.code !== "INVALID_JSON";

  const words = `${t(again ? "It is applied. Once more, it" : "As things stand, this call")} ${
    refused ? t("is refused: ") : t("makes {changes}.", { changes: count(result.changes.length) })
  }`;
  const code = refused ? result.error.code : "";
  useEffect(() => onSay(words + code), [words, code, onSay]);

  return (
    <>
      <p className="dry-run" aria-busy={stale}>
        {words}
        {refused && <code>{code}</code>}
      </p>
      {unprepared && (
        <button type="button" className="small" onClick={() => onSetUp(example)}>
          {t("Set up for this example")}
        </button>
      )}
    </>
  );
}

const count = (changes: number) =>
  changes === 0 ? t("no change") : changes === 1 ? t("1 change") : t("{number} changes", { number: changes });
