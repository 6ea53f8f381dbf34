import type { PatchResult } from "genui-patch";
import { useEffect, useRef } from "react";
import { useCell } from "../lib/cell";
import { t } from "../words/words";
import { ChangeList } from "./ChangeList";
import { ErrorReport } from "./ErrorReport";
import { type Outcome, outcome } from "./instances";
import { SkippedList } from "./SkippedList";

/** The result of the last call, or of the user's last edit. */
export function ResultPanel() {
  const last = useCell(outcome);
  const box = useRef<HTMLElement>(null);
  const seen = useRef(last);
  const result = last && "result" in last ? last.result : undefined;
  const error = result?.status === "error" ? result : undefined;

  // Below a long call the answer to it may be out of sight.
  useEffect(() => {
    if (last === seen.current) return;
    seen.current = last;
    if (last?.by === "call") box.current?.scrollIntoView({ block: "nearest" });
  }, [last]);

  return (
    <section className="result" ref={box} aria-label={t("Result")} data-status={result?.status ?? "none"}>
      <div role="alert">{error && <ErrorReport result={error} />}</div>
      <p role="status" className="result-line">
        {sentence(last)}
      </p>
      {result?.status === "success" && <Details result={result} />}
    </section>
  );
}

function sentence(last: Outcome | undefined): string {
  if (last === undefined) return t("Apply a call, or type in the form: what changes is listed here.");
  if (last.by === "host") return last.message();
  if (last.result.status === "error") return "";
  const { instance_name, applied, changes, revision } = last.result;
  const patches = applied === 1 ? t("1 patch applied") : t("{number} patches applied", { number: applied });
  const values = { cause: last.by === "user" ? t("You typed") : patches, instance: instance_name, revision };
  if (changes.length === 0) return t("{cause}: {instance} was so already, nothing changed.", values);
  const number = changes.length === 1 ? t("1 change") : t("{number} changes", { number: changes.length });
  return t("{cause}: {number} in {instance}, revision {revision}.", { ...values, number });
}

function Details({ result }: { result: Extract<PatchResult, { status: "success" }> }) {
  return (
    <>
      <ChangeList changes={result.changes} />
      <SkippedList skipped={result.skipped} />
    </>
  );
}
