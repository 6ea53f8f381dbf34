/**
 * The entry `genui-patch/testing`, for tests of an application: a model that replays answers. It imports nothing from the rest of
 * the package.
 */
import { CHUNKS_OF, type ScriptedFormat } from "./streams.js";

export type { ScriptedFormat } from "./streams.js";

/** A call in a scripted answer. */
export interface ScriptedCall {
  name: string;
  /** An object, or the text as the model writes it, which may be broken. */
  arguments: object | string;
  /** Default: `call_1`, `call_2`, … over the whole script. */
  id?: string | undefined;
}

/** One answer of the model. */
export interface ScriptedAnswer {
  text?: string | undefined;
  reasoning?: string | undefined;
  /** Native calls, after the text. For the format `"text"` they become tool blocks. */
  calls?: readonly ScriptedCall[] | undefined;
  /**
   * The answer ends at the limit of tokens, inside the last call if there is one: write its `arguments` as a text that is cut
   * off.
   */
  isCut?: boolean | undefined;
  /** The stream fails with this message, after the text and the calls. */
  error?: string | undefined;
  /** The request fails with this HTTP status before anything arrives, with `error` as its message. */
  status?: number | undefined;
}

/** An answer, a text alone (which may contain tool blocks), or a function that makes one of these from the request. */
export type ScriptedTurn =
  | string
  | ScriptedAnswer
  | ((request: ScriptedRequest) => string | ScriptedAnswer | PromiseLike<string | ScriptedAnswer>);

export interface ScriptedRequest {
  /** The conversation that was sent. */
  messages: readonly { readonly [key: string]: unknown }[];
  /** The tools that were sent, in the form of the provider. */
  tools: unknown;
}

export interface ScriptedOptions {
  /** The provider whose stream the answers have. Default `"openai"`. */
  format?: ScriptedFormat | undefined;
  /** The length of the pieces in UTF-16 units in which text and arguments arrive. Default 12. */
  pieceLength?: number | undefined;
  /** Milliseconds between two pieces: to watch a page being built. Default 0. */
  delay?: number | undefined;
}

/** A function for `send` of `runAgent`, with the requests that it has received. */
export interface ScriptedModel {
  (messages: ScriptedRequest["messages"], tools?: unknown, options?: { signal?: AbortSignal }): Promise<Response>;
  readonly requests: readonly ScriptedRequest[];
}

/**
 * A model that gives the answers of a script, one for each request, as streams of a provider. After the last one it answers
 * with a text that says so.
 *
 * ```ts
 * const model = scriptedModel([
 *   { text: "I make the page.", calls: [{ name: "patch_ui_state", arguments: { instance_name: "__CREATE__", new_instance_name: "crm" } }] },
 *   "Done.",
 * ]);
 * await runAgent({ agent, messages: [{ role: "user", content: "Make a page." }], send: model });
 * model.requests.length; // 2
 * ```
 */
export function scriptedModel(script: readonly ScriptedTurn[], options: ScriptedOptions = {}): ScriptedModel {
  const { format = "openai", pieceLength = 12, delay = 0 } = options;
  if (!Object.hasOwn(CHUNKS_OF, format))
    throw new TypeError(`scriptedModel: the format must be one of ${Object.keys(CHUNKS_OF).join(", ")}.`);
  if (!(pieceLength >= 1)) throw new TypeError("scriptedModel: the pieceLength must be a number from 1.");
  const requests: ScriptedRequest[] = [];
  let callCount = 0;

  const model = async (
    messages: ScriptedRequest["messages"],
    tools?: unknown,
    { signal }: { signal?: AbortSignal } = {},
  ) => {
    const request = { messages: structuredClone(messages), tools };
    requests.push(request);
    const turn = script[requests.length - 1] ?? "The script has no further answer.";
    const result = typeof turn === "function" ? await turn(request) : turn;
    const answer: ScriptedAnswer = typeof result === "string" ? { text: result } : result;
    if (answer.status !== undefined) {
      const body = JSON.stringify({ error: { message: answer.error ?? "The script fails here." } });
      return new Response(body, { status: answer.status, headers: { "content-type": "application/json" } });
    }
    const calls = (answer.calls ?? []).map((call) => {
      callCount += 1;
      const args = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
      return { id: call.id ?? `call_${callCount}`, name: call.name, args };
    });
    const chunks = CHUNKS_OF[format]({
      text: pieces(answer.text ?? "", pieceLength),
      reasoning: pieces(answer.reasoning ?? "", pieceLength),
      calls: calls.map(({ args, ...call }) => ({ ...call, args, pieces: pieces(args, pieceLength) })),
      isCut: answer.isCut === true,
      error: answer.error,
    });
    const type = format === "text" ? "text/plain" : "text/event-stream";
    return new Response(streamOf(chunks, format, delay, signal), {
      headers: { "content-type": `${type}; charset=utf-8` },
    });
  };
  return Object.assign(model, { requests });
}

/** Cuts a text into pieces of a length. A piece is one longer where it would cut a surrogate pair. */
function pieces(text: string, length: number): string[] {
  const list: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = start + length;
    const isInPair = /^[\udc00-\udfff]/.test(text.slice(end, end + 1));
    if (isInPair) end += 1;
    list.push(text.slice(start, end));
    start = end;
  }
  return list;
}

/**
 * A chunk as a server-sent event. If chunks have a `type`, the provider sends it as the event's name too, and some clients read
 * only that.
 */
function eventOf(chunk: unknown): string {
  const type = typeof chunk === "object" && chunk !== null && "type" in chunk ? `event: ${chunk.type}\n` : "";
  return `${type}data: ${JSON.stringify(chunk)}\n\n`;
}

/** The body of a response: each chunk after the delay. An `Error` among the chunks, or an abort, makes reading fail. */
function streamOf(chunks: readonly unknown[], format: ScriptedFormat, delay: number, signal: AbortSignal | undefined) {
  const encoder = new TextEncoder();
  let nextIndex = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (signal?.aborted) return controller.error(signal.reason);
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
      if (nextIndex === chunks.length) return controller.close();
      const chunk = chunks[nextIndex];
      nextIndex += 1;
      if (chunk instanceof Error) return controller.error(chunk);
      controller.enqueue(encoder.encode(format === "text" ? String(chunk) : eventOf(chunk)));
    },
  });
}
