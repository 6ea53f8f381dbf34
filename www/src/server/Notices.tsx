import { useCell } from "../lib/cell";
import { Icon } from "../lib/Icon";
import { dismiss, notices, tryAgain } from "./noticeBoard";

/** Refusals and conflicts, until they are read. */
export function Notices() {
  const shown = useCell(notices);
  return (
    <div className="notices" role="alert" aria-label="Notices">
      {shown.map((notice) => (
        <div key={notice.id} className="notice" data-tone={notice.tone}>
          <Icon name={notice.tone === "bad" ? "cross" : "warn"} />
          <div>
            <strong>{notice.title}</strong>
            <p>{notice.text}</p>
          </div>
          {notice.again && (
            <button type="button" className="small" onClick={() => tryAgain(notice)}>
              Try again
            </button>
          )}
          <button
            type="button"
            className="small"
            aria-label={`Dismiss: ${notice.title}`}
            onClick={() => dismiss(notice.id)}
          >
            <Icon name="cross" />
          </button>
        </div>
      ))}
    </div>
  );
}
