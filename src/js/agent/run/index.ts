/** `runAgent`: asks a model, executes its calls and sends it the results, until it answers without a call. */
import { NativeCallStream } from "../../blocks/native/index.js";
import { ToolBlockStream } from "../../blocks/stream.js";
import type { ToolBlockEvent } from "../../blocks/types.js";
import { unlessAborted } from "../../core/abort.js";
import { misuse } from "../../core/errors.js";
import { isObject, isText } from "../../core/kinds.js";
import { type ArgumentKind, FUNCTION, LIST, oneOf, requireKind, requireOptions } from "../../core/require.js";
import type { AgentResult, AgentTools } from "../types.js";
import { chunksOf, refusalOf } from "./answer.js";
import {
  type Assembler,
  type Chunk,
  membersOf,
  type NativeCall,
  nativeCall,
  PROVIDERS,
  type Provider,
  withTextBefore,
} from "./providers.js";
import type {
  FailedRequest,
  RunAgentOptions,
  RunAnswer,
  RunEvent,
  RunFormat,
  RunMessage,
  RunResult,
  TokenUsage,
} from "./types.js";

/** The default of `maxRounds`. */
const MAX_ROUNDS = 8;
/** How many times a failed request is sent again without `onRetry`. */
const RETRIES = 2;

/** One of the agent's methods is enough to tell it from other objects. */
const AGENT: ArgumentKind = [
  "what agentTools returns",
  (value) => isObject(value) && typeof value.executeBlock === "function",
];
const SIGNAL: ArgumentKind = ["an AbortSignal", (value) => isObject(value) && "aborted" in value];
const ROUNDS: ArgumentKind = ["a whole number from 1", (value) => Number.isSafeInteger(value) && Number(value) > 0];
const OPTIONS = {
  agent: AGENT,
  messages: LIST,
  send: FUNCTION,
  format: /* @__PURE__ */ oneOf(...Object.keys(PROVIDERS)),
  signal: SIGNAL,
  onEvent: FUNCTION,
  maxRounds: ROUNDS,
  onRetry: FUNCTION,
};

/**
 * Runs an agent's loop: sends the conversation to the model, reads the answer while it streams, executes its calls (native
 * ones and tool blocks in the text, also both in one answer), sends the results, and goes on until the model answers without
 * a call. Nothing is approved here: calls that need the user become proposals, and the model reads that they wait.
 *
 * ```ts
 * const { status, messages } = await runAgent({
 *   agent,
 *   format: "openai",
 *   messages: [{ role: "user", content: "Build a contact form." }],
 *   send: (messages, tools, { signal }) =>
 *     fetch("/api/chat", { method: "POST", signal, body: JSON.stringify({ messages, tools, stream: true }) }),
 *   onEvent: (event) => event.type === "text" && show(event.text),
 * });
 * ```
 * A failed request, a broken answer and an aborted signal are results, not exceptions: see {@link RunResult}. It throws a
 * `GenuiPatchError` for wrong options, and what `onEvent` throws.
 */
export async function runAgent(options: RunAgentOptions): Promise<RunResult> {
  requireOptions("runAgent", options, OPTIONS);
  for (const required of ["agent", "messages", "send"] as const)
    requireKind("runAgent", required, options[required], OPTIONS[required]);
  if (options.messages.length === 0) throw misuse("runAgent: the messages are empty; pass at least the user's.");
  return new Run(options).start();
}

/** An exception of `onEvent`, which `runAgent` throws again. */
class ListenerError extends Error {}

/** Thrown to end a run before the model is done. */
class EarlyEnd extends Error {
  constructor(
    readonly status: "aborted" | "error",
    /** The error for `RunResult`; absent for "aborted". */
    cause?: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause ?? status), { cause });
  }
}

/** The result of one answer of the model. */
interface AnswerOutcome {
  /** The results of its calls, in order. */
  results: AgentResult[];
  /** The provider cut the answer off, e.g. at the limit of tokens. */
  isCut: boolean;
}

/** One call of `runAgent`. */
class Run {
  readonly #agent: AgentTools;
  readonly #options: RunAgentOptions;
  readonly #format: RunFormat;
  readonly #provider: Provider;
  /** Aborts with the signal of the options. */
  readonly #abort = new AbortController();
  /** The conversation; grows with each round. */
  readonly #messages: RunMessage[];
  /** The results of the calls of all rounds. */
  readonly #results: AgentResult[] = [];
  readonly #usage: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  /** The text of the last answer. */
  #text = "";
  /** The number of rounds so far. A round is a request to the model and its answer. */
  #rounds = 0;

