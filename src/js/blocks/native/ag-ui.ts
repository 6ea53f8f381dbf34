/**
 * Reads the tool calls in AG-UI's events: with a start and an end, or in chunks. Sources: "Streaming" and "Subagents" of the
 * specification of AG-UI 1.0, and `chunks/transform` of `@ag-ui/client`.
 */
import { parseJson } from "../../core/json.js";
import { isText } from "../../core/kinds.js";
import { begin, type CallStep, type Chunk, end, more, type Reader, toChunk, toKey, toName } from "./steps.js";

/**
 * The events that close the item that their lane assembles from chunks. All others close nothing: those that stand aside
 * (RAW, ACTIVITY_*, REASONING_ENCRYPTED_VALUE, SUBAGENT_STARTED), and those of later versions. THINKING_* are REASONING_*
 * of AG-UI before 0.0.46.
 */
const CLOSES_LANE = new Set(
  [
    "TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END",
    "TOOL_CALL_RESULT STATE_SNAPSHOT STATE_DELTA STEP_STARTED STEP_FINISHED CUSTOM REASONING_START REASONING_END",
    "REASONING_MESSAGE_START REASONING_MESSAGE_CONTENT REASONING_MESSAGE_END THINKING_START THINKING_END",
    "THINKING_TEXT_MESSAGE_START THINKING_TEXT_MESSAGE_CONTENT THINKING_TEXT_MESSAGE_END",
  ].flatMap((types) => types.split(" ")),
);

const CALL = "TOOL_CALL_CHUNK";

/** The item that a lane assembles from chunks: a call, or a message, whose content does not matter here. */
interface OpenItem {
  /** The type of its chunks. */
  kind: string;
  id: string | undefined;
  tool: unknown;
  parent: unknown;
  /** The key of a call in the steps. */
  key: string;
}

/**
 * A lane belongs to a subagent, or to the parent agent, whose lane has the name `undefined`; it assembles one item at a
 * time. A chunk that contradicts the beginning of its call, or that may belong to several calls, cuts those calls off, and
 * so does an event that contradicts the start of its call.
 */
export function agUiReader(): Reader {
  const lanes = new Map<string | undefined, OpenItem>();
  /** By id: the sender of each call between start and end; `undefined` is the parent agent, `null` is unknown. */
  const started = new Map<string | undefined, string | null | undefined>();
  /** By id: the arguments of each call so far. A call that starts again continues them, unless they are whole: then it was made. */
  const texts = new Map<string | undefined, string>();
  /** By id: the key in the steps of each call that has started again. */
  const again = new Map<string | undefined, string>();

  const close = (lane: string | undefined, cut = false): CallStep[] => {
    const item = lanes.get(lane);
    lanes.delete(lane);
    return item?.kind === CALL ? [{ do: "end", key: item.key, cut }] : [];
  };
  const closeAll = (cut = false) => [...lanes.keys()].flatMap((lane) => close(lane, cut));

  const chunk = (kind: string, event: Chunk): CallStep[] => {
    const { toolCallId, messageId, toolCallName, parentMessageId, subagentRunId, delta } = event;
    const id = toKey(kind === CALL ? toolCallId : messageId);
    const sender = toKey(subagentRunId);
    const open = [...lanes].filter(([, item]) => item.kind === kind);
    // A chunk belongs to the lane whose open item has its id, else to the lane of its sender. Without an id and a sender it belongs to
    // the parent agent's open item of its kind, or else to the only open item of that kind.
    let lane = sender;
    const holder = id === undefined ? undefined : open.find(([, item]) => item.id === id);
    if (holder) {
      [lane] = holder;
      if (sender !== undefined && sender !== lane) return close(lane, true);
    } else if (id === undefined && sender === undefined && lanes.get(undefined)?.kind !== kind) {
      if (open.length > 1) return open.flatMap(([owner]) => close(owner, true));
      lane = open[0]?.[0];
    }
    const item = lanes.get(lane);
    const tool = toName(toolCallName);
    if (item?.kind === kind && (id === undefined || id === item.id)) {
      const contradicts = (said: unknown, own: unknown) => said !== undefined && said !== null && said !== own;
      const isNext = id === undefined && item.id === undefined;
      if (!isNext && (contradicts(tool, item.tool) || contradicts(parentMessageId, item.parent)))
        return close(lane, true);
      if (kind !== CALL) return [];
      return [...(isNext ? begin(item.key, id, tool) : []), ...more(item.key, delta)];
    }
    const closed = close(lane);
    if (kind === CALL && id === undefined && tool === undefined) return closed;
    // Servers that send no ids begin each call with its name.
    const key = id === undefined ? `lane:${lane ?? ""}` : `chunk:${id}`;
    lanes.set(lane, { kind, id, tool, parent: parentMessageId, key });
    return kind === CALL ? [...closed, ...begin(key, id, tool), ...more(key, delta)] : closed;
  };

  return (event) => {
    const { type, toolCallId, toolCallName, delta, subagentRunId, parentMessageId, outcome } = event;
    const lane = toKey(subagentRunId);
    const key = toKey(toolCallId);
    const own = again.get(key) ?? key;
    const cutOff = (): CallStep[] => {
      started.delete(key);
      return [...close(lane), { do: "end", key: own, cut: true }];
    };
    const sender = started.has(key) ? started.get(key) : null;
    const isForeign = sender !== null && lane !== undefined && sender !== lane;
    switch (type) {
      case "TOOL_CALL_START": {
        if (started.has(key)) return cutOff();
        if (key !== undefined) started.set(key, lane ?? (parentMessageId === undefined ? undefined : null));
        const known = texts.get(key);
        if (known === undefined || parseJson(known) !== undefined)
          return [...close(lane), ...begin(own, key, toolCallName)];
        const next = `${own} again`;
        again.set(key, next);
        return [...close(lane), ...begin(next, key, toolCallName), ...more(next, known)];
      }
      case "TOOL_CALL_ARGS":
        if (isForeign || typeof delta === "number") return cutOff();
        if (key !== undefined && isText(delta)) texts.set(key, (texts.get(key) ?? "") + delta);
        return [...close(lane), ...more(own, delta)];
      case "TOOL_CALL_END":
        if (isForeign) return cutOff();
        started.delete(key);
        return [...close(lane), ...end(own)];
      case CALL:
      case "TEXT_MESSAGE_CHUNK":
      case "REASONING_MESSAGE_CHUNK":
        return chunk(type, event);
      case "RUN_STARTED":
        for (const each of [started, texts, again]) each.clear();
        return closeAll();
      case "MESSAGES_SNAPSHOT":
        return closeAll();
      case "RUN_ERROR":
        return closeAll(true);
      case "RUN_FINISHED":
        lanes.clear();
        return [{ do: "end-all", prefix: "", cut: toChunk(outcome).type === "cancelled" }];
      case "SUBAGENT_FINISHED":
      case "SUBAGENT_ERROR":
        return lane === undefined ? [] : close(lane, type === "SUBAGENT_ERROR");
      default:
        return CLOSES_LANE.has(String(type)) ? close(lane) : [];
    }
  };
}
