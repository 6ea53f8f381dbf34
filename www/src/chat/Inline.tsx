import { safeUrl } from "genui-patch";
import type { ReactNode } from "react";

/** Code, strong and emphasised words, links: each from its marks to what it becomes. */
const marks: readonly [pattern: RegExp, make: (found: RegExpExecArray, key: number) => ReactNode][] = [
  [/^`([^`]+)`$/, ([, words], key) => <code key={key}>{words}</code>],
  [/^\*\*([^*]+)\*\*$/, ([, words], key) => <strong key={key}>{words}</strong>],
  [/^\*([^*]+)\*$/, ([, words], key) => <em key={key}>{words}</em>],
  [/^\[([^\]]+)\]\((\S+)\)$/, ([, words, address = ""], key) => link(words ?? "", address, key)],
];

const pieces = /(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s](?:[^*]*[^*\s])?\*|\[[^\]]+\]\([^)\s]+\))/;

/** A line with what its marks say. An address that the package does not take is no link. */
export function Inline({ text }: { text: string }) {
  let at = 0;
  return text.split(pieces).map((piece) => {
    const key = at;
    at += piece.length;
    for (const [pattern, make] of marks) {
      const found = pattern.exec(piece);
      if (found) return make(found, key);
    }
    return piece;
  });
}

function link(words: string, address: string, key: number): ReactNode {
  const checked = safeUrl(address);
  if (!checked.ok) return words;
  return (
    <a key={key} href={checked.url} target="_blank" rel="noopener noreferrer">
      {words}
    </a>
  );
}
