"use client";
/** Buttons: their labels, whether they can be pressed, and the result of the last press. */
import { memo, useCallback, useId, useRef, useState, useSyncExternalStore } from "react";
import { useInstance } from "../hooks.js";
import { fillTemplates, hasTemplate, untyped } from "../use-field.js";
import { type Page, usePage } from "./page-context.js";
import { firstText, idList, textOf, type View, type ViewObject } from "./values.js";

/** The row of a table that a button belongs to. */
export interface RowPlace {
  block: string;
  field: string;
  row: number;
}

export function Actions({ actions, row }: { actions: readonly ViewObject[]; row?: RowPlace }) {
  if (actions.length === 0) return null;
  return (
    <div className="gp-actions">
      {actions.map((action) => (
        <ActionButton key={textOf(action.id)} action={action} {...row} />
      ))}
    </div>
  );
}

const ActionButton = memo(function ActionButton({ action, ...row }: { action: ViewObject } & Partial<RowPlace>) {
  const page = usePage();
  const { store, name, labels, actions: Own } = page;
  const id = useId();
  const button = useRef<HTMLButtonElement & HTMLSpanElement>(null);
  // The id of the pending call of the last press; `true` while the promise of the host is pending.
  const [pending, setPending] = useState<string | true>();
  const [error, setError] = useState("");
  const disabled = useDisabled(page, action.disabled);
  const isPending = useIsPending(page, pending);
  const label = firstText(action.label, action.id);

  function run() {
    // A call that waits for the server has had its effect: pressing again is a new call. While the host's promise is pending, a press is ignored.
    if (disabled || pending === true) return;
    const isSubmit = action.style === "primary" && row.row === undefined;
    if (isSubmit && action.validate !== false && !isComplete(button.current)) return;
    const { block, field, row: index } = row;
    const options = page.optimistic ? { optimistic: true } : {};
    const result =
      block === undefined || field === undefined || index === undefined
        ? store.runAction(name, textOf(action.id), options)
        : store.runRowAction(name, { block, field, row: index }, textOf(action.id), options);
    setError(result.status === "error" ? result.error.message : "");
    if (result.status === "error") return;
    if (result.kind === "patch" && result.pendingId !== undefined) setPending(result.pendingId);
    const answer = page.handlers.current.onAction?.({ name, action, result });
    if (!(answer instanceof Promise)) return;
    setPending(true);
    answer
      .catch((cause: unknown) => setError(cause instanceof Error ? cause.message : String(cause)))
      .finally(() => setPending(undefined));
  }

  const look = firstText(action.style, "default");
  if (Own) {
    return (
      <span ref={button} className="gp-own">
        <Own {...{ action, label, look, disabled, isPending, error, run }} />
      </span>
    );
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        className="gp-button"
        data-style={look}
        data-action={textOf(action.id)}
        data-pending={isPending || undefined}
        disabled={disabled}
        aria-disabled={pending === true || undefined}
        aria-busy={isPending || undefined}
        aria-describedby={idList(error && id)}
        title={isPending ? labels.working : undefined}
        onClick={run}
      >
        {label}
      </button>
      {error && (
        <p className="gp-error" id={id} role="alert">
          {error}
        </p>
      )}
    </>
  );
});

/** `disabled` may be a template: the texts `false` and `""` mean enabled. */
function useDisabled({ store, name }: Page, disabled: View): boolean {
  const isTemplate = hasTemplate(disabled);
  const read = useCallback(() => fillTemplates(store, name, disabled, "none"), [store, name, disabled]);
  // No call changes `page_key`, so a change of the page does not render a button without a template.
  const filled: View = useInstance(untyped(store), name, isTemplate ? read : "page_key");
  const value = isTemplate ? filled : disabled;
  return Boolean(value) && value !== "false";
}

function useIsPending({ store, name }: Page, pending: string | true | undefined): boolean {
  const subscribe = useCallback(
    (listener: () => void) => (pending === undefined ? () => {} : store.subscribe(listener, { instance: name })),
    [store, name, pending],
  );
  const read = () => pending === true || store.pending(name).some(({ pendingId }) => pendingId === pending);
  return useSyncExternalStore(subscribe, read, read);
}

/** Whether all controls around a button are valid. Invalid controls show their errors, and the first one gets the focus. */
function isComplete(button: HTMLElement | null): boolean {
  const around = button?.closest(".gp-block") ?? button?.closest(".gp-page");
  const controls = [...(around?.querySelectorAll<HTMLInputElement>("input, select, textarea") ?? [])];
  const [first] = controls.filter(
    (control) => !control.checkValidity() || control.getAttribute("aria-invalid") === "true",
  );
  if (first === undefined) return true;
  for (let part = first.parentElement; part && part !== around; part = part.parentElement) {
    if (part instanceof HTMLDetailsElement) part.open = true;
    if (part.hidden) document.getElementById(part.getAttribute("aria-labelledby") ?? "")?.click();
  }
  // A hidden panel shows once React has rendered the click.
  setTimeout(() => first.focus());
  return false;
}
