"use client";
/**
 * The buttons of a page, a block or a table row: what a press does, when a button is disabled, and what its last press came to.
 */
import { memo, useCallback, useId, useRef, useState, useSyncExternalStore } from "react";
import { useInstance } from "../hooks.js";
import { fillTemplates, hasTemplate, untyped } from "../use-field.js";
import { type Page, usePage } from "./page-context.js";
import { firstText, idList, textOf, type View, type ViewObject } from "./values.js";

/** The row of a table that a button belongs to. */
export interface RowPlace {
  /** The id of the block. */
  block: string;
  /** The key of the table. */
  field: string;
  /** The index of the row. */
  row: number;
}

/** A row of buttons; nothing without actions. `row` is given for the buttons of a table row. */
export function Actions({ actions, row }: { actions: readonly ViewObject[]; row?: RowPlace }) {
  if (actions.length === 0) return null;
  return (
    <div className="gp-actions">
      {/* The members of `row` are separate props, so that `memo` compares them. */}
      {actions.map((action) => (
        <ActionButton key={textOf(action.id)} action={action} {...row} />
      ))}
    </div>
  );
}

/**
 * A button. A press runs the action in the store, then passes the result to `onAction` of the host. The button is pending while
 * the call of the last press waits for the server, or the promise of the host is pending. Its error is that of the store or of
 * the promise.
 */
const ActionButton = memo(function ActionButton({ action, ...row }: { action: ViewObject } & Partial<RowPlace>) {
  const page = usePage();
  const { store, name, labels, actions: Custom } = page;
  const id = useId();
  // The `button`, or the `span` around a component of the host.
  const element = useRef<HTMLButtonElement & HTMLSpanElement>(null);
  // The id of the pending call of the last press; `true` while the promise of the host is pending.
  const [pending, setPending] = useState<string | true>();
  const [error, setError] = useState("");
  const disabled = useDisabled(page, action.disabled);
  const isPending = useIsPending(page, pending);
  const label = firstText(action.label, action.id);

  function run() {
    // Only the host's promise blocks a press: a call that waits for the server has had its effect, and pressing again is a new
    // call.
    if (disabled || pending === true) return;
    // A primary button outside of tables submits its block, so the block must be complete.
    const isSubmit = action.style === "primary" && row.row === undefined;
    if (isSubmit && action.validate !== false && !isComplete(element.current)) return;
    const { block, field, row: index } = row;
    const options = page.optimistic ? { optimistic: true } : {};
    const result =
      block === undefined || field === undefined || index === undefined
        ? store.runAction(name, textOf(action.id), options)
        : store.runRowAction(name, { block, field, row: index }, textOf(action.id), options);
    setError(result.status === "error" ? result.error.message : "");
    if (result.status === "error") return;
    const pendingId = result.kind === "patch" ? result.pendingId : undefined;
    if (pendingId !== undefined) setPending(pendingId);
    const answer = page.handlers.current.onAction?.({ name, action, result });
    if (!(answer instanceof Promise)) return;
    setPending(true);
    answer
      .catch((cause: unknown) => setError(cause instanceof Error ? cause.message : String(cause)))
      .finally(() => setPending(pendingId));
  }

  const look = firstText(action.style, "default");
  if (Custom) {
    return (
      <span ref={element} className="gp-own">
        <Custom {...{ action, label, look, disabled, isPending, error, run }} />
      </span>
    );
  }
  return (
    <>
      <button
        ref={element}
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

/** Whether an action is disabled. `disabled` may be a template, whose text is then `false` or `""` for an enabled action. */
function useDisabled({ store, name }: Page, disabled: View): boolean {
  const isTemplate = hasTemplate(disabled);
  const read = useCallback(() => fillTemplates(store, name, disabled, "none"), [store, name, disabled]);
  // A hook cannot be left out, so a button without a template reads `page_key`: no call changes it, so it never renders the
  // button.
  const filledValue: View = useInstance(untyped(store), name, isTemplate ? read : "page_key");
  const value = isTemplate ? filledValue : disabled;
  return Boolean(value) && value !== "false";
}

/** Whether the call with the id `pending` waits for the server; for `true`, which stands for a promise of the host, always. */
function useIsPending({ store, name }: Page, pending: string | true | undefined): boolean {
  const subscribe = useCallback(
    (listener: () => void) => (pending === undefined ? () => {} : store.subscribe(listener, { instance: name })),
    [store, name, pending],
  );
  const read = () => pending === true || store.pending(name).some(({ pendingId }) => pendingId === pending);
  return useSyncExternalStore(subscribe, read, read);
}

/**
 * Whether all controls of a button's block are valid; those of the page for a button outside of blocks. Each invalid control
 * shows its error: `checkValidity` dispatches the event `invalid`. The panels and tabs around the first one are opened, and it
 * gets the focus.
 */
function isComplete(button: HTMLElement | null): boolean {
  const container = button?.closest(".gp-block") ?? button?.closest(".gp-page");
  const controls = [...(container?.querySelectorAll<HTMLInputElement>("input, select, textarea") ?? [])];
  // All are checked, not only those up to the first invalid one.
  const [firstInvalid] = controls.filter(
    (control) => !control.checkValidity() || control.getAttribute("aria-invalid") === "true",
  );
  if (firstInvalid === undefined) return true;
  for (
    let ancestor = firstInvalid.parentElement;
    ancestor && ancestor !== container;
    ancestor = ancestor.parentElement
  ) {
    if (ancestor instanceof HTMLDetailsElement) ancestor.open = true;
    // A hidden ancestor is the panel of a tab, which is labelled by that tab.
    if (ancestor.hidden) document.getElementById(ancestor.getAttribute("aria-labelledby") ?? "")?.click();
  }
  // React shows the panel of a clicked tab only after this function: a hidden control cannot get the focus.
  setTimeout(() => firstInvalid.focus());
  return false;
}
