import { t } from "../words/words";
import { Icon } from "./Icon";

interface Props {
  /** Whether the request is still running. */
  busy: boolean;
  disabled: boolean;
  onStop(): void;
  /** The label of the button that sends the form. */
  children: string;
}

/** The button of a form for a live model: it sends, and stops what it has begun. */
export function SendOrStop({ busy, disabled, onStop, children }: Props) {
  return (
    <div className="buttons">
      {/* Two elements: one that became another while it is pressed would do what that one does. */}
      {busy ? (
        <button key="stop" type="button" onClick={onStop}>
          {t("Stop")}
        </button>
      ) : (
        <button key="send" type="submit" className="primary" disabled={disabled}>
          <Icon name="send" />
          {children}
        </button>
      )}
    </div>
  );
}
