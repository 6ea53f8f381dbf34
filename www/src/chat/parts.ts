/** The parts of the chat panel, from a stream's events. Unchanged parts stay the same objects. */
import type { ToolBlockEndEvent, ToolBlockEvent, ToolDeltaEvent, ToolStatusEvent } from "genui-patch";

interface TextPart {
  kind: "text";
  id: string;
  text: string;
}

interface ReasoningPart {
  kind: "reasoning";
  id: string;
  text: string;
}

/** A text that arrives inside a block. */
export interface LiveText {
  index: number;
  field: ToolDeltaEvent["field"];
  text: string;
}

export interface BlockPart {
  kind: "block";
  id: string;
  status: ToolStatusEvent | undefined;
  live: readonly LiveText[];
  /** There once the block is over. */
  end: ToolBlockEndEvent | undefined;
}

/** A decision on a node, shown between the parts of an answer. */
export interface NotePart {
  kind: "note";
  id: string;
  nodeId: string;
  text: string;
}

export type Part = TextPart | ReasoningPart | BlockPart | NotePart;

/** The texts of a block: as they arrived, or after its repair. */
export function textsOf({ live, end }: BlockPart): readonly LiveText[] {
  if (!end?.corrected) return live;
  return (end.calls ?? (end.call ? [end.call] : [])).flatMap(({ content, search_replace }, index) => [
    ...(content === undefined ? [] : [{ index, field: "content" as const, text: content }]),
    ...(search_replace === undefined
      ? []
      : (["old_string", "new_string"] as const).map((field) => ({ index, field, text: search_replace[field] }))),
  ]);
}

/** The parts after some more events. */
export function addEvents(parts: readonly Part[], events: readonly ToolBlockEvent[]): readonly Part[] {
  if (events.length === 0) return parts;
  const next = [...parts];
  for (const event of events) addEvent(next, event);
  return next;
}

/** The parts with a note below them. */
export const addNote = (parts: readonly Part[], nodeId: string, text: string): readonly Part[] => [
  ...parts,
  { kind: "note", id: `note-${parts.length}`, nodeId, text },
];

function addEvent(parts: Part[], event: ToolBlockEvent): void {
  // Text that was being written when a note came continues above the note.
  let at = parts.length - 1;
  while (parts[at]?.kind === "note") at--;
  const last = parts[at];
  if (event.type === "text" || event.type === "reasoning") {
    const { type: kind, text } = event;
    if (last?.kind === kind) parts[at] = { ...last, text: last.text + text };
    else parts.push({ kind, id: `${kind}-${parts.length}`, text });
    return;
  }
  // A block is the last part until its end. It may hold several calls, each with an id of its own.
  const open = last?.kind === "block" && last.end === undefined ? last : undefined;
  const block = open ?? { kind: "block", id: `block-${parts.length}`, status: undefined, live: [], end: undefined };
  parts[open ? at : parts.length] = follow(block, event);
}

function follow(block: BlockPart, event: Exclude<ToolBlockEvent, { type: "text" | "reasoning" }>): BlockPart {
  switch (event.type) {
    case "json-tool-status":
      return { ...block, status: event };
    case "json-tool-delta":
      return { ...block, live: addDelta(block.live, event) };
    case "json-tool-patch":
      return block;
    case "json-tool-block":
      return { ...block, end: event };
  }
}

function addDelta(live: readonly LiveText[], { index, field, delta }: ToolDeltaEvent): readonly LiveText[] {
  const last = live.at(-1);
  if (last?.index === index && last.field === field)
    return [...live.slice(0, -1), { ...last, text: last.text + delta }];
  return [...live, { index, field, text: delta }];
}
