/** `gulfFlow`: turns the tool calls of a model into a stream of GULF lines. */

import { GenuiPatchError } from "../core/errors.js";
import { isObject } from "../core/kinds.js";
import { ANY, FUNCTION, LIST, OBJECT, requireKind, requireOptions } from "../core/require.js";
import { fromFormat, writeMcpTool } from "../definitions/format.js";
import { gulfTools } from "../definitions/gulf.js";
import { type GulfPromptOptions, gulfSystemPrompt } from "./prompt.js";
import { type GulfInputs, GulfWriter } from "./writer.js";

/** The answer of a tool to the model, which can correct its call by the error. */
export type GulfAnswer = { status: "ok" } | { status: "error"; error: { code: string; message: string } };

export interface GulfTool {
  name: keyof GulfInputs;
  description: string;
  /** A JSON Schema. */
  inputSchema: object;
  /**
   * Writes the line at once. If the runtime also reports the call, its id prevents that the line is written twice. The
   * input is an object or JSON text, in the form of any provider. Never throws.
   */
  execute(input: unknown, call?: { id?: string }): GulfAnswer;
}

/** A call that a runtime reports instead of running the tool. */
export interface GulfToolRequest {
  name: string;
  input?: unknown;
  /** The id of the call. */
  ref?: string;
}

/**
 * A chunk from `generate`: text, or the chunk of a runtime. `toolRequest` and `toolRequests` as in Genkit; `text-delta` and
 * `tool-call` as in the AI SDK; other chunks are ignored. `respond`, if present, receives the answer to a request.
 */
export type GulfChunk =
  | string
  | {
      text?: string;
      toolRequest?: GulfToolRequest;
      toolRequests?: readonly { toolRequest: GulfToolRequest }[];
      content?: readonly { text?: string; toolRequest?: GulfToolRequest }[];
      respond?(answer: GulfAnswer, request: GulfToolRequest): unknown;
    }
  | { type: string; text?: string; toolCallId?: string; toolName?: string; input?: unknown };

/** The kinds of the options that must not be missing. */
const REQUIRED = { generate: FUNCTION, catalog: OBJECT, conversation: LIST };

export interface GulfFlowOptions<Message = unknown> {
  /** Runs the model. The signal is aborted when the client cancels the stream. */
  generate(request: {
    system: string;
    messages: readonly Message[];
    tools: GulfTool[];
    signal: AbortSignal;
  }): AsyncIterable<GulfChunk> | Promise<AsyncIterable<GulfChunk>>;
  /** The client's catalog, a JSON Schema. */
  catalog: object;
  /** The messages so far, as `generate` understands them. */
  conversation: readonly Message[];
  /** Called with each piece of the model's text. */
  onText?: ((text: string) => void) | undefined;
  prompt?: GulfPromptOptions | undefined;
}

/**
 * Lets a model build a surface (seed 003): the stream begins with the header, and has a line for each tool call.
 * The model runs only as fast as the stream is read; cancelling the stream ends it.
 *
 * ```ts
 * const lines = gulfFlow({
 *   catalog,
 *   conversation,
 *   generate: ({ system, messages, tools, signal }) => runModel(system, messages, tools, signal),
 * });
 * return new Response(lines.pipeThrough(new TextEncoderStream()));
 * ```
 * An error of `generate` becomes the stream's error.
 * @throws GenuiPatchError `INVALID_ARGUMENT` for options that are not understood.
 */
