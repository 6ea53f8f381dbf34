import type { PendingCall } from "genui-patch";
import { usePending } from "genui-patch/react";
import { store } from "../instance/store";
import { t } from "../words/words";
import { describe } from "./noticeBoard";

/** The user's pending calls, in order. */
export function PendingList() {
  const pending = usePending(store);
  return (
    <div className="pending">
      <h4>
        {t("Pending")} <span className="chip">{pending.length}</span>
      </h4>
      {pending.length === 0 ? (
        <p className="nothing">{t("All that you entered is confirmed.")}</p>
      ) : (
        <ol aria-label={t("Pending calls")}>
          {pending.map((call) => (
            <li key={call.pendingId}>
              <code>{describe(call.call)}</code>
              <span className="hint">
                {call.instance_name} · {stateOf(call)}
              </span>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

const stateOf = ({ confirmed, sent }: PendingCall) =>
  confirmed ? t("taken, waits for an earlier one") : sent ? t("sent") : t("not sent yet");