  constructor(options: RunAgentOptions) {
    this.#options = options;
    this.#agent = options.agent;
    this.#format = options.format ?? "openai";
    this.#provider = PROVIDERS[this.#format];
    this.#messages = [...options.messages];
  }

  async start(): Promise<RunResult> {
    const { signal } = this.#options;
    const abort = () => this.#abort.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    try {
      this.#prepare();
      return this.#result(await this.#loop());
    } catch (cause) {
      if (!(cause instanceof EarlyEnd)) throw cause instanceof ListenerError ? cause.cause : cause;
      return { ...this.#result(cause.status), ...(cause.status === "error" && { error: toError(cause.cause) }) };
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** Puts the description of the tools and the user's decisions where the model reads them. */
  #prepare(): void {
    if (this.#format === "text" && this.#messages[0]?.role !== "system")
      this.#messages.unshift({ role: "system", content: this.#agent.prompt() });
    const decisions = this.#agent.decisions();
    if (decisions === "") return;
    const last = this.#messages.at(-1);
    // `decisions` ends with a blank line, since it goes before the text of the user's last message. In a message with results of
    // calls, providers require the results to be first, so the decisions become a message after it.
    if (last?.role === "user" && !hasResults(last)) this.#messages.splice(-1, 1, withTextBefore(last, decisions));
    else this.#add(this.#provider.userMessage(decisions.trimEnd()));
  }

  /** Asks the model until an answer has no calls: while there are results, the model has to read them. */
  async #loop(): Promise<RunResult["status"]> {
    const { maxRounds = MAX_ROUNDS } = this.#options;
    while (this.#rounds < maxRounds) {
      this.#rounds += 1;
      this.#emit({ type: "round", round: this.#rounds });
      const { results, isCut } = await this.#round();
      if (results.length > 0) continue;
      if (isCut) return "truncated";
      return this.#pending().length > 0 ? "pending" : "done";
    }
    return "max-rounds";
  }

  /** One request, and its answer: executes the calls, and adds the answer and the results to the conversation. */
  async #round(): Promise<AnswerOutcome> {
    const answer = await this.#request();
    const reader = new AnswerReader(this.#agent, this.#provider, this.#abort.signal, (event) => this.#emit(event));
    try {
      return await reader.read(answer);
    } finally {
      // Calls that were executed before an error or an abort stay in the conversation, with their results.
      this.#results.push(...reader.results);
      this.#text = reader.text;
      for (const message of reader.messages()) this.#add(message);
      this.#count(reader.usage);
    }
  }

  /** Sends the request, and sends it again if it has failed before anything of the answer arrived. */
  async #request(): Promise<RunAnswer> {
    for (let attempt = 1; ; attempt++) {
      this.#stopIfAborted();
      const outcome = await this.#attempt(attempt);
      if ("answer" in outcome) return outcome.answer;
      this.#stopIfAborted();
      // Milliseconds, or `false` for no further attempt.
      const delay = await (this.#options.onRetry ?? defaultDelay)(outcome);
      if (delay === false) throw new EarlyEnd("error", outcome.error);
      this.#emit({ type: "retry", delay, ...outcome });
      await pause(delay, this.#abort.signal);
    }
  }

  /** Sends the request once. `attempt` counts from 1. A response with the status of an error is a failed request too. */
  async #attempt(attempt: number): Promise<{ answer: RunAnswer } | FailedRequest> {
    const { send } = this.#options;
    const { signal } = this.#abort;
    try {
      const answer = await send([...this.#messages], this.#provider.tools(this.#agent), {
        signal,
        round: this.#rounds,
      });
      const refusal = await refusalOf(answer);
      return refusal === undefined ? { answer } : { ...refusal, attempt };
    } catch (cause) {
      // The errors of providers' own clients have the status of the response.
      const { status } = membersOf(cause);
      return { error: toError(cause), attempt, ...(typeof status === "number" && { status }) };
    }
  }

  /** Adds the tokens of a round. */
  #count(usage: TokenUsage): void {
    if (usage.inputTokens === 0 && usage.outputTokens === 0) return;
    this.#usage.inputTokens += usage.inputTokens;
    this.#usage.outputTokens += usage.outputTokens;
    this.#emit({ type: "usage", round: this.#rounds, ...usage });
  }

