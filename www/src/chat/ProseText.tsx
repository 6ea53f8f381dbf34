import { memo } from "react";
import { ScrollBox } from "../lib/ScrollBox";
import { Inline } from "./Inline";
import { type ProseBlock, proseBlocks } from "./markdown";

/** The text between tool blocks: paragraphs, headings, lists, code. Never markup of the model's own. */
export const ProseText = memo(function ProseText({ text }: { text: string }) {
  return proseBlocks(text).map((block) => <Block key={block.at} kind={block.kind} text={block.text} />);
});

/** By its text alone, so that what is finished is not rendered again. */
const Block = memo(function Block({ kind, text }: Pick<ProseBlock, "kind" | "text">) {
  switch (kind) {
    case "code":
      return (
        <ScrollBox label="Code" className="shown-code">
          {text}
        </ScrollBox>
      );
    case "heading":
      return (
        <h3>
          <Inline text={text} />
        </h3>
      );
    case "list":
      return (
        <ul>
          {text.split("\n").map((line) => (
            <li key={line}>
              <Inline text={line} />
            </li>
          ))}
        </ul>
      );
    case "paragraph":
      return (
        <p>
          <Inline text={text} />
        </p>
      );
  }
});