export function gulfFlow<Message = unknown>(options: GulfFlowOptions<Message>): ReadableStream<string> {
  requireOptions("gulfFlow", options, { ...REQUIRED, onText: FUNCTION, prompt: ANY });
  const { generate, catalog, conversation, onText, prompt } = options;
  requireKind("gulfFlow", "generate", generate, REQUIRED.generate);
  requireKind("gulfFlow", "catalog", catalog, REQUIRED.catalog);
  requireKind("gulfFlow", "conversation", conversation, REQUIRED.conversation);
  const system = gulfSystemPrompt(catalog, prompt);
  const abortController = new AbortController();
  const writer = new GulfWriter();
  let controller: ReadableStreamDefaultController<string>;
  /** How many lines the calls have written. */
  let lineCount = 0;
  /** The stream has ended, failed, or was cancelled: nothing is written any more. */
  let isClosed = false;
  const runOnce = onlyOnce((name, input) => {
    if (isClosed) return failure("CANCELLED", "The stream is closed.");
    try {
      controller.enqueue(write(writer, name, input));
      lineCount += 1;
      return { status: "ok" };
    } catch (error) {
      if (error instanceof GenuiPatchError) return failure(error.code, error.message);
      return failure("INVALID_MESSAGE", `${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
  const tools = gulfTools.map((tool): GulfTool => {
    // `gulfTools` has these names only.
    const definition = writeMcpTool(tool) as Omit<GulfTool, "execute">;
    return { ...definition, execute: (input, call) => runOnce(RUN, definition.name, input, call?.id).answer };
  });
  /** The requests that were executed: a runtime may pass the same object in several chunks. */
  const executedRequests = new WeakSet<GulfToolRequest>();
  /** `undefined` until the stream is read for the first time: only then the model runs. */
  let chunks: AsyncIterator<GulfChunk> | undefined;

  async function handleChunk(chunk: GulfChunk): Promise<void> {
    const { text, requests = [], respond } = readChunk(chunk);
    if (text) onText?.(text);
    for (const request of requests) {
      if (executedRequests.has(request)) continue;
      executedRequests.add(request);
      const { answer, isAnswered } = runOnce(REPORT, request.name, request.input, request.ref);
      if (!isAnswered) await respond?.(answer, request);
    }
  }

  return new ReadableStream<string>({
    start(streamController) {
      controller = streamController;
      controller.enqueue(writer.streamHeader());
    },
    async pull() {
      try {
        const { signal } = abortController;
        chunks ??= (await generate({ system, messages: conversation, tools, signal }))[Symbol.asyncIterator]();
        // Until a line is written: a stream calls `pull` again only after it has got something.
        for (const countBefore = lineCount; lineCount === countBefore && !isClosed; ) {
          const result = await chunks.next();
          // `cancel` may have been called meanwhile.
          if (isClosed) return;
          isClosed = result.done === true;
          if (result.done) controller.close();
          else await handleChunk(result.value);
        }
      } catch (error) {
        if (isClosed) return;
        isClosed = true;
        controller.error(error);
        abortController.abort(error);
        await chunks?.return?.();
      }
    },
    async cancel(reason) {
      isClosed = true;
      abortController.abort(reason);
      await chunks?.return?.();
    },
  });
}

/** The two sides from which calls come: the runtime runs a tool, or reports a request. Numbers, to count runs less reports. */
const RUN = 1;
const REPORT = -1;

/**
 * Executes each call once, whether the runtime runs the tool, reports the request, or both. Calls are the same if they have the
 * same id; without one, the nth run and the nth report with the same name and input are the same call.
 */
function onlyOnce(run: (name: string, input: unknown) => GulfAnswer) {
  const answersById = new Map<string, GulfAnswer>();
  /** By name and input: how many more times the call was run than reported (negative: fewer), and the last answer. */
  const callsByText = new Map<string, { runsAhead: number; answer: GulfAnswer }>();

  // `isAnswered`: the runtime has got the answer to this id before.
  return (side: typeof RUN | typeof REPORT, name: string, input: unknown, id = "") => {
    const givenAnswer = answersById.get(id);
    if (givenAnswer) return { answer: givenAnswer, isAnswered: true };
    let key: string;
    try {
      key = `${name} ${JSON.stringify(input)}`;
    } catch {
      // The input has a cycle, a BigInt, or a getter that throws.
      const answer = failure("INVALID_ARGUMENT", `${name}: the input is not JSON.`);
      return { answer, isAnswered: false };
    }
    const earlierCall = callsByText.get(key);
    const runsAhead = (earlierCall?.runsAhead ?? 0) + side;
    // The call is new if its side now has it more often than the other side.
    const isNew = runsAhead * side > 0;
    const answer = earlierCall && !isNew ? earlierCall.answer : run(name, input);
    callsByText.set(key, { runsAhead, answer });
    if (isNew && id !== "") answersById.set(id, answer);
    return { answer, isAnswered: false };
  };
}

/** The lines of a model's call. @throws Error */
function write(writer: GulfWriter, name: string, rawInput: unknown): string {
  const tool = gulfTools.find((tool) => tool.name === name);
  if (tool === undefined) {
    const names = gulfTools.map(({ name }) => name).join(", ");
    throw new GenuiPatchError("UNKNOWN_TOOL", `There is no tool "${String(name).slice(0, 60)}"; there are ${names}.`);
  }
  const input = fromFormat(tool.input, typeof rawInput === "string" ? JSON.parse(rawInput) : rawInput);
  // Each method checks its input, whatever it is.
  return writer[tool.name](input as never);
}

type Respond = (answer: GulfAnswer, request: GulfToolRequest) => unknown;

interface ChunkContent {
  text?: string | undefined;
  requests?: readonly GulfToolRequest[];
  respond?: Respond | undefined;
}

/** The text, the requests and the way to answer in a chunk; nothing in a chunk of an unknown type. */
function readChunk(chunk: GulfChunk): ChunkContent {
  if (typeof chunk === "string") return { text: chunk };
  if (typeof chunk !== "object" || chunk === null) return {};
  if ("type" in chunk) {
    const { type, text, toolName, input, toolCallId } = chunk;
    if (type === "text-delta" || type === "text") return { text };
    if (type !== "tool-call" || toolName === undefined) return {};
    return { requests: [{ name: toolName, input, ...(toolCallId !== undefined && { ref: toolCallId }) }] };
  }
  const { text, toolRequest, toolRequests, content } = chunk;
  // Genkit's chunks have getters for text and requests; stored chunks have `content` alone.
  const contents = Array.isArray(content) ? content : [];
  const parts: readonly { toolRequest?: GulfToolRequest }[] = Array.isArray(toolRequests) ? toolRequests : contents;
  const requests = toolRequest ? [toolRequest] : parts.map((part) => part?.toolRequest);
  return {
    text: text ?? contents.map((part) => part?.text ?? "").join(""),
    requests: requests.filter((request) => isObject<unknown>(request)),
    respond: chunk.respond?.bind(chunk),
  };
}

const failure = (code: string, message: string): GulfAnswer => ({ status: "error", error: { code, message } });
