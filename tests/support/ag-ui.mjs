/** Runs of AG-UI, as the real client reads them. */
import { HttpAgent } from "@ag-ui/client";

/** The events of a run as a server sends them. */
const sse = (events) =>
  new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  });

/**
 * Reads events with `@ag-ui/client`: all that it passes on, its warnings, its messages and its state at the end, and why it
 * rejects the stream, if it does.
 */
export async function readByClient(events, { state, messages } = {}) {
  const agent = new HttpAgent({
    url: "https://example.com/agent",
    threadId: "t",
    initialState: state,
    initialMessages: messages,
    fetch: async () => sse(events),
  });
  const seen = [];
  const warnings = [];
  const { warn, error: report } = console;
  console.warn = (...words) => warnings.push(words.join(" "));
  console.error = () => {};
  let error;
  try {
    await agent.runAgent({ runId: "r" }, { onEvent: ({ event }) => void seen.push(event) });
  } catch (thrown) {
    error = thrown;
  } finally {
    Object.assign(console, { warn, error: report });
  }
  return { events: seen, warnings, messages: agent.messages, state: agent.state, error };
}

/** The finished calls among events that the client has passed on: their ids, names and the texts of their arguments. */
export function finishedCalls(events) {
  const open = new Map();
  const over = [];
  for (const { type, toolCallId, toolCallName, delta } of events) {
    if (type === "TOOL_CALL_START") open.set(toolCallId, { id: toolCallId, tool: toolCallName, text: "" });
    if (type === "TOOL_CALL_ARGS") open.get(toolCallId).text += delta;
    if (type === "TOOL_CALL_END") over.push(open.get(toolCallId));
  }
  return over;
}
