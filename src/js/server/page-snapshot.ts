/** A snapshot for a page in parts: neither the server nor the page has all documents of a room in one text. */

/** The length from which the entries of a map are sent. An entry alone may be longer. */
const ENOUGH = 256 * 1024;

/** The messages `snapshot-part`, and the `snapshot` that says how many there are. */
export function* inParts(
  snapshot: { answers?: number | undefined; revision: number },
  maps: { readonly [name: string]: object },
  others: object | undefined,
): Generator<string> {
  let part = 0;
  for (const [name, map] of Object.entries(maps)) {
    for (const entries of textsOf(map)) {
      const { answers: request, revision } = snapshot;
      const about = JSON.stringify({ type: "snapshot-part", request, part, revision });
      yield `${about.slice(0, -1)},${JSON.stringify(name)}:{${entries}}}`;
      part += 1;
    }
  }
  const empty = Object.fromEntries(Object.keys(maps).map((name) => [name, {}]));
  yield JSON.stringify({ ...snapshot, ...empty, ...others, parts: part });
}

/** The entries of a map as JSON, several short ones together. */
function* textsOf(map: object): Generator<string> {
  let texts: string[] = [];
  let length = 0;
  for (const [key, value] of Object.entries(map)) {
    const text = `${JSON.stringify(key)}:${JSON.stringify(value)}`;
    texts.push(text);
    length += text.length;
    if (length < ENOUGH) continue;
    yield texts.join();
    texts = [];
    length = 0;
  }
  if (texts.length > 0) yield texts.join();
}
