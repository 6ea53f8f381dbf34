import { useCell } from "../lib/cell";
import { Icon } from "../lib/Icon";
import { dismiss, notices } from "./noticeBoard";

/** Refusals and conflicts, until they are read. */
export function Notices() {
  const shown = useCell(notices);
  return (
    <div className="notices" role="alert" aria-label="Notices">
      {shown.map(({ id, tone, title, text }) => (
        <div key={id} className="notice" data-tone={tone}>
          <Icon name={tone === "bad" ? "cross" : "warn"} />
          <div>
            <strong>{title}</strong>
            <p>{text}</p>
          </div>
          <button type="button" className="small" aria-label={`Dismiss: ${title}`} onClick={() => dismiss(id)}>
            <Icon name="cross" />
          </button>
        </div>
      ))}
    </div>
  );
}
