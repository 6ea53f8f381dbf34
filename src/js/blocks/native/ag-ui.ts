/**
 * Reads the tool calls in AG-UI's events: with a start and an end, or in chunks. Sources: "Streaming" and "Subagents" of the
 * specification of AG-UI 1.0, and `chunks/transform` of `@ag-ui/client`.
 */
import { parseJson } from "../../core/json.js";
import { isText } from "../../core/kinds.js";
import { begin, type CallStep, type Chunk, end, more, type Reader, toChunk, toKey, toName } from "./steps.js";

/**
 * The events that close the item that their lane assembles from chunks. RAW, ACTIVITY_*, REASONING_ENCRYPTED_VALUE,
 * SUBAGENT_STARTED and the events of later versions close nothing. THINKING_* are the REASONING_* of AG-UI before 0.0.46.
 */
const CLOSES_LANE = new Set(
  [
    "TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END",
    "TOOL_CALL_RESULT STATE_SNAPSHOT STATE_DELTA STEP_STARTED STEP_FINISHED CUSTOM REASONING_START REASONING_END",
    "REASONING_MESSAGE_START REASONING_MESSAGE_CONTENT REASONING_MESSAGE_END THINKING_START THINKING_END",
    "THINKING_TEXT_MESSAGE_START THINKING_TEXT_MESSAGE_CONTENT THINKING_TEXT_MESSAGE_END",
  ].flatMap((types) => types.split(" ")),
);

const CALL_CHUNK = "TOOL_CALL_CHUNK";

/** The item that a lane assembles from chunks: a call, or a message, whose content does not matter here. */
interface OpenItem {
  /** The type of its chunks. */
  kind: string;
  /** The id of the call or the message; `undefined` if its chunks have none. */
  id: string | undefined;
  /** The name of a call's tool, as its first chunk has it; `undefined` without one. */
  tool: unknown;
  /** The `parentMessageId` of its first chunk. */
  parent: unknown;
  /** The key of a call in the steps that the reader returns. */
  key: string;
}

/**
 * Returns the reader of one stream. A *lane* is the sequence of events of one sender: a subagent, or the parent agent, whose
 * lane has the name `undefined`. A lane assembles one item at a time. A chunk that contradicts the beginning of its call, or that
 * may belong to several calls, cuts those calls off, and so does an event that contradicts the start of its call.
 */
