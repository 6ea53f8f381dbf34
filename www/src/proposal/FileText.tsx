import type { FileProposal, ToolCall } from "genui-patch";
import { useId, useState } from "react";
import { workspace } from "../files/workspace";
import { Icon } from "../lib/Icon";
import { t } from "../words/words";
import { editText } from "./choices";

/** The whole text of the file in the person's own words, instead of what was proposed. */
export function FileText({ proposal, text }: { proposal: FileProposal; text: string | undefined }) {
  const id = useId();
  const [fault, setFault] = useState("");
  const { tool } = proposal.proposed as ToolCall;
  if (tool === "delete_file") return null;

  async function begin() {
    const preview = await (await workspace()).preview(proposal.proposed as ToolCall);
    if (preview.after === null) setFault(preview.error?.message ?? t("There is no text to begin from."));
    else editText(proposal.id, preview.after);
  }

  if (text === undefined) {
    return (
      <div>
        <button type="button" className="small" onClick={() => void begin()}>
          <Icon name="pencil" />
          {t("Edit before accepting")}
        </button>
        {fault && <p className="fault">{fault}</p>}
      </div>
    );
  }
  return (
    <div className="file-edit">
      <label htmlFor={id}>{t("Your text of the file")}</label>
      <textarea
        id={id}
        className="mono"
        rows={Math.min(18, Math.max(5, text.split("\n").length))}
        spellCheck={false}
        value={text}
        onChange={(event) => editText(proposal.id, event.target.value)}
      />
      <button type="button" className="small" onClick={() => editText(proposal.id, undefined)}>
        {t("Back to the proposal")}
      </button>
    </div>
  );
}
