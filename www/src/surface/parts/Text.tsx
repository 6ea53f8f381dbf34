import { ProseText } from "../../chat/ProseText";
import { htmlOfLine } from "../../lib/markdown";
import { safeHtml } from "../../lib/safeHtml";
import { type PartProps, prop, text } from "../host";
import { grow } from "../NodeView";

const levels = ["1", "2", "3", "4", "5"];

/** Headings of a surface stand below those of the page. */
export function Heading({ node }: PartProps) {
  return <Titled words={text(prop(node, "text"))} level={text(prop(node, "level"))} style={grow(node)} />;
}

export function Text({ node }: PartProps) {
  const words = text(prop(node, "text"));
  const kind = text(prop(node, "usageHint", "variant"));
  if (/^h[1-5]$/.test(kind)) return <Titled words={words} level={kind.slice(1)} style={grow(node)} />;
  if (words.includes("\n")) {
    return (
      <div className="s-prose" style={grow(node)}>
        <ProseText text={words} />
      </div>
    );
  }
  return (
    <p className={kind === "caption" ? "s-text s-caption" : "s-text"} style={grow(node)}>
      {safeHtml(htmlOfLine(words))}
    </p>
  );
}

function Titled({ words, level, style }: { words: string; level: string; style: React.CSSProperties | undefined }) {
  const size = levels.includes(level) ? level : "2";
  const Tag = size === "1" || size === "2" ? "h3" : size === "3" ? "h4" : size === "4" ? "h5" : "h6";
  return (
    <Tag className="s-heading" data-level={size} style={style}>
      {words}
    </Tag>
  );
}
