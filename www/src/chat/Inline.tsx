const marks = /(`[^`]+`|\*\*[^*]+\*\*)/;

/** A line with its `code` and **strong** words. */
export function Inline({ text }: { text: string }) {
  let at = 0;
  return text.split(marks).map((piece) => {
    const key = at;
    at += piece.length;
    if (piece.length > 2 && piece.startsWith("`") && piece.endsWith("`"))
      return <code key={key}>{piece.slice(1, -1)}</code>;
    if (piece.length > 4 && piece.startsWith("**") && piece.endsWith("**"))
      return <strong key={key}>{piece.slice(2, -2)}</strong>;
    return piece;
  });
}
