/** Reads a model's answer, which comes as bytes, as text or as objects, and yields the provider's chunks. */
import { isObject, isText } from "../../core/kinds.js";
import type { FailedRequest, RunAnswer } from "./types.js";

/** The answer, piece by piece: text for the format `"text"`, else the provider's chunks. */
export async function* chunksOf(
  answer: RunAnswer,
  isPlainText: boolean,
  signal: AbortSignal,
): AsyncGenerator<unknown, void> {
  const source = answer instanceof Response ? bodyOf(answer) : answer;
  const decoder = new TextDecoder();
  const reader = new ChunkReader();
  for await (const piece of iterate(source, signal)) {
    const text = isText(piece)
      ? piece
      : piece instanceof Uint8Array
        ? decoder.decode(piece, { stream: true })
        : undefined;
    if (text === undefined) yield piece;
    else if (isPlainText) yield text;
    else yield* reader.push(text);
  }
  // U+FFFD if the bytes end inside of a character, else an empty text.
  const lastText = decoder.decode();
  if (isPlainText) yield lastText;
  else yield* reader.end(lastText);
}

function bodyOf(response: Response): ReadableStream<unknown> {
  if (response.body === null) throw new Error("The response of the model has no body.");
  return response.body;
}

/** The pieces of a stream or another source; for a stream until the signal is aborted. */
async function* iterate(
  source: ReadableStream<unknown> | AsyncIterable<unknown>,
  signal: AbortSignal,
): AsyncGenerator<unknown, void> {
  if (!("getReader" in source)) {
    yield* source;
    return;
  }
  // With a reader: Safari's streams cannot be iterated, and an iterated stream cannot be cancelled while it is awaited.
  const reader = source.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", cancel);
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

/**
 * Finds the JSON values in the bytes of a provider: in the `data` of server-sent events, on lines of their own (Ollama), or
 * as the items of one array (Gemini without `alt=sse`). Comments, other fields and `[DONE]` are skipped.
 */
class ChunkReader {
  /** The last line, which is not complete. */
  #buffered = "";
  /** The lines of `data` of the current server-sent event, which a blank line ends. */
  #data: string[] = [];
  /** The lines of a JSON value or array that is not complete; empty outside of one. */
  #json = "";

  *push(text: string): Generator<unknown, void> {
    this.#buffered += text;
    const lines = this.#buffered.split("\n");
    this.#buffered = lines.pop() ?? "";
    for (const line of lines) yield* this.#line(line.endsWith("\r") ? line.slice(0, -1) : line);
  }

  *end(text: string): Generator<unknown, void> {
    // The two line ends complete the last line and the last event.
    yield* this.push(`${text}\n\n`);
    const unfinishedJson = this.#json.trim();
    if (unfinishedJson !== "")
      throw new Error(`The answer of the model ends inside of JSON: ${excerpt(unfinishedJson)}`);
  }

  *#line(line: string): Generator<unknown, void> {
    // A field of an event, or a comment: a line that begins with ":".
    if (this.#json === "" && /^(data|event|id|retry)?:/.test(line)) {
      if (line.startsWith("data:")) this.#data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
      return;
    }
    if (this.#json === "" && line.trim() === "") {
      const data = this.#data.join("\n");
      this.#data = [];
      if (data.trim() !== "" && data.trim() !== "[DONE]") yield parse(data);
      return;
    }
    yield* this.#jsonLine(line);
  }

  *#jsonLine(line: string): Generator<unknown, void> {
    this.#json += `${line}\n`;
    // Parsed only where the line may end a value: parsing after each line would take quadratic time.
    if (!/[\]}],?\s*$/.test(line)) return;
    const value = parsedOrUndefined(this.#json);
    if (value === undefined) return;
    this.#json = "";
    yield* Array.isArray(value) ? value : [value];
  }
}

/** The value of an event's data. @throws Error for data that is not JSON. */
function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new Error(`The answer of the model has data that is not JSON: ${excerpt(data)}`);
  }
}

/** The value of JSON text; `undefined` for other text. */
function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const excerpt = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);

/** The reason why a response is not an answer; undefined for an answer. */
export async function refusalOf(answer: RunAnswer): Promise<Omit<FailedRequest, "attempt"> | undefined> {
  if (!(answer instanceof Response) || answer.ok) return undefined;
  const body = await answer.text().catch(() => "");
  const error = new Error(`The model's server answered ${answer.status}${body === "" ? "." : `: ${messageIn(body)}`}`);
  // NaN without the header, and for a date, which the header may have too: then `seconds >= 0` is false.
  const seconds = Number.parseFloat(answer.headers.get("retry-after") ?? "");
  return { error, status: answer.status, ...(seconds >= 0 && { retryAfter: seconds * 1000 }) };
}

/** The message in a provider's error, or the beginning of the body. */
function messageIn(body: string): string {
  const value = parsedOrUndefined(body);
  const error = isObject(value) ? (value.error ?? value) : value;
  const message = isObject(error) ? error.message : error;
  return isText(message) ? message : body.slice(0, 300);
}
