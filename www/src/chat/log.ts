/** The events of a stream, one line each; those that only go on with the one before share its line. */
import type { ToolBlockEvent } from "genui-patch";

export interface LogLine {
  id: number;
  type: ToolBlockEvent["type"];
  subject: string;
  /** How many events stand in this line. */
  count: number;
  /** UTF-16 units of text. */
  length: number;
}

const longest = 400;

export function addToLog(log: readonly LogLine[], events: readonly ToolBlockEvent[]): readonly LogLine[] {
  if (events.length === 0) return log;
  const next = [...log];
  for (const event of events) {
    const line = describe(event);
    const last = next.at(-1);
    if (last?.type === line.type && last.subject === line.subject) {
      next[next.length - 1] = { ...last, count: last.count + 1, length: last.length + line.length };
    } else {
      next.push({ ...line, id: (last?.id ?? 0) + 1, count: 1 });
    }
  }
  return next.slice(-longest);
}

function describe(event: ToolBlockEvent): Pick<LogLine, "type" | "subject" | "length"> {
  const { type } = event;
  switch (type) {
    case "text":
      return { type, subject: "", length: event.text.length };
    case "json-tool-status":
      return { type, subject: `${event.toolId} ${event.statusMessage} ${event.path ?? ""}`.trim(), length: 0 };
    case "json-tool-delta":
      return { type, subject: `${event.toolId} ${event.field}`, length: event.delta.length };
    case "json-tool-block":
      return {
        type,
        subject: `${event.toolId} ${event.call || event.calls ? "valid" : event.status}`,
        length: event.raw.length,
      };
  }
}