  #add(message: RunMessage): void {
    this.#messages.push(message);
    this.#emit({ type: "message", message });
  }

  /** @throws ListenerError for an exception of the listener, so that `runAgent` can tell it from errors of the model. */
  #emit(event: RunEvent): void {
    try {
      this.#options.onEvent?.(event);
    } catch (cause) {
      throw new ListenerError("onEvent threw", { cause });
    }
  }

  #stopIfAborted(): void {
    if (this.#abort.signal.aborted) throw new EarlyEnd("aborted");
  }

  /** The proposals of this run that still wait for the user. */
  #pending() {
    return this.#results.flatMap(({ proposal }) => (proposal?.status === "pending" ? [proposal] : []));
  }

  #result(status: RunResult["status"]): RunResult {
    return {
      status,
      messages: this.#messages,
      text: this.#text,
      results: this.#results,
      pending: this.#pending(),
      rounds: this.#rounds,
      usage: this.#usage,
    };
  }
}

/** Reads one answer of the model and executes its calls in the order in which they end. Used once: `read`, then `messages`. */
class AnswerReader {
  /** The results of all calls so far, native or not. */
  readonly results: AgentResult[] = [];
  readonly usage: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  /** The text so far, without tool blocks. */
  text = "";
  /** Finds the calls in the text. */
  readonly #blocks: ToolBlockStream<string>;
  /** Reads the native calls; `undefined` for the format "text". */
  readonly #native: NativeCallStream<string> | undefined;
  readonly #assembler: Assembler;
  /** The native calls with their results: providers require that each call in the conversation has its result. */
  readonly #answered: { call: NativeCall; results: AgentResult[] }[] = [];
  /** The results of calls in the text. */
  readonly #blockResults: AgentResult[] = [];
  /** The ids of calls that the provider executes itself. */
  readonly #foreign = new Set<unknown>();
  /** Aborts when the answer is over: complete, cut off, failed or aborted. */
  readonly #over = new AbortController();
  /** The provider has cut the answer off, e.g. at the limit of tokens. */
  #isCut = false;
  /** The answer had at least one chunk of the provider's format. */
  #isRecognized = false;

  constructor(
    readonly agent: AgentTools,
    readonly provider: Provider,
    readonly signal: AbortSignal,
    readonly emit: (event: RunEvent) => void,
  ) {
    const options = { tools: agent.blocks, patches: true };
    this.#blocks = new ToolBlockStream(options);
    this.#native = provider.native && new NativeCallStream({ format: provider.native, ...options });
    this.#assembler = provider.assembler();
  }

