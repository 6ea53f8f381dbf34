import { memo } from "react";
import { objectOf, textOf, type View } from "../lib/view";
import { t } from "../words/words";
import { at } from "./touched";

interface Props {
  name: string;
  meta: View | undefined;
  pageKey: View | undefined;
}

/** The page's key, its status and its step. */
export const InstanceHead = memo(function InstanceHead({ name, meta, pageKey }: Props) {
  const { pageKey: ownKey, status, step } = objectOf(meta);
  const { current, total } = objectOf(step);
  const steps = typeof total === "number" && total > 1 && typeof current === "number" ? { current, total } : undefined;

  return (
    <header className="instance-head" data-at={at("meta")}>
      <h3>{textOf(ownKey ?? pageKey) || name}</h3>
      {status !== undefined && <span className="chip">{textOf(status)}</span>}
      {steps && (
        <label className="steps">
          {t("Step {current} of {total}", steps)}
          <progress max={steps.total} value={steps.current} />
        </label>
      )}
    </header>
  );
});
