/** The colours of a line of code: its strings, numbers, words of the language, comments. By line, and no more. */

interface Piece {
  at: number;
  kind: "string" | "number" | "word" | "key" | "note" | undefined;
  text: string;
}

const code =
  /(?<note>\/\/.*|\/\*.*?(?:\*\/|$)|^\s*\*.*)|(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`?)|(?<word>\b(?:as|async|await|break|case|class|const|continue|default|delete|do|else|export|extends|false|finally|for|from|function|if|import|in|instanceof|interface|let|new|null|of|return|static|switch|this|throw|true|try|type|typeof|undefined|var|void|while|yield)\b)|(?<number>\b\d[\d_.]*\b)/g;
const json =
  /(?<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<word>\b(?:true|false|null)\b)|(?<number>-?\b\d[\d.eE+-]*)/g;
const markdown = /(?<key>^#{1,6} .*)|(?<string>`[^`]+`)|(?<word>\*\*[^*]+\*\*)|(?<note>^\s*(?:>|```).*)/g;

const languages: readonly [ending: RegExp, pattern: RegExp][] = [
  [/\.json$/, json],
  [/\.md$/, markdown],
  [/\.[cm]?[jt]sx?$/, code],
];

/** Longer lines are shown as they are. */
const longest = 2000;

export function colour(line: string, path: string): Piece[] {
  const pattern = languages.find(([ending]) => ending.test(path))?.[1];
  if (pattern === undefined || line.length > longest) return [{ at: 0, kind: undefined, text: line }];
  const pieces: Piece[] = [];
  let last = 0;
  for (const { 0: text, index, groups = {} } of line.matchAll(pattern)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) as Piece["kind"];
    if (index > last) pieces.push({ at: last, kind: undefined, text: line.slice(last, index) });
    pieces.push({ at: index, kind, text });
    last = index + text.length;
  }
  if (last < line.length) pieces.push({ at: last, kind: undefined, text: line.slice(last) });
  return pieces;
}
