import { useCell } from "../lib/cell";
import { Icon } from "../lib/Icon";
import { t } from "../words/words";
import { dismiss, notices, tryAgain } from "./noticeBoard";

/** Refusals and conflicts, until they are read. */
export function Notices() {
  const shown = useCell(notices);
  return (
    <div className="notices" role="alert" aria-label={t("Notices")}>
      {shown.map((notice) => (
        <div key={notice.id} className="notice" data-tone={notice.tone}>
          <Icon name={notice.tone === "bad" ? "cross" : "warn"} />
          <div>
            <strong>{notice.title()}</strong>
            <p>{notice.text()}</p>
          </div>
          {notice.again && (
            <button type="button" className="small" onClick={() => tryAgain(notice)}>
              {t("Try again")}
            </button>
          )}
          <button
            type="button"
            className="small"
            aria-label={t("Dismiss: {title}", { title: notice.title() })}
            onClick={() => dismiss(notice.id)}
          >
            <Icon name="cross" />
          </button>
        </div>
      ))}
    </div>
  );
}