export function agUiReader(): Reader {
  /** The open item of each lane that has one. */
  const lanes = new Map<string | undefined, OpenItem>();
  /** By id: the sender of each call between start and end; `undefined` is the parent agent, `null` is unknown. */
  const senders = new Map<string | undefined, string | null | undefined>();
  /** By id: the arguments of each call so far. A call that starts again continues them, unless they are already complete JSON. */
  const texts = new Map<string | undefined, string>();
  /** By id: the key in the steps of each call that has started again. */
  const restartKeys = new Map<string | undefined, string>();

  /** Ends the open item of a lane. `cut`: the rest of the item does not arrive, so a call is cut off. */
  const close = (lane: string | undefined, { cut } = { cut: false }): CallStep[] => {
    const item = lanes.get(lane);
    lanes.delete(lane);
    return item?.kind === CALL_CHUNK ? [{ do: "end", key: item.key, cut }] : [];
  };
  const closeAll = (options?: { cut: boolean }) => [...lanes.keys()].flatMap((lane) => close(lane, options));

  /** Reads a chunk: finds its lane, then continues the open item of the lane, or closes it and begins the next one. */
  const chunk = (kind: string, event: Chunk): CallStep[] => {
    const { toolCallId, messageId, toolCallName, parentMessageId, subagentRunId, delta } = event;
    const id = toKey(kind === CALL_CHUNK ? toolCallId : messageId);
    const sender = toKey(subagentRunId);
    const lanesOfKind = [...lanes].filter(([, item]) => item.kind === kind);
    // A chunk belongs to the lane whose open item has its id, else to the lane of its sender. Without an id and a sender it
    // belongs to the parent agent's open item of its kind, or else to the only open item of that kind.
    let lane = sender;
    const entryWithId = id === undefined ? undefined : lanesOfKind.find(([, item]) => item.id === id);
    if (entryWithId) {
      [lane] = entryWithId;
      if (sender !== undefined && sender !== lane) return close(lane, { cut: true });
    } else if (id === undefined && sender === undefined && lanes.get(undefined)?.kind !== kind) {
      if (lanesOfKind.length > 1) return lanesOfKind.flatMap(([owner]) => close(owner, { cut: true }));
      lane = lanesOfKind[0]?.[0];
    }
    const item = lanes.get(lane);
    const tool = toName(toolCallName);
    if (item?.kind === kind && (id === undefined || id === item.id)) {
      const contradicts = (value: unknown, first: unknown) => value !== undefined && value !== null && value !== first;
      // Without ids, a name may begin the next call of the lane: `NativeCallStream` decides that.
      const mayBeNext = id === undefined && item.id === undefined;
      if (!mayBeNext && (contradicts(tool, item.tool) || contradicts(parentMessageId, item.parent)))
        return close(lane, { cut: true });
      if (kind !== CALL_CHUNK) return [];
      return [...(mayBeNext ? begin(item.key, id, tool) : []), ...more(item.key, delta)];
    }
    const closingSteps = close(lane);
    // The arguments of an unknown call are ignored. A call begins with its id, or its name if the server sends no ids.
    if (kind === CALL_CHUNK && id === undefined && tool === undefined) return closingSteps;
    const key = id === undefined ? `lane:${lane ?? ""}` : `chunk:${id}`;
    lanes.set(lane, { kind, id, tool, parent: parentMessageId, key });
    return kind === CALL_CHUNK ? [...closingSteps, ...begin(key, id, tool), ...more(key, delta)] : closingSteps;
  };

  return (event) => {
    const { type, toolCallId, toolCallName, delta, subagentRunId, parentMessageId, outcome } = event;
    const lane = toKey(subagentRunId);
    const id = toKey(toolCallId);
    const key = restartKeys.get(id) ?? id;
    /** Ends the open item of the lane, and cuts off the call with this id. */
    const cutOff = (): CallStep[] => {
      senders.delete(id);
      return [...close(lane), { do: "end", key, cut: true }];
    };
    const sender = senders.has(id) ? senders.get(id) : null;
    const isOfOtherSender = sender !== null && lane !== undefined && sender !== lane;
    switch (type) {
      case "TOOL_CALL_START": {
        // A second start before the end contradicts the first one.
        if (senders.has(id)) return cutOff();
        // Without a sender, the call belongs to the sender of its parent message, which is not known here.
        if (id !== undefined) senders.set(id, lane ?? (parentMessageId === undefined ? undefined : null));
        const earlierText = texts.get(id);
        if (earlierText === undefined || parseJson(earlierText) !== undefined)
          return [...close(lane), ...begin(key, id, toolCallName)];
        const restartKey = `${key} again`;
        restartKeys.set(id, restartKey);
        return [...close(lane), ...begin(restartKey, id, toolCallName), ...more(restartKey, earlierText)];
      }
      case "TOOL_CALL_ARGS":
        // A number is no piece of a text, so a part of the arguments is lost.
        if (isOfOtherSender || typeof delta === "number") return cutOff();
        if (id !== undefined && isText(delta)) texts.set(id, (texts.get(id) ?? "") + delta);
        return [...close(lane), ...more(key, delta)];
      case "TOOL_CALL_END":
        if (isOfOtherSender) return cutOff();
        senders.delete(id);
        return [...close(lane), ...end(key)];
      case CALL_CHUNK:
      case "TEXT_MESSAGE_CHUNK":
      case "REASONING_MESSAGE_CHUNK":
        return chunk(type, event);
      case "RUN_STARTED":
        for (const map of [senders, texts, restartKeys]) map.clear();
        return closeAll();
      case "MESSAGES_SNAPSHOT":
        return closeAll();
      case "RUN_ERROR":
        return closeAll({ cut: true });
      case "RUN_FINISHED":
        lanes.clear();
        // An empty prefix: all calls.
        return [{ do: "end-all", prefix: "", cut: toChunk(outcome).type === "cancelled" }];
      case "SUBAGENT_FINISHED":
      case "SUBAGENT_ERROR":
        return lane === undefined ? [] : close(lane, { cut: type === "SUBAGENT_ERROR" });
      default:
        return CLOSES_LANE.has(String(type)) ? close(lane) : [];
    }
  };
}
