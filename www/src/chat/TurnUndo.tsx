import { useCallback, useState, useSyncExternalStore } from "react";
import { type Refusal, revertible, revertTurn, watchTurns } from "../instance/undo";
import { Icon } from "../lib/Icon";
import { t } from "../words/words";

/** A button that takes back all that the agent did in a turn, and then one that makes it again. */
export function TurnUndo({ turn }: { turn: string }) {
  const read = useCallback(() => revertible(turn), [turn]);
  const can = useSyncExternalStore(watchTurns, read);
  const [refusal, setRefusal] = useState<Refusal>();
  const method = can === "redo" ? "redo" : "undo";
  // A conflict is shown until the button does something else.
  const told = refusal?.method === method ? refusal : undefined;

  return (
    <div className="turn-undo">
      <button
        type="button"
        className="small"
        disabled={can === ""}
        onClick={() => setRefusal(revertTurn(turn, method))}
      >
        <Icon name={method} />
        {method === "undo" ? t("Undo this turn") : t("Redo this turn")}
      </button>
      {told && (
        <p className="turn-refusal" role="alert">
          <Icon name="warn" /> <span>{told.words()}</span>
        </p>
      )}
      {told?.hasRest && (
        <button type="button" className="small" onClick={() => setRefusal(revertTurn(turn, method, true))}>
          {method === "undo" ? t("Undo the rest") : t("Redo the rest")}
        </button>
      )}
    </div>
  );
}
