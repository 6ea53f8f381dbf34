import type { Token } from "marked";
import { memo } from "react";
import { blocksOf, htmlOfBlock } from "../lib/markdown";
import { ScrollBox } from "../lib/ScrollBox";
import { safeHtml } from "../lib/safeHtml";
import { t } from "../words/words";

/** The text between tool blocks: paragraphs, headings, lists, code. Never markup of the model's own. */
export const ProseText = memo(function ProseText({ text }: { text: string }) {
  let at = 0;
  return blocksOf(text).map((block) => {
    const key = at;
    at += block.raw.length;
    return <Block key={key} block={block} />;
  });
});

/** By its text alone, so that what is finished is not rendered again. */
const Block = memo(
  function Block({ block }: { block: Token }) {
    if (block.type !== "code") return safeHtml(htmlOfBlock(block), 3);
    return (
      <ScrollBox label={t("Code")} className="shown-code">
        {block.text}
      </ScrollBox>
    );
  },
  (before, now) => before.block.type === now.block.type && before.block.raw === now.block.raw,
);
