/** Writes the events of a stream to the page's log. */
import type { ToolBlockEvent } from "genui-patch";
import { type Extra, log } from "../log/log";

export function logEvents(events: readonly ToolBlockEvent[]): void {
  for (const event of events) log("chat", event.type, ...describe(event));
}

function describe(event: ToolBlockEvent): [subject: string, extra: Extra] {
  switch (event.type) {
    case "text":
    case "reasoning":
      return ["", { size: event.text.length }];
    case "json-tool-status":
      return [`${event.toolId} ${event.statusMessage} ${event.path ?? ""}`.trim(), {}];
    case "json-tool-delta":
      return [`${event.toolId} ${event.field}`, { size: event.delta.length }];
    case "json-tool-patch":
      return [`${event.toolId} ${event.patchIndex}`, { detail: event.patch }];
    case "json-tool-block": {
      const valid = event.call !== undefined || event.calls !== undefined;
      const tone = !valid ? "bad" : event.corrected || event.issues.length > 0 ? "warn" : "good";
      const subject = `${event.toolId} ${valid ? "valid" : event.status} ${event.path ?? ""}`.trim();
      return [subject, { size: event.raw.length, tone, detail: event }];
    }
  }
}
