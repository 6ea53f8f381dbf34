import { memo, useId, useState } from "react";
import { Icon } from "../lib/Icon";
import { t } from "../words/words";
import { useCorrection } from "./corrections";
import { LiveContent } from "./LiveContent";
import { type BlockPart, textsOf } from "./parts";
import { describe } from "./pill";
import { Verdict } from "./Verdict";

/** One tool block: what it does to which file, its text as it arrives, and what became of it. */
export const ToolPill = memo(function ToolPill({ block }: { block: BlockPart }) {
  const [open, setOpen] = useState(true);
  const id = useId();
  const correction = useCorrection(block.end);
  const corrected = correction?.state === "over" && correction.result.corrected;
  const { state, icon, verdict, title, path } = describe(block, corrected);
  const texts = textsOf(block);
  const length = texts.reduce((sum, { text }) => sum + text.length, 0);

  return (
    <div className="pill" data-state={state}>
      <button
        type="button"
        className="pill-head"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        <span className="pill-icon">{icon ? <Icon name={icon} /> : <span className="spinner" />}</span>
        <span className="pill-title">{title}</span>
        <span className="pill-path">{path}</span>
        {length > 0 && (
          <span className="pill-size">
            {length.toLocaleString("en")} {t("chars")}
          </span>
        )}
        <span className="pill-verdict">{verdict}</span>
        <Icon name="chevron" />
      </button>
      <div className="pill-body" id={id} hidden={!open}>
        <LiveContent live={texts} arriving={block.end === undefined} />
        {block.end && <Verdict end={block.end} />}
      </div>
    </div>
  );
});
