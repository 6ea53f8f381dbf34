const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

interface Token {
  at: number;
  kind: "key" | "string" | "word" | "number" | "plain";
  text: string;
}

/** A piece of JSON in colours. */
export function JsonLine({ text }: { text: string }) {
  return read(text).map(({ at, kind, text: token }) =>
    kind === "plain" ? (
      token
    ) : (
      <span key={at} className={`json-${kind}`}>
        {token}
      </span>
    ),
  );
}

function read(text: string): Token[] {
  const found: Token[] = [];
  let last = 0;
  for (const match of text.matchAll(tokens)) {
    const [whole, string, colon] = match;
    const token = string ?? whole;
    if (match.index > last) found.push({ at: last, kind: "plain", text: text.slice(last, match.index) });
    found.push({ at: match.index, kind: string ? (colon ? "key" : "string") : kindOf(token), text: token });
    last = match.index + token.length;
  }
  if (last < text.length) found.push({ at: last, kind: "plain", text: text.slice(last) });
  return found;
}

const kindOf = (token: string) => (/^[a-z]/.test(token) ? "word" : "number");
