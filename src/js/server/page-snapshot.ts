/**
 * `inParts`: a snapshot for a page in several messages, so that neither the server nor the page has all documents in one text.
 */

/** The length at which a message is complete, in UTF-16 units. A single entry of a map may be longer. */
const MESSAGE_LENGTH = 256 * 1024;

/**
 * The messages of a snapshot: first `snapshot-part`s with the entries of the maps, then the `snapshot` with the number of parts.
 * It has the maps empty, so that the page knows which ones there are.
 * @param snapshot the members of the `snapshot` itself. `answers`: the page's number of its request.
 * @param maps instances, histories and files, by the name of the member, each by the name of its entries.
 * @param others members of the `snapshot` that are not divided.
 */
export function* inParts(
  snapshot: { answers?: number | undefined; revision: number },
  maps: { readonly [name: string]: object },
  others: object | undefined,
): Generator<string> {
  let part = 0;
  for (const [name, map] of Object.entries(maps)) {
    for (const entries of textsOf(map)) {
      const { answers: request, revision } = snapshot;
      const head = JSON.stringify({ type: "snapshot-part", request, part, revision });
      const headWithoutBrace = head.slice(0, -1);
      yield `${headWithoutBrace},${JSON.stringify(name)}:{${entries}}}`;
      part += 1;
    }
  }
  const emptyMaps = Object.fromEntries(Object.keys(maps).map((name) => [name, {}]));
  yield JSON.stringify({ ...snapshot, ...emptyMaps, ...others, parts: part });
}

/** The entries of a map as JSON without braces, several short ones together. */
function* textsOf(map: object): Generator<string> {
  let texts: string[] = [];
  let length = 0;
  for (const [key, value] of Object.entries(map)) {
    const text = `${JSON.stringify(key)}:${JSON.stringify(value)}`;
    texts.push(text);
    length += text.length;
    if (length < MESSAGE_LENGTH) continue;
    yield texts.join();
    texts = [];
    length = 0;
  }
  if (texts.length > 0) yield texts.join();
}
