import { type KeyboardEvent, useId, useState } from "react";
import { type Example, exampleGroups } from "../data/examples";
import { compactJson } from "../lib/compactJson";
import type { View } from "../lib/view";
import { rich } from "../words/rich";
import { t } from "../words/words";
import { DryRun } from "./DryRun";
import { ExamplePicker } from "./ExamplePicker";
import { applyCall, setUpFor } from "./instances";

const textFor = ({ call }: Example) => (typeof call === "string" ? call : compactJson(call as View));

const first = exampleGroups[0]?.examples[1];

const applies = (
  <>
    <kbd>Ctrl</kbd> + <kbd>Enter</kbd>
  </>
);

/** Where a patch call is picked or typed, tried, and applied. */
export function CallEditor() {
  const id = useId();
  const [example, setExample] = useState<Example | undefined>(first);
  const [text, setText] = useState(first ? textFor(first) : "");

  /** What was applied last: what it would come to now is what a second time would. */
  const [applied, setApplied] = useState<string>();
  function apply(by?: "person") {
    const { status } = applyCall(text, by);
    setApplied(status === "success" ? text : undefined);
  }

  function choose(chosen: Example) {
    setExample(chosen);
    setText(textFor(chosen));
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    apply();
  }

  return (
    <section className="editor" aria-labelledby={`${id}-title`}>
      <div className="panel-head">
        <h3 id={`${id}-title`}>{t("Patch call")}</h3>
        <p className="hint">{rich("{keys} applies", { keys: applies })}</p>
      </div>
      <ExamplePicker chosen={example} onChoose={choose} />
      <label htmlFor={`${id}-call`}>{t("Call, as JSON")}</label>
      <textarea
        id={`${id}-call`}
        className="mono"
        rows={Math.min(16, Math.max(7, text.split("\n").length))}
        spellCheck={false}
        autoComplete="off"
        aria-describedby={`${id}-dry`}
        aria-keyshortcuts="Control+Enter"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="apply">
        <button type="button" className="primary" onClick={() => apply()}>
          {t("Apply")}
        </button>
        <button
          type="button"
          title={t("Optimistic: it shows at once and waits for the server, like what you type")}
          onClick={() => apply("person")}
        >
          {t("Apply as mine")}
        </button>
        <DryRun id={`${id}-dry`} text={text} again={text === applied} example={example} onSetUp={setUpFor} />
      </div>
    </section>
  );
}
