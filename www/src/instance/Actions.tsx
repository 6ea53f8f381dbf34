import { memo } from "react";
import { objectsOf, textOf, type View } from "../lib/view";
import { runAction } from "./runAction";

interface Props {
  instance: string;
  actions: View | undefined;
}

const styles = ["primary", "secondary", "danger", "warning", "success"];

export const Actions = memo(function Actions({ instance, actions }: Props) {
  const shown = objectsOf(actions);
  if (shown.length === 0) return null;
  return (
    <div className="actions">
      {shown.map((action) => {
        const style = textOf(action.style);
        return (
          <button
            key={textOf(action.id)}
            type="button"
            className={styles.includes(style) ? style : undefined}
            onClick={() => runAction(instance, action)}
          >
            {textOf(action.label)}
          </button>
        );
      })}
    </div>
  );
});
