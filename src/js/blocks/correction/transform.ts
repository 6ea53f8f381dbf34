/** A stream of tool blocks between two streams, and a model that corrects what is wrong on the way. */
import { FUNCTION, OBJECT, requireKind, requireOptions } from "../../core/require.js";
import { isReport, ToolBlockStream } from "../stream.js";
import type { ToolBlockEndEvent, ToolBlockEvent, ToolBlockTransformOptions, ToolCall } from "../types.js";
import { CORRECTION, correctByModel } from "./correct.js";

type Transform<Name extends string> = TransformStream<string | Uint8Array, ToolBlockEvent<Name>>;

/**
 * A {@link ToolBlockStream} as a transform stream: pieces of a message in, events out. With `generate` a block that the
 * rules cannot mend waits until the model has corrected it, and what follows waits with it, so that the order stays.
 *
 * ```ts
 * const events = body.pipeThrough(toolBlockTransform({ generate }));
 * await events.pipeTo(new WritableStream({ write: show }));
 * ```
 * Cancelling the readable side, aborting the writable side, or the signal breaks off what the model is asked.
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

/** The two sides. A TransformStream would learn late of an abort, and in some browsers never of a cancel. */
function pipe(
  stream: ToolBlockStream<string>,
  correct: (event: ToolBlockEndEvent, signal: AbortSignal) => Promise<ToolBlockEvent>,
  signal: AbortSignal | undefined,
): Transform<string> {
  const stop = new AbortController();
  let out!: ReadableStreamDefaultController<ToolBlockEvent>;
  let into!: WritableStreamDefaultController;
  /** Whether someone waits for events; pieces are taken only then. */
  let wanted = false;
  let wake = () => {};

  const settle = () => {
    signal?.removeEventListener("abort", fromSignal);
    stream.dispose();
  };
  const breakOff = (reason: unknown) => {
    if (stop.signal.aborted) return;
    stop.abort(reason);
    out.error(reason);
    settle();
    wake();
  };
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
