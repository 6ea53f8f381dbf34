/** The little of Markdown that answers use. What is not understood stays as it is. */

export interface ProseBlock {
  kind: "paragraph" | "heading" | "list" | "code";
  /** Its first line's number. */
  at: number;
  text: string;
}

const fence = /^ {0,3}(`{3,}|~{3,})/;
const heading = /^#{1,6} +/;
const item = /^[-*] +/;

export function proseBlocks(text: string): ProseBlock[] {
  const blocks: ProseBlock[] = [];
  /** The fence that ends the code in which the line stands. */
  let closing: string | undefined;
  let gap = true;
  for (const [at, line] of text.split("\n").entries()) {
    const last = blocks.at(-1);
    const mark = fence.exec(line)?.[1];
    if (closing !== undefined && last !== undefined) {
      if (mark?.startsWith(closing)) {
        closing = undefined;
        gap = true;
      } else last.text += last.text === "" ? line : `\n${line}`;
    } else if (mark !== undefined) {
      closing = mark;
      blocks.push({ kind: "code", at, text: "" });
    } else if (line.trim() === "") {
      gap = true;
    } else if (heading.test(line)) {
      blocks.push({ kind: "heading", at, text: line.replace(heading, "") });
      gap = true;
    } else {
      const kind = item.test(line) ? "list" : "paragraph";
      const words = line.replace(item, "");
      if (!gap && last && (last.kind === kind || last.kind === "list"))
        last.text += (kind === "list" ? "\n" : " ") + words;
      else blocks.push({ kind, at, text: words });
      gap = false;
    }
  }
  return blocks;
}
