"use client";
/** `useTypedText`: the text that a control shows, and the conversion of typed text into values. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { FieldType } from "../generated/facts.js";
import type { DeepReadonly, Json } from "../types.js";

/** A value in a document; `undefined` if it does not exist. */
export type View = DeepReadonly<Json> | undefined;

/** Elements that accept the `props` of a field. */
export type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** The members of React's `KeyboardEvent` that are used here. */
export interface KeyPress {
  key: string;
  currentTarget: Control;
}

/** The messages for a text that is not a value of its type. */
interface ProblemLabels {
  notANumber: string;
  notADate: string;
  notJson: string;
}

/** Text in a control as the user typed it. It may differ from the text of the stored value: `1.50` for 1.5. */
interface TypedText {
  text: string;
  /** The text is not stored: it is half typed, or was refused. It stays in the control whatever value the state has. */
  isOpen: boolean;
  /** The value in the store after this text was stored; not set while `isOpen`. */
  stored?: View;
}

/**
 * The text of a control whose value is stored elsewhere. A text that is a value of the field type `type` is passed to `put` at
 * once; an unknown type accepts every text. `put` returns the value that is stored then, or why the store refused it. `commit`
 * ends the typing: a text that is not stored yet is stored or becomes an error. Then `check` returns the error of the stored
 * value, or an empty text.
 */
export function useTypedText(
  type: string,
  value: View,
  words: ProblemLabels,
  put: (newValue: unknown) => { stored: View; error?: undefined } | { error: string },
  check: () => string = () => "",
) {
  const [typed, setTyped] = useState<TypedText>();
  const [error, setError] = useState("");
  // The state for handlers, which may run several times before the next rendering. `isComposing`: an input method is writing.
  const handlerState = useRef({ typed, value, isComposing: false });
  handlerState.current.value = value;
  // `1.50` stays in the control after it was stored as 1.5, until the value is another one.
  const showsTyped = typed !== undefined && (typed.isOpen || Object.is(typed.stored, value));
  const text = showsTyped ? typed.text : textOfValue(type, value);
  const ref = useCaret(text);

  const update = (nextTyped: TypedText | undefined, nextError: string) => {
    handlerState.current.typed = nextTyped;
    setTyped(nextTyped);
    setError(nextError);
  };
  // `source` is the text that the value was parsed from; `undefined` for a value that was not typed. Returns whether `put`
  // accepted the value.
  const store = (newValue: unknown, source: string | undefined): boolean => {
    const answer = put(newValue);
    if (answer.error !== undefined) {
      update(source === undefined ? handlerState.current.typed : { text: source, isOpen: true }, answer.error);
      return false;
    }
    update(source === undefined ? undefined : { text: source, isOpen: false, stored: answer.stored }, "");
    return true;
  };
  // `isUnreadable`, here and in `commit`: the browser cannot read what is in the control (`badInput`), so its text is empty.
  const setText = (text: string, isUnreadable = false) => {
    const isOpen = handlerState.current.isComposing || isUnreadable;
    const parsed = isOpen ? undefined : parseText(type, text, handlerState.current.value, "typing");
    // An earlier error stays until the text is stored or committed.
    if (parsed === undefined) update({ text, isOpen: true }, error);
    else store(parsed.value, text);
  };
  const setValue = (newValue: unknown) => store(newValue, undefined);
  const commit = (isUnreadable = false): boolean => {
    const { typed: typedText } = handlerState.current;
    if (typedText?.isOpen) {
      const parsed = isUnreadable ? undefined : parseText(type, typedText.text, handlerState.current.value, "done");
      if (parsed === undefined) {
        // A type without a problem of its own gets here if the browser cannot read its control, e.g. `type="time"`.
        update(typedText, words[problemOf(type) || "notANumber"]);
        return false;
      }
      if (!store(parsed.value, typedText.text)) return false;
    }
    // From now on the control shows the text of the stored value.
    const storedError = check();
    update(undefined, storedError);
    return storedError === "";
  };
  return {
    ...{ text, error, setValue },
    // A function of its own: the type of `useState` would make the declarations need React's types.
    setError: (message: string) => setError(message),
    // Callers do not know of `isUnreadable`.
    setText: (next: string) => setText(next),
    commit: () => commit(),
    props: {
      ref,
      value: text,
      "aria-invalid": error === "" ? undefined : (true as const),
      onChange: ({ target }: { target: Control }) => {
        if (target.type === "checkbox" && "checked" in target) setValue(target.checked);
        else setText(target.value, target.validity?.badInput);
      },
      onBlur: ({ target }: { target: Control }) => void commit(target.validity?.badInput),
      onKeyDown: ({ key: pressed, currentTarget }: KeyPress) => {
        // Enter submits an `input`. In a `textarea` it is a line break, and while an input method writes it chooses a word.
        if (pressed === "Enter" && currentTarget.tagName === "INPUT" && !handlerState.current.isComposing)
          commit(currentTarget.validity?.badInput);
      },
      onCompositionStart: () => {
        handlerState.current.isComposing = true;
      },
      onCompositionEnd: ({ currentTarget }: { currentTarget: Control }) => {
        handlerState.current.isComposing = false;
        setText(currentTarget.value);
      },
    },
  };
}

