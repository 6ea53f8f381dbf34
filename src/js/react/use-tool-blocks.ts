import { useSyncExternalStore } from "react";
import type { ToolBlockEvent } from "../blocks/types.js";
import { Listeners } from "../core/listeners.js";
import { advance, idle, type ToolBlocksState } from "./tool-blocks.js";

/** Events one by one or in lists, as `toolBlockTransform` and `ToolBlockStream.push` give them. */
type Source = ReadableStream<ToolBlockEvent | ToolBlockEvent[]> | AsyncIterable<ToolBlockEvent | ToolBlockEvent[]>;

/** One for each source: a stream can be read once only, however many components show it and however often they mount. */
const readers = new WeakMap<Source, Reader>();

/**
 * A chat answer while it arrives: text and tool blocks in order. `source` is the readable side of `toolBlockTransform()`,
 * or any async iterable of tool block events. It is read from the first mount on, once, whoever shows it; the page
 * that made it cancels it.
 *
 * ```ts
 * const source = useMemo(() => body.pipeThrough(toolBlockTransform()), [body]);
 * const { parts, status } = useToolBlocks(source);
 * ```
 */
export function useToolBlocks(source: Source | null | undefined): ToolBlocksState {
  const reader = source ? (readers.get(source) ?? new Reader(source)) : none;
  if (source) readers.set(source, reader);
  return useSyncExternalStore(reader.subscribe, reader.read, reader.read);
}

class Reader {
  #source: Source | undefined;
  #state: ToolBlocksState = idle;
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
        const { parts } = this.#state;
        this.#become({ parts: advance(parts, Array.isArray(event) ? event : [event]), status: "streaming" });
      }
      this.#become({ parts: this.#state.parts, status: "done" });
    } catch (error) {
      this.#become({ parts: this.#state.parts, status: "failed", error });
    }
  }

  #become(state: ToolBlocksState): void {
    this.#state = state;
    this.#listeners.tell();
  }
}

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
