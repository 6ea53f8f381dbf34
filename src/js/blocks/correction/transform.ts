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
  // `correctByModel` reads the block and the answers by these options. The three others are only for streams.
  const { contentDeltas: _, repair: __, patches: ___, ...blockOptions } = streaming;
  requireOptions("toolBlockTransform", { generate, maxAttempts, signal }, CORRECTION);
  // `maxAttempts` and `signal` are options of a correction, which needs `generate`.
  if ((maxAttempts ?? signal) !== undefined) requireKind("toolBlockTransform", "generate", generate, FUNCTION);
  const correct = async (event: ToolBlockEndEvent, signal: AbortSignal): Promise<ToolBlockEvent> => {
    // A report (`NOT_A_CALL`) says that JSON is not executed. There is no block to correct: the JSON is part of the message's
    // text, or of another block.
    if (generate === undefined || isReport(event)) return event;
    const { raw, errors, issues } = event;
    const validation = { isValid: false, errors, issues, jsonStart: 0 };
    const correction = await correctByModel(raw, validation, { generate, maxAttempts, signal }, blockOptions);
    if (!correction.corrected) return event;
    // The calls get the ids of the stream in which the block arrived.
    const withId = (call: ToolCall, index = 0) => ({
      ...call,
      id: index ? `${event.toolId}_${index + 1}` : event.toolId,
    });
    const { call, calls } = correction.report;
    const newCalls = { ...(call && { call: withId(call) }), ...(calls && { calls: calls.map(withId) }) };
    return { ...event, content: correction.content, corrected: true, correctedBy: "model", ...newCalls };
  };
  return pipe(new ToolBlockStream<string>(streaming), correct, signal) as Transform<Name>;
}

/**
 * The two sides of a transform stream: each fails as soon as the other does. A TransformStream notices an abort late, and in some
 * browsers never notices a cancel. A piece is read only while the reader waits for an event.
 */
function pipe(
  stream: ToolBlockStream<string>,
  correct: (event: ToolBlockEndEvent, signal: AbortSignal) => Promise<ToolBlockEvent>,
  signal: AbortSignal | undefined,
): Transform<string> {
  /** Aborted once either side has failed. */
  const stop = new AbortController();
  // Set by the `start` of each side, which its constructor calls.
  let readableSide!: ReadableStreamDefaultController<ToolBlockEvent>;
  let writableSide!: WritableStreamDefaultController;
  let isReaderWaiting = false;
  /** Lets a write go on that waits for the reader. */
  let wake = () => {};

  const release = () => {
    signal?.removeEventListener("abort", failBySignal);
    stream.dispose();
  };
  const failReadable = (reason: unknown) => {
    if (stop.signal.aborted) return;
    stop.abort(reason);
    readableSide.error(reason);
    release();
    wake();
  };
  /** Fails both sides. */
  const fail = (reason: unknown) => {
    failReadable(reason);
    writableSide.error(reason);
  };
  const failBySignal = () => fail(signal?.reason);
  /**
   * Passes events to the reader, and lets the model correct invalid blocks. `events` is called here, so that an exception in it
   * fails both sides.
   */
  const pass = async (events: () => ToolBlockEvent[]) => {
    try {
      stop.signal.throwIfAborted();
      for (const event of events()) {
        const isInvalid = event.type === "json-tool-block" && !event.call && !event.calls;
        const next = isInvalid ? await correct(event, stop.signal) : event;
        stop.signal.throwIfAborted();
        // Before the event is queued, which may call `pull` again.
        isReaderWaiting = false;
        readableSide.enqueue(next);
      }
    } catch (cause) {
      fail(cause);
      throw cause;
    }
  };

  const readable = new ReadableStream<ToolBlockEvent>(
    {
      start(controller) {
        readableSide = controller;
      },
      pull() {
        isReaderWaiting = true;
        wake();
      },
      cancel: fail,
    },
    // Nothing is queued before the reader asks for it.
    { highWaterMark: 0 },
  );
  const writable = new WritableStream<string | Uint8Array>({
    start(controller) {
      writableSide = controller;
      // An abort has failed the writable side already.
      controller.signal.addEventListener("abort", () => failReadable(controller.signal.reason));
    },
    async write(chunk) {
      if (!isReaderWaiting) await new Promise<void>((resolve) => (wake = resolve));
      await pass(() => stream.push(chunk));
    },
    async close() {
      await pass(() => stream.end());
      readableSide.close();
      release();
    },
  });
  signal?.addEventListener("abort", failBySignal);
  if (signal?.aborted) failBySignal();
  return { readable, writable };
}
