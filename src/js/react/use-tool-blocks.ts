/** `useToolBlocks`: the text and the tool blocks of a chat answer while it arrives, for a component to render. */
import { useSyncExternalStore } from "react";
import type { ToolBlockEvent } from "../blocks/types.js";
import { Listeners } from "../core/listeners.js";

/** The event of a finished block. */
type BlockEvent = Extract<ToolBlockEvent, { type: "json-tool-block" }>;

/** A part of the answer. An unchanged part is the same object. */
export type ToolBlockPart =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | {
      readonly type: "block";
      /** The id of the block's first call. */
      readonly toolId: string;
      /** The tool as it is written; null while it is unknown, and for a block without one. */
      readonly toolType: string | null;
      /** The path as it is written; null while it is unknown, and for a block without one. */
      readonly path: string | null;
      /** `buffering`: it still arrives. `truncated`: the answer ended inside it, or it is over the limit. */
      readonly status: "buffering" | "complete" | "truncated";
      /** The new text so far, decoded; "" unless the stream sends deltas. */
      readonly preview: string;
      /** The event of the block, with its `call` or `calls`; absent while the block still arrives. */
      readonly block?: BlockEvent;
    };

export interface ToolBlocksState {
  /** Text, reasoning and blocks in the order of the answer. */
  readonly parts: readonly ToolBlockPart[];
  /** `idle`: nothing has arrived, or there is no source. `failed`: the source threw `error`. */
  readonly status: "idle" | "streaming" | "done" | "failed";
  readonly error?: unknown;
}

/**
 * Adds an event to the parts of an answer. Text extends the last part if that has the same type. A block has one part, which is
 * found by its `toolId`: a status event adds or updates it, a delta extends its preview, and the last event adds the finished
 * block.
 */
function addEvent(parts: ToolBlockPart[], event: ToolBlockEvent): void {
  if (event.type === "text" || event.type === "reasoning") {
    const { type, text } = event;
    const lastPart = parts.at(-1);
    if (lastPart?.type === type) parts[parts.length - 1] = { type, text: lastPart.text + text };
    else parts.push({ type, text });
    return;
  }
  // The store shows patches itself, in the draft of the page.
  if (event.type === "json-tool-patch") return;
  const { toolId } = event;
  const foundIndex = parts.findIndex((part) => part.type === "block" && part.toolId === toolId);
  const index = foundIndex < 0 ? parts.length : foundIndex;
  const part = parts[index];
  const earlierPart = part?.type === "block" ? part : undefined;
  const preview = earlierPart?.preview ?? "";
  if (event.type === "json-tool-delta") {
    // `old_string` is the text that an edit replaces: the preview shows the new text.
    if (earlierPart && event.field !== "old_string") parts[index] = { ...earlierPart, preview: preview + event.delta };
    return;
  }
  const { status } = event;
  if (event.type === "json-tool-block") {
    // A tool or a path that is null here is missing in the block, whatever a status event said.
    const { toolType, path } = event;
    parts[index] = { type: "block", toolId, toolType, path, status, preview, block: event };
    return;
  }
  const toolType = event.toolType ?? earlierPart?.toolType ?? null;
  const path = event.path ?? earlierPart?.path ?? null;
  parts[index] = { type: "block", toolId, toolType, path, status, preview };
}

/** Events one by one, or in lists as `ToolBlockStream.push` returns them. */
type Source = ReadableStream<ToolBlockEvent | ToolBlockEvent[]> | AsyncIterable<ToolBlockEvent | ToolBlockEvent[]>;

/** One reader for each source: a stream can be read only once, but several components may show it. */
const readers = new WeakMap<Source, Reader>();

/**
 * A chat answer while it arrives: text and tool blocks in order. `source` is the readable side of `toolBlockTransform()`, or any
 * async iterable of tool block events. It is read once, from the first mount on, also if several components use it. Unmounting
 * does not stop it: the page cancels the source.
 *
 * ```ts
 * const source = useMemo(() => body.pipeThrough(toolBlockTransform()), [body]);
 * const { parts, status } = useToolBlocks(source);
 * ```
 */
export function useToolBlocks(source: Source | null | undefined): ToolBlocksState {
  const reader = source ? (readers.get(source) ?? new Reader(source)) : idle;
  if (source) readers.set(source, reader);
  // A server does not read the source, so hydration begins without parts.
  return useSyncExternalStore(reader.subscribe, reader.read, idle.read);
}

/** Reads a source from the first subscription on, and has the state for React. */
class Reader {
  /** The source until it is read; `undefined` from then on. */
  #source: Source | undefined;
  #state: ToolBlocksState = { parts: [], status: "idle" };
  readonly #listeners = new Listeners<void>();

  constructor(source?: Source) {
    this.#source = source;
  }

  readonly read = (): ToolBlocksState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    const stop = this.#listeners.subscribe(listener);
    const source = this.#source;
    this.#source = undefined;
    if (source !== undefined) void this.#follow(source);
    return stop;
  };

  async #follow(source: Source): Promise<void> {
    try {
      for await (const chunk of iterate(source)) {
        const parts = [...this.#state.parts];
        for (const event of [chunk].flat()) addEvent(parts, event);
        this.#setState({ parts, status: "streaming" });
      }
      this.#setState({ parts: this.#state.parts, status: "done" });
    } catch (error) {
      this.#setState({ parts: this.#state.parts, status: "failed", error });
    }
  }

  #setState(state: ToolBlocksState): void {
    this.#state = state;
    this.#listeners.emit();
  }
}

/** The reader without a source, whose state never changes. */
const idle = new Reader();

/** The items of a source. Safari's streams have no async iterator, so they are read by a reader. */
async function* iterate(source: Source): AsyncGenerator<ToolBlockEvent | ToolBlockEvent[]> {
  if (Symbol.asyncIterator in source) {
    yield* source;
    return;
  }
  const reader = (source as ReadableStream<ToolBlockEvent | ToolBlockEvent[]>).getReader();
  for (let result = await reader.read(); !result.done; result = await reader.read()) yield result.value;
}
