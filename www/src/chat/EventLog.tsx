import { memo, useState } from "react";
import type { LogLine } from "./log";

/** The events as they came. Only shown lines are rendered. */
export const EventLog = memo(function EventLog({ log }: { log: readonly LogLine[] }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="event-log" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Event log</summary>
      {open && (
        <ol>
          {log.map(({ id, type, subject, count, length }) => (
            <li key={id}>
              <code>{type}</code> <span>{subject}</span>
              <span className="place">
                {count > 1 && `×${count} `}
                {length > 0 && `${length.toLocaleString("en")} chars`}
              </span>
            </li>
          ))}
        </ol>
      )}
    </details>
  );
});
