/** Ctrl+Z and Shift+Ctrl+Z for the user's own edits of a page. */
import { type RefObject, useEffect } from "react";
import { typesIn } from "../lib/field";
import { revertOwn } from "./undo";

/** The inputs in which a browser undoes typing. Others, such as dates and colours, have no history of their own. */
const typed =
  "textarea, input:is(:not([type]), [type=text], [type=search], [type=url], [type=tel], [type=email], [type=password], [type=number])";

/** The texts outside of pages that the user has written in, such as a question to a model: they are the browser's to undo. */
const written = new WeakSet<EventTarget>();

/**
 * The browser undoes the typing in the text that has the focus. In a text without typing it would undo the last typing anywhere, and
 * no other edits: there the keys are for the page.
 */
export function useUndoKeys(name: string, stage: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    /** The value of the control with the focus when it got it, and whether the user has typed another one since. */
    let first: string | undefined;
    let hasOwn = false;
    const typedIn = (target: EventTarget | null) =>
      (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) && target.matches(typed)
        ? target.value
        : undefined;

    function onFocus({ target }: FocusEvent): void {
      first = typedIn(target);
      hasOwn = false;
    }
    function onInput({ target }: Event): void {
      const value = typedIn(target);
      if (value === undefined || target === null) return;
      if (target === document.activeElement) hasOwn = value !== first;
      written.add(target);
    }
    function onKey(event: KeyboardEvent): void {
      const { key, ctrlKey, metaKey, altKey, shiftKey, defaultPrevented } = event;
      if (defaultPrevented || altKey || !(ctrlKey || metaKey) || key.toLowerCase() !== "z") return;
      const control = typesIn();
      const isOutside = control !== undefined && !stage.current?.contains(control);
      // An editor with a shadow root has a history of its own.
      if (isOutside ? control.shadowRoot !== null || written.has(control) : hasOwn) return;
      if (revertOwn(name, shiftKey ? "redo" : "undo")) event.preventDefault();
    }
    document.addEventListener("focusin", onFocus);
    document.addEventListener("input", onInput);
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("focusin", onFocus);
      document.removeEventListener("input", onInput);
      document.removeEventListener("keydown", onKey);
    };
  }, [name, stage]);
}