/** The seconds and the zone at the end of a time, which a control does not show. An edit keeps them. */
const TAIL = /(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;
/** Browsers write years of up to six digits in the controls of dates. */
const DATE = /^\d{4,6}-\d\d-\d\d$/;
/** A date and a time to the minute; more may follow. */
const DATE_TIME = /^\d{4,6}-\d\d-\d\dT\d\d:\d\d/;

/** Where the minutes of a date and a time such as `2026-01-31T12:30:00Z` end: 6 units after the beginning of `T12:30`. */
const endOfMinutes = (text: string): number => text.indexOf("T") + 6;

/** The text in a control for a value. */
function textOfValue(type: string, value: View): string {
  if (value === undefined || (value === null && type !== "json")) return "";
  if (type === "json") return JSON.stringify(value, null, 2);
  if (typeof value === "object") return JSON.stringify(value);
  const text = String(value);
  return type === "datetime" && DATE_TIME.test(text) ? text.slice(0, endOfMinutes(text)) : text;
}

/** The label of the error for a text that is not a value of its field's type; `""`: every text is a value. */
type Problem = "" | keyof ProblemLabels;

/** The types of fields whose values users type. The values of all others are chosen, or only shown. */
const TYPED: { readonly [type: string]: Problem } = {
  text: "",
  textarea: "",
  number: "notANumber",
  progress: "notANumber",
  date: "notADate",
  datetime: "notADate",
  json: "notJson",
} satisfies { [type in FieldType]?: Problem };

/** Whether users type the values of a type of fields. */
export const isTyped = (type: string): boolean => Object.hasOwn(TYPED, type);

/** The label of the error for a type of fields; `""` for types that accept every text, unknown ones among them. */
const problemOf = (type: string): Problem => (isTyped(type) && TYPED[type]) || "";

/**
 * Parses the text of a control; `undefined` if it is half typed or no value of the type. `value` is the stored value, from which
 * a time keeps its seconds and its zone. `phase`: once the user has left the control (`done`), `1.` is 1.
 */
function parseText(type: string, text: string, value: View, phase: "typing" | "done"): { value: unknown } | undefined {
  const isTyping = phase === "typing";
  // NFKC makes ASCII of the full-width digits that Chinese and Japanese keyboards write.
  const plain = text.normalize("NFKC").trim();
  switch (problemOf(type)) {
    case "":
      return { value: text };
    case "notANumber":
      if (plain === "") return { value: null };
      // "-" and "1e" are incomplete, and so is "1." while the user types: storing it as 1 would lose the point.
      if (!/^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(plain) || (isTyping && /\D$/.test(plain))) return undefined;
      // `1e999` is infinite, which JSON cannot carry.
      return Number.isFinite(Number(plain)) ? { value: Number(plain) } : undefined;
    case "notADate": {
      if (plain === "") return { value: "" };
      if (!(type === "date" ? DATE : DATE_TIME).test(plain)) return undefined;
      // A year is typed digit by digit: 0002 is on the way to 2026.
      if (isTyping && plain.startsWith("0")) return undefined;
      const storedTime = typeof value === "string" && DATE_TIME.test(value) ? value : "";
      const [tail] = TAIL.exec(storedTime.slice(endOfMinutes(storedTime))) ?? [""];
      const endsWithMinutes = plain.length <= endOfMinutes(plain);
      const needsTail = type === "datetime" && endsWithMinutes;
      return { value: needsTail ? `${plain}${tail}` : plain };
    }
    case "notJson":
      try {
        return { value: plain === "" ? null : JSON.parse(text) };
      } catch {
        return undefined;
      }
  }
}

/** A control that has the focus, its text, and the selection in it. */
interface Caret {
  element: HTMLInputElement | HTMLTextAreaElement;
  /** The selection in UTF-16 units; without a selection both are the caret. */
  start: number;
  end: number;
  text: string;
}

/** A layout effect, which runs before the browser paints. On a server React 18 warns of them. */
const useAfterCommit = typeof document === "undefined" ? useEffect : useLayoutEffect;

/**
 * Keeps the caret at the same characters when the control that has the focus gets a changed text, for example by an agent: a
 * browser moves the caret to the end. `text` is what the control is rendered with. Returns the `ref` of the control.
 */
function useCaret(text: string): (control: HTMLElement | null) => void {
  const control = useRef<HTMLElement | null>(null);
  // While this renders, the control still shows the last text.
  const caretBefore = caretOf(control.current);
  useAfterCommit(() => {
    const caret = caretOf(control.current);
    if (caretBefore === undefined || caret === undefined || caretBefore.text === caret.text) return;
    // A control that shows another text than `text`, for example a shortened one, is left alone.
    if (caret.text !== text) return;
    const moveOffset = offsetMapper(caretBefore.text, caret.text);
    caret.element.setSelectionRange(moveOffset(caretBefore.start), moveOffset(caretBefore.end));
  });
  return useCallback((next) => {
    control.current = next;
  }, []);
}

/** The caret of a control; `undefined` if it does not have the focus, or is of a kind without a caret, such as a date. */
function caretOf(element: HTMLElement | null): Caret | undefined {
  if (element === null || element.ownerDocument.activeElement !== element || !hasCaret(element)) return undefined;
  const { selectionStart: start, selectionEnd: end, value: text } = element;
  return start !== null && end !== null ? { element, start, end, text } : undefined;
}

/** Whether an element may have a caret. `instanceof` would fail for elements of another window. */
const hasCaret = (element: HTMLElement): element is Caret["element"] => /^(INPUT|TEXTAREA)$/.test(element.tagName);

/**
 * Returns a function that maps an offset in one text to the other text. Offsets in the common beginning stay, those in the common
 * end move with it, and those between are limited to the part that differs.
 */
function offsetMapper(before: string, after: string): (offset: number) => number {
  const shorterLength = Math.min(before.length, after.length);
  let headLength = 0;
  while (headLength < shorterLength && before[headLength] === after[headLength]) headLength++;
  let tailLength = 0;
  // `.at(-1 - n)` is the n-th unit from the end, counted from 0.
  while (tailLength < shorterLength - headLength && before.at(-1 - tailLength) === after.at(-1 - tailLength))
    tailLength++;
  const growth = after.length - before.length;
  return (offset) => {
    if (offset <= headLength) return offset;
    return offset >= before.length - tailLength ? offset + growth : Math.min(offset, after.length - tailLength);
  };
}
