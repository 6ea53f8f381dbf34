/** A chat text with its tool blocks, as it stands: what the events of a stream have come to so far. */
import type { ToolBlockEvent } from "../blocks/types.js";

type BlockEvent = Extract<ToolBlockEvent, { type: "json-tool-block" }>;

/** A piece of the chat, in order. A part that has not changed is the same object. */
export type ToolBlockPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "block";
      readonly toolId: string;
      readonly toolType: string | null;
      readonly path: string | null;
      readonly status: "buffering" | "complete" | "truncated";
      /** What has been decoded of the content, where the stream sends deltas. */
      readonly preview: string;
      /** The finished block: act on its `call` or `calls`. */
      readonly block?: BlockEvent;
    };

/** What `useToolBlocks` gives. */
export interface ToolBlocksState {
  readonly parts: readonly ToolBlockPart[];
  readonly status: "idle" | "streaming" | "done" | "failed";
  /** What the source failed with. */
  readonly error?: unknown;
}

export const idle: ToolBlocksState = { parts: [], status: "idle" };

/** The parts after further events. */
export function advance(parts: readonly ToolBlockPart[], events: readonly ToolBlockEvent[]): readonly ToolBlockPart[] {
  if (events.length === 0) return parts;
  const next = [...parts];
  for (const event of events) take(next, event);
  return next;
}

function take(parts: ToolBlockPart[], event: ToolBlockEvent): void {
  if (event.type === "text") {
    const last = parts.at(-1);
    if (last?.type === "text") parts[parts.length - 1] = { type: "text", text: last.text + event.text };
    else parts.push({ type: "text", text: event.text });
    return;
  }
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
  const known = isWhole ? undefined : before;
  const toolType = event.toolType ?? known?.toolType ?? null;
  const path = event.path ?? known?.path ?? null;
  const part = { type: "block", toolId, toolType, path, status, preview } as const;
  parts[before ? place : parts.length] = isWhole ? { ...part, block: event } : part;
}
