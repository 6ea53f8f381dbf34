/** `toolBlockTransform`: a `ToolBlockStream` as a transform stream, in which a model corrects invalid blocks. */
import { FUNCTION, OBJECT, requireKind, requireOptions } from "../../core/require.js";
import { isReport, ToolBlockStream } from "../stream.js";
import type { ToolBlockEndEvent, ToolBlockEvent, ToolBlockTransformOptions, ToolCall } from "../types.js";
import { CORRECTION, correctByModel } from "./correct.js";

type Transform<Name extends string> = TransformStream<string | Uint8Array, ToolBlockEvent<Name>>;

/**
 * A {@link ToolBlockStream} as a transform stream: pieces of a message in, events out. With `generate`, a block that the
 * repair cannot correct waits for the model. All text after it waits too, so that the order of events stays.
 *
 * ```ts
 * const events = body.pipeThrough(toolBlockTransform({ generate }));
 * await events.pipeTo(new WritableStream({ write: show }));
 * ```
 * Cancelling the readable side, aborting the writable side or aborting the signal ends the request to the model.
 */
export function toolBlockTransform<Name extends string = never>(
  options: ToolBlockTransformOptions<Name> = {},
): Transform<Name> {
  requireKind("toolBlockTransform", "options", options, OBJECT);
  const { generate, maxAttempts, signal, ...streaming } = options;
  const { contentDeltas: _, repair: __, patches: ___, ...reading } = streaming;
  requireOptions("toolBlockTransform", { generate, maxAttempts, signal }, CORRECTION);
  if ((maxAttempts ?? signal) !== undefined) requireKind("toolBlockTransform", "generate", generate, FUNCTION);
  const correct = async (event: ToolBlockEndEvent, signal: AbortSignal): Promise<ToolBlockEvent> => {
    // A report is not a block of its own, or depends on a broken block before it.
    if (generate === undefined || isReport(event)) return event;
    const { raw, errors, issues } = event;
    const report = { isValid: false, errors, issues, jsonStart: 0 };
    const found = await correctByModel(raw, report, { generate, maxAttempts, signal }, reading);
    if (!found.corrected) return event;
    // The calls get the ids of the stream in which the block arrived.
    const withId = (call: ToolCall, index = 0) => ({
      ...call,
      id: index ? `${event.toolId}_${index + 1}` : event.toolId,
    });
    const { call, calls } = found.report;
    const news = { ...(call && { call: withId(call) }), ...(calls && { calls: calls.map(withId) }) };
    return { ...event, content: found.content, corrected: true, correctedBy: "model", ...news };
  };
  return pipe(new ToolBlockStream<string>(streaming), correct, signal) as Transform<Name>;
}

/** Connects the two sides. A TransformStream notices an abort late, and in some browsers never notices a cancel. */
function pipe(
  stream: ToolBlockStream<string>,
  correct: (event: ToolBlockEndEvent, signal: AbortSignal) => Promise<ToolBlockEvent>,
  signal: AbortSignal | undefined,
): Transform<string> {
  const stop = new AbortController();
  let out!: ReadableStreamDefaultController<ToolBlockEvent>;
  let into!: WritableStreamDefaultController;
  /** Whether the reader waits for an event: the next piece is read only then. */
  let wanted = false;
  let wake = () => {};

  const settle = () => {
    signal?.removeEventListener("abort", fromSignal);
    stream.dispose();
  };
  /** Fails the readable side. */
  const breakOff = (reason: unknown) => {
    if (stop.signal.aborted) return;
    stop.abort(reason);
    out.error(reason);
    settle();
    wake();
  };
  /** Fails both sides. */
  const fail = (reason: unknown) => {
    breakOff(reason);
    into.error(reason);
  };
  const fromSignal = () => fail(signal?.reason);
  const pass = async (events: () => ToolBlockEvent[]) => {
    try {
      stop.signal.throwIfAborted();
      for (const event of events()) {
        const isBad = event.type === "json-tool-block" && !event.call && !event.calls;
        const next = isBad ? await correct(event, stop.signal) : event;
        stop.signal.throwIfAborted();
        wanted = false;
        out.enqueue(next);
      }
    } catch (cause) {
      fail(cause);
      throw cause;
    }
  };

  const readable = new ReadableStream<ToolBlockEvent>(
    {
      start(controller) {
        out = controller;
      },
      pull() {
        wanted = true;
        wake();
      },
      cancel: fail,
    },
    { highWaterMark: 0 },
  );
  const writable = new WritableStream<string | Uint8Array>({
    start(controller) {
      into = controller;
      // The writable side fails by itself here.
      controller.signal.addEventListener("abort", () => breakOff(controller.signal.reason));
    },
    async write(chunk) {
      if (!wanted) await new Promise<void>((resolve) => (wake = resolve));
      await pass(() => stream.push(chunk));
    },
    async close() {
      await pass(() => stream.end());
      out.close();
      settle();
    },
  });
  signal?.addEventListener("abort", fromSignal);
  if (signal?.aborted) fromSignal();
  return { readable, writable };
}