  /** Reads the answer to its end. @throws EarlyEnd, ListenerError. What was read before stays in the fields. */
  async read(answer: RunAnswer): Promise<AnswerOutcome> {
    try {
      const isPlainText = this.provider.native === undefined;
      const chunks = chunksOf(answer, isPlainText, this.signal);
      for await (const chunk of untilAborted(chunks, this.signal)) await this.#chunk(chunk);
      if (this.signal.aborted) throw new EarlyEnd("aborted");
      await this.#handle(this.#blocks.end({ complete: !this.#isCut }), "text");
      await this.#handle(this.#native?.end() ?? [], "native");
    } catch (cause) {
      if (this.signal.aborted) throw new EarlyEnd("aborted");
      throw cause instanceof EarlyEnd || cause instanceof ListenerError ? cause : new EarlyEnd("error", cause);
    } finally {
      // Drafts of calls whose rest will not arrive are discarded.
      this.#over.abort();
      this.#blocks.dispose();
      this.#native?.dispose();
    }
    if (!this.#isRecognized)
      throw new EarlyEnd("error", new Error("The answer of the model has no chunk of this format."));
    return { results: this.results, isCut: this.#isCut };
  }

  /**
   * The model's answer, with its native calls that have results, then the messages with the results. Results of native calls are in
   * the provider's form, those of calls in the text are messages of the user.
   */
  messages(): RunMessage[] {
    const { agent, provider } = this;
    const messages = this.#assembler.messages(this.#answered.map(({ call }) => call));
    const native = this.#answered.flatMap(({ results }) => results);
    if (native.length > 0) messages.push(...agent.reply(native, provider.reply));
    for (const { content } of agent.reply(this.#blockResults, "text")) messages.push(provider.userMessage(content));
    return messages;
  }

  /** Handles one chunk: text, for the format "text", or an object of the provider. Ignores any other value. */
  async #chunk(chunk: unknown): Promise<void> {
    if (isText(chunk)) {
      this.#isRecognized = true;
      const noChunk = {};
      this.#assembler.add(noChunk, { text: chunk });
      return this.#handle(this.#blocks.push(chunk), "text");
    }
    if (!isObject(chunk)) return;
    const content = this.provider.read(chunk);
    this.#isRecognized ||= this.provider.isChunk(chunk);
    if (content.error !== undefined) throw new EarlyEnd("error", new Error(content.error));
    // Providers count tokens from the beginning of the answer, so later counts replace earlier ones.
    Object.assign(this.usage, content.usage);
    this.#isCut ||= content.isCut === true;
    if (content.reasoning) this.emit({ type: "reasoning", text: content.reasoning });
    this.#assembler.add(chunk, content);
    if (content.text) await this.#handle(this.#blocks.push(content.text), "text");
    if (!this.#isForeign(chunk)) await this.#handle(this.#native?.push(chunk) ?? [], "native");
  }

  /**
   * Whether a chunk is about a call that the provider executes itself. Only the first chunk of such a call says so; the others have
   * the same `id` or `toolCallId`.
   */
  #isForeign({ toolCallId, id = toolCallId, providerExecuted }: Chunk): boolean {
    if (providerExecuted === true) this.#foreign.add(id);
    return this.#foreign.has(id);
  }

  /** Emits events, and executes the calls that they complete. `source`: whether these are native calls or calls in the text. */
  async #handle(events: readonly ToolBlockEvent<string>[], source: "native" | "text"): Promise<void> {
    for (const event of events) {
      if (event.type === "text") this.text += event.text;
      this.emit(event);
      if (this.signal.aborted) throw new EarlyEnd("aborted");
      // A patch opens a draft, which must be discarded when the answer is over.
      const signal = event.type === "json-tool-patch" ? this.#over.signal : this.signal;
      const results = await this.agent.executeBlock(event, { signal });
      if (results.length === 0) continue;
      this.results.push(...results);
      if (source === "text") this.#blockResults.push(...results);
      else if (event.type === "json-tool-block") this.#answered.push({ call: nativeCall(event), results });
      for (const result of results) this.emit({ type: "result", result });
    }
  }
}

/** Whether a user's message begins with results of calls: of Anthropic, or of Gemini. */
function hasResults({ content, parts }: RunMessage): boolean {
  const [firstPart] = Array.isArray(content) ? content : Array.isArray(parts) ? parts : [];
  return isObject(firstPart) && (firstPart.type === "tool_result" || "functionResponse" in firstPart);
}

const toError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

/** The chunks until the signal is aborted, also while the next one is awaited. */
async function* untilAborted(
  chunks: AsyncGenerator<unknown, void>,
  signal: AbortSignal,
): AsyncGenerator<unknown, void> {
  const end: IteratorResult<unknown, void> = { done: true, value: undefined };
  try {
    while (!signal.aborted) {
      const next = await unlessAborted(chunks.next(), signal, () => end);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited: a source that hangs would never let the run end.
    chunks.return().catch(() => undefined);
  }
}

/**
 * The milliseconds until the next attempt, for an error that may be temporary: those that the server asks for, else 500, then 1000.
 * `false` for other errors, and after the last attempt.
 */
function defaultDelay({ status, attempt, retryAfter }: FailedRequest): number | false {
  const mayPass = status === undefined || status === 408 || status === 429 || status >= 500;
  return mayPass && attempt <= RETRIES ? (retryAfter ?? 250 * 2 ** attempt) : false;
}

/** Waits `delay` milliseconds, or until the signal is aborted. */
function pause(delay: number, signal: AbortSignal): Promise<void> {
  const wait = new Promise<void>((resolve) => setTimeout(resolve, delay));
  return unlessAborted(wait, signal, () => undefined);
}
