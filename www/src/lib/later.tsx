import { type ComponentType, useEffect } from "react";
import { t } from "../words/words";
import { cell, useCell } from "./cell";

interface State<P> {
  Shown?: ComponentType<P>;
  failed?: true;
}

/**
 * A component that is loaded when it is first to be shown. Not by `Suspense`, which holds back what is there already for as
 * long as a third of a second.
 */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const state = cell<State<P>>({});
  let isLoading = false;

  function begin(): void {
    if (isLoading) return;
    isLoading = true;
    load().then(
      (Shown) => state.set({ Shown }),
      () => {
        isLoading = false;
        state.set({ failed: true });
      },
    );
  }

  return function Later(props: P) {
    const { Shown, failed } = useCell(state);
    useEffect(begin, []);
    if (Shown !== undefined) return <Shown {...props} />;
    if (failed === undefined) return <p className="nothing">{t("Loading…")}</p>;
    return (
      <p className="nothing" role="alert">
        {t("This part could not be loaded.")}{" "}
        <button type="button" className="small" onClick={begin}>
          {t("Try again")}
        </button>
      </p>
    );
  };
}
