/** `useToolBlocks`: shows a chat answer with its tool blocks while it arrives. */
import { useSyncExternalStore } from "react";
import type { ToolBlockEvent } from "../blocks/types.js";
import { Listeners } from "../core/listeners.js";

type BlockEvent = Extract<ToolBlockEvent, { type: "json-tool-block" }>;

/** A part of the answer. An unchanged part is the same object. */
export type ToolBlockPart =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | {
      readonly type: "block";
      readonly toolId: string;
      readonly toolType: string | null;
      readonly path: string | null;
      readonly status: "buffering" | "complete" | "truncated";
      /** The decoded beginning of the content, if the stream sends deltas. */
      readonly preview: string;
      /** The event of the finished block, with its `call` or `calls`. */
      readonly block?: BlockEvent;
    };

export interface ToolBlocksState {
  readonly parts: readonly ToolBlockPart[];
  readonly status: "idle" | "streaming" | "done" | "failed";
  readonly error?: unknown;
}

/** Adds an event to the parts. */
function addEvent(parts: ToolBlockPart[], event: ToolBlockEvent): void {
  if (event.type === "text" || event.type === "reasoning") {
    const { type, text } = event;
    const last = parts.at(-1);
    if (last?.type === type) parts[parts.length - 1] = { type, text: last.text + text };
    else parts.push({ type, text });
    return;
  }
  // Patches are shown by the store's draft.
  if (event.type === "json-tool-patch") return;
  const { toolId } = event;
  const place = parts.findIndex((part) => part.type === "block" && part.toolId === toolId);
  const found = parts[place];
  const before = found?.type === "block" ? found : undefined;
  const preview = before?.preview ?? "";
  if (event.type === "json-tool-delta") {
    if (before && event.field !== "old_string") parts[place] = { ...before, preview: preview + event.delta };
    return;
  }
  const { status } = event;
  const isWhole = event.type === "json-tool-block";
  // The finished block has all fields itself.
  const known = isWhole ? undefined : before;
  const toolType = event.toolType ?? known?.toolType ?? null;
  const path = event.path ?? known?.path ?? null;
  const part = { type: "block", toolId, toolType, path, status, preview } as const;
  parts[before ? place : parts.length] = isWhole ? { ...part, block: event } : part;
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
  const reader = source ? (readers.get(source) ?? new Reader(source)) : none;
  if (source) readers.set(source, reader);
  // A server does not read the source, so hydration begins without parts.
  return useSyncExternalStore(reader.subscribe, reader.read, none.read);
}

class Reader {
  #source: Source | undefined;
  #state: ToolBlocksState = { parts: [], status: "idle" };
  readonly #listeners = new Listeners<void>();

  constructor(source?: Source) {
    this.#source = source;
  }

  readonly read = (): ToolBlocksState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    const stop = this.#listeners.subscribe(() => listener());
    const source = this.#source;
    this.#source = undefined;
    if (source !== undefined) void this.#follow(source);
    return stop;
  };

  async #follow(source: Source): Promise<void> {
    try {
      for await (const event of iterate(source)) {
        const parts = [...this.#state.parts];
        for (const own of [event].flat()) addEvent(parts, own);
        this.#become({ parts, status: "streaming" });
      }
      this.#become({ parts: this.#state.parts, status: "done" });
    } catch (error) {
      this.#become({ parts: this.#state.parts, status: "failed", error });
    }
  }

  #become(state: ToolBlocksState): void {
    this.#state = state;
    this.#listeners.emit();
  }
}

/** The reader without a source. */
const none = new Reader();

/** Safari's streams cannot be iterated. */
async function* iterate(source: Source): AsyncGenerator<ToolBlockEvent | ToolBlockEvent[]> {
  if (Symbol.asyncIterator in source) {
    yield* source;
    return;
  }
  const reader = (source as ReadableStream<ToolBlockEvent | ToolBlockEvent[]>).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}
