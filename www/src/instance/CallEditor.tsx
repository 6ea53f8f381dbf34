import { useId, useState } from "react";
import { type Example, exampleGroups } from "../data/examples";
import { compactJson } from "../lib/compactJson";
import { later } from "../lib/later";
import type { View } from "../lib/view";
import { rich } from "../words/rich";
import { t } from "../words/words";
import { DryRun } from "./DryRun";
import { ExamplePicker } from "./ExamplePicker";
import { applyCall, jsonFault, setUpFor } from "./instances";

const JsonEditor = later(async () => (await import("../lib/JsonEditor")).JsonEditor);

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

  /** The result of a dry run, in words. */
  const [said, setSaid] = useState("");

  /** The text that was applied last: its dry run is then that of a second time. */
  const [applied, setApplied] = useState<string>();
  function apply(by?: "user") {
    const { status } = applyCall(text, by);
    setApplied(status === "success" ? text : undefined);
  }

  function choose(chosen: Example) {
    setExample(chosen);
    setText(textFor(chosen));
  }

  return (
    <section className="editor" aria-labelledby={`${id}-title`}>
      <div className="panel-head">
        <h3 id={`${id}-title`}>{t("Patch call")}</h3>
        <p className="hint">{rich("{keys} applies", { keys: applies })}</p>
      </div>
      <ExamplePicker chosen={example} onChoose={choose} />
      <JsonEditor
        label={t("Call, as JSON")}
        description={said}
        value={text}
        onChange={setText}
        onSubmit={() => apply()}
        faultOf={jsonFault}
      />
      <div className="apply">
        <button type="button" className="primary" onClick={() => apply()}>
          {t("Apply")}
        </button>
        <button
          type="button"
          title={t("Optimistic: it shows at once and waits for the server, like what you type")}
          onClick={() => apply("user")}
        >
          {t("Apply as mine")}
        </button>
        <DryRun text={text} again={text === applied} example={example} onSetUp={setUpFor} onSay={setSaid} />
      </div>
    </section>
  );
}
