import { memo, useState } from "react";
import { JsonText } from "../lib/JsonText";
import type { View } from "../lib/view";
import { t } from "../words/words";
import type { Entry } from "./log";

const clock = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
});

export const LogLine = memo(function LogLine({ entry }: { entry: Entry }) {
  const [open, setOpen] = useState(false);
  if (entry.detail === undefined) {
    return (
      <li>
        <Line entry={entry} />
      </li>
    );
  }
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <Line entry={entry} />
        </summary>
        {open && (
          <pre className="log-detail">
            <JsonText value={entry.detail as View} />
          </pre>
        )}
      </details>
    </li>
  );
});

function Line({ entry: { time, area, kind, subject, count, size, tone } }: { entry: Entry }) {
  return (
    <span className="log-line" data-tone={tone}>
      <time dateTime={new Date(time).toISOString()}>{clock.format(time)}</time>
      <span className="area" data-area={area}>
        {t(area)}
      </span>
      <code>{kind}</code>
      <span className="log-subject">{subject}</span>
      <span className="place">
        {count > 1 && `×${count.toLocaleString("en")} `}
        {size > 0 && `${size.toLocaleString("en")} ${t("chars")}`}
      </span>
    </span>
  );
}
