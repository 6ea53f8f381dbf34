"use client";
/** `useField`: the text that the control of a page's field shows, and the conversion of typed text into stored values. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { isObject } from "../core/kinds.js";
import type { FieldType } from "../generated/facts.js";
import type {
  ChangeOptions,
  DeepReadonly,
  Json,
  OptimisticResult,
  PendingCall,
  SetOptions,
  StoreEvent,
} from "../types.js";
import { fill } from "./fill.js";
import { useInstance } from "./hooks.js";

/** A value in a document; `undefined` if it does not exist. */
export type View = DeepReadonly<Json> | undefined;
type ViewObject = { readonly [key: string]: View };

/**
 * The methods of a `PatchStore` that `useField` calls. `name` is that of an instance, `block` the id of a block, `key` that of a
 * field.
 */
export interface FieldStore {
  snapshot(name: string): unknown;
  get(name: string, path: string): unknown;
  subscribe(listener: (event: StoreEvent) => void, filter: { instance?: string; path?: string }): () => void;
  setField(name: string, block: string, key: string, value: unknown, options?: SetOptions): OptimisticResult;
  render(name: string, template: string, options?: { escape?: "html" | "none" }): string;
  /** The pending calls of the instance. Without the method no field is shown as pending. */
  pending?(name: string): readonly PendingCall[];
}

/** A {@link FieldStore} whose documents are any JSON. */
interface UntypedStore extends FieldStore {
  snapshot(name: string): View;
  get(name: string, path: string): View;
}

/** The same store without the types of documents that the host has declared: the paths of fields are known at run time only. */
export const untyped = (store: FieldStore): UntypedStore => store as UntypedStore;

/** Error messages of a field. */
export interface FieldLabels {
  required: string;
  notANumber: string;
  notADate: string;
  notJson: string;
  /** The server has refused a value that was not typed, such as an option; `{reason}` is its message. */
  notSaved: string;
  /** The server has refused a value that was typed; `{text}` is the typed text. */
  textNotSaved: string;
}

export const englishFieldLabels: FieldLabels = {
  required: "This field is required.",
  notANumber: "This is not a complete number. Write it as 1234.5",
  notADate: "This date is not complete.",
  notJson: "This is not JSON yet.",
  notSaved: "Not saved: {reason}",
  textNotSaved: "“{text}” was not saved: {reason}",
};

export interface FieldOptions extends Pick<ChangeOptions, "author"> {
  /** User input is shown before the server has confirmed it, as with `applyOptimistic`. */
  optimistic?: boolean | undefined;
  labels?: Partial<FieldLabels> | undefined;
  /** Called when the user has set the field, with the value and the result of the store. */
  onEdit?: ((value: unknown, result: OptimisticResult) => void) | undefined;
}

/** Elements that accept the `props` of a field. */
type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** The members of React's `KeyboardEvent` that are used here. */
interface KeyPress {
  key: string;
  currentTarget: Control;
}

/** For an `input`, a `textarea` or a `select`. The events are those of React, as far as they are used. */
export interface FieldProps {
  /** Without it the caret may move when an agent changes the text. */
  ref: (control: HTMLElement | null) => void;
  /** The key of the field. */
  name: string;
  /** The text in the control. Checkboxes show `checked` instead. */
  value: string;
  /** Only for fields of the type `checkbox`. */
  checked?: boolean;
  required: boolean;
  "aria-invalid": true | undefined;
  onChange: (event: { target: Control }) => void;
  onBlur: (event: { target: Control }) => void;
  onKeyDown: (event: KeyPress) => void;
  onCompositionStart: () => void;
  onCompositionEnd: (event: { currentTarget: Control }) => void;
  onInvalid: (event: { currentTarget: Control; preventDefault(): void }) => void;
}

export interface FieldState {
  /** The value in state; without one, the value that the field declares, with its templates filled in. */
  value: View;
  /** The text in the control: that of the value, or the text typed so far. */
  text: string;
  /** Why the value is not stored, was refused or is missing; `""` without an error. */
  error: string;
  /**
   * `waiting`: the value waits to be sent to the server. `sent`: it waits for the answer. `undefined`: no pending call has
   * changed the value.
   */
  pending: "waiting" | "sent" | undefined;
  /** Sets the typed text. It is stored as soon as it is a value of the field's type. */
  setText(text: string): void;
  /** Stores a value. `false` if the store refused it: `error` says why. */
  setValue(value: unknown): boolean;
  /**
   * Call it when the user is done with the field. `true` if the text is stored and a required field has a value, else `false`:
   * `error` says why.
   */
  commit(): boolean;
  props: FieldProps;
}

/** Text in a control as the user typed it. It may differ from the text of the stored value: `1.50` for 1.5. */
interface TypedText {
  text: string;
  /** The text is not stored: it is half typed, or was refused. It stays in the control whatever value the state has. */
  isOpen: boolean;
  /** The value in the store after this text was stored; not set while `isOpen`. */
  stored?: View;
}

const EMPTY: ViewObject = {};

/**
 * A field of a page, for a control of your own: numbers and dates that are half typed stay in the control, a refusal keeps
 * what was typed and says why, and a change by an agent does not move the caret. Spread `props` on an `input`, a `textarea` or
 * a `select`, or use `text`, `setText` and `commit`.
 */
export function useField(
  store: FieldStore,
  name: string,
  block: string,
  key: string,
  options: FieldOptions = {},
): FieldState {
  const blockValue: View = useInstance(untyped(store), name, `blocks[${JSON.stringify(block)}]`);
  const { bind, props }: ViewObject = isObject<View>(blockValue) ? blockValue : EMPTY;
  // A field that the document does not have (yet) is shown as one of text.
  const field = useMemo(() => findField(props, key) ?? { key }, [props, key]);
  return useFieldOf(store, name, block, field, typeof bind === "string" ? bind : undefined, options);
}

/** The field with a key in the `props` of a block, or in its tabs and panels; `undefined` if none exists. */
function findField(group: View, key: string): ViewObject | undefined {
  if (!isObject<View>(group)) return undefined;
  for (const field of listOf(group.fields)) if (isObject<View>(field) && field.key === key) return field;
  for (const subgroup of [...listOf(group.tabs), ...listOf(group.panels)]) {
    const field = findField(subgroup, key);
    if (field !== undefined) return field;
  }
  return undefined;
}

export const isList = (value: View): value is readonly DeepReadonly<Json>[] => Array.isArray(value);

/** The list; an empty one for any other value. */
const listOf = (value: View): readonly View[] => (isList(value) ? value : []);

/**
 * {@link useField} for a caller that has the field and the `bind` of its block: the path of the object in which the block's
 * values are stored. {@link useTypedText} has the text. This hook adds what concerns the field as a whole: its path, the
 * pending call, and the check of `required` when the user is done.
 */
export function useFieldOf(
  store: FieldStore,
  name: string,
  block: string,
  field: ViewObject,
  bind = "state.params",
  { labels, onEdit, ...setOptions }: FieldOptions,
): FieldState {
  const key = String(field.key);
  const type = String(field.type);
  const path = fieldPath(bind, key);
  const value = useFieldValue(store, name, field, path);
  const words = { ...englishFieldLabels, ...labels };
  const isRequired = field.required === true;
  // The value in the store now, which may be newer than `value` of this rendering.
  const read = () => readAt(store, name, path);
  const { props, ...control } = useTypedText(type, value, words, (newValue) => {
    const result = store.setField(name, block, key, newValue, setOptions);
    onEdit?.(newValue, result);
    return result.status === "error" ? { error: result.error.message } : { stored: read() };
  });
  const pathKey = useMemo(() => pathKeyOf([...stepsOf(bind), key]), [bind, key]);
  const pending = usePendingStatus(store, name, path, pathKey, (reason) => {
    // The store has reverted the value, but this function is of the rendering before that: `text` is still what the user typed.
    const text = Object.hasOwn(TYPED, type) ? control.text : "";
    control.setError(fill(text === "" ? words.notSaved : words.textNotSaved, { text, reason }));
  });
  // `isUnreadable`: see `useTypedText`.
  const commit = (isUnreadable = false): boolean => {
    if (!control.commit(isUnreadable)) return false;
    const storedValue = read();
    // Without a stored value, the value that the field declares counts.
    const isMissing = isRequired && isEmpty(storedValue === undefined ? field.value : storedValue);
    if (isMissing) control.setError(words.required);
    return !isMissing;
  };
  const { text, error, setText, setValue, setError } = control;
  return {
    ...{ value, text, error, pending, setText, setValue },
    commit: () => commit(),
    props: {
      ...props,
      name: key,
      ...(type === "checkbox" && { checked: value === true }),
      required: isRequired,
      onBlur: ({ target }) => void commit(target.validity?.badInput),
      onInvalid: (event) => {
        // The browser's bubble is replaced by the error of the field.
        event.preventDefault();
        const { validity, validationMessage } = event.currentTarget;
        setError(validity.valueMissing ? words.required : validationMessage);
      },
    },
  };
}

/**
 * Whether the value of a field waits for the server. `path` is the path for the store, `pathKey` the same path in the form of
 * {@link pathKeyOf}. `onReject` gets the reason if the server has refused the value.
 */
function usePendingStatus(
  store: FieldStore,
  name: string,
  path: string,
  pathKey: string,
  onReject: (reason: string) => void,
): FieldState["pending"] {
  const onRejectRef = useRef(onReject);
  onRejectRef.current = onReject;
  const subscribe = useCallback(
    (listener: () => void) => {
      // `subscribe` throws for a path that the store refuses.
      if (readAt(store, name, path, REFUSED) === REFUSED) return returnUndefined;
      return store.subscribe(
        ({ origin, reason, changes }) => {
          listener();
          // A rejection without a reason leaves the field without an error.
          if (origin !== "reject" || reason === undefined) return;
          if (changes.some((change) => pathKeyOf(change.path) === pathKey)) onRejectRef.current(reason);
        },
        { instance: name, path },
      );
    },
    [store, name, path, pathKey],
  );
  const read = useCallback(() => {
    const calls = store.pending?.(name) ?? NO_CALLS;
    return calls.length === 0 ? undefined : statusesOf(calls).get(pathKey);
  }, [store, name, pathKey]);
  return useSyncExternalStore(subscribe, read, returnUndefined);
}

const NO_CALLS: readonly PendingCall[] = [];

/**
 * The results of `statusesOf`, by its argument: all fields of a page ask for the same list of calls, which is the same object
 * until a call is added, sent or settled.
 */
const statusCache = new WeakMap<readonly PendingCall[], ReadonlyMap<string, FieldState["pending"]>>();

/** For each path that pending calls have changed, in the form of {@link pathKeyOf}, whether the last of these calls was sent. */
function statusesOf(calls: readonly PendingCall[]): ReadonlyMap<string, FieldState["pending"]> {
  const cachedStatuses = statusCache.get(calls);
  if (cachedStatuses !== undefined) return cachedStatuses;
  const statuses = new Map<string, FieldState["pending"]>();
  for (const { changes, sent } of calls) {
    for (const { path } of changes) statuses.set(pathKeyOf(path), sent ? "sent" : "waiting");
  }
  statusCache.set(calls, statuses);
  return statuses;
}

/** A path as a key of a map: its steps joined by line breaks. */
const pathKeyOf = (steps: readonly (string | number)[]): string => steps.join("\n");

/**
 * The steps of a `bind`, read without the store. A `bind` with the id of a list item or with an escaped character gets steps that
 * no change has, so its fields are never shown as pending.
 */
const stepsOf = (bind: string): string[] => bind.match(/[^./[\]"]+/g) ?? [];

/**
 * The text of a control whose value is stored elsewhere. A text that is a value of the field type `type` is passed to `put` at
 * once; an unknown type accepts every text. `put` returns the value that is stored then, or why the store refused it. `commit`
 * ends the typing: a text that is not stored yet is stored or becomes an error.
 */
export function useTypedText(
  type: string,
  value: View,
  words: FieldLabels,
  put: (newValue: unknown) => { stored: View; error?: undefined } | { error: string },
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
    update(undefined, "");
    return true;
  };
  return {
    ...{ text, error, setValue, commit },
    // A function of its own: the type of `useState` would make the declarations need React's types.
    setError: (message: string) => setError(message),
    // Callers do not know of `isUnreadable`.
    setText: (next: string) => setText(next),
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

/** Whether a required field has no value. `false` is none: a required checkbox must be checked. */
const isEmpty = (value: View): boolean =>
  value === undefined || value === null || value === "" || value === false || (Array.isArray(value) && !value.length);

/**
 * The value of a field: that at its path, else the one that the field declares, with its templates filled in. The component
 * renders only when this value changes. For templates the hook reads the whole instance; else it reads the path alone, or nothing
 * if the store refuses the path.
 */
function useFieldValue(store: FieldStore, name: string, field: ViewObject, path: string): View {
  const { value: declaredValue, type } = field;
  const hasTemplates = hasTemplate(declaredValue);
  // A selector that reads the store itself: templates need the store to be filled in.
  const readFilled = useCallback(() => {
    const storedValue = readAt(store, name, path);
    if (storedValue !== undefined) return storedValue;
    return fillTemplates(store, name, declaredValue, type === "html" ? "html" : "none");
  }, [store, name, path, declaredValue, type]);
  const isPathAccepted = useMemo(() => readAt(store, name, path, REFUSED) !== REFUSED, [store, name, path]);
  const pathOrNone = isPathAccepted ? path : returnUndefined;
  const value: View = useInstance(untyped(store), name, hasTemplates ? readFilled : pathOrNone);
  return value === undefined ? declaredValue : value;
}

/** Used as a selector of nothing, as the end of a subscription that never began, and as the pending status on a server. */
const returnUndefined = () => undefined;
/** What {@link readAt} is asked to return for a path that the store refuses: no value of a document is this object. */
const REFUSED: View = /* @__PURE__ */ Object.freeze({});

/**
 * The value at a path; `undefined` if none exists, and `ifRefused` if the store refuses the path, for example because no path
 * can contain the key.
 */
function readAt(store: FieldStore, name: string, path: string, ifRefused?: View): View {
  try {
    return untyped(store).get(name, path);
  } catch {
    return ifRefused;
  }
}

/** The path of a field's value: the key below the block's `bind`, which is a JSON Pointer or a path with dots. */
function fieldPath(bind: string, key: string): string {
  if (bind.startsWith("/")) return `${bind}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return `${bind}[${JSON.stringify(key)}]`;
}

/** Whether a template such as `${state.params.city}` may stand anywhere in a value. */
export const hasTemplate = (value: View): boolean => JSON.stringify(value)?.includes("${") === true;

/** A value with its templates filled in. A string that is nothing but one template becomes the value that it leads to. */
export function fillTemplates(store: FieldStore, name: string, value: View, escaping: "html" | "none"): View {
  if (typeof value === "string") {
    const path = /^\$\{([^{}]*)\}$/.exec(value)?.[1]?.trim();
    // Templates may leave out `state.`.
    const valueAtPath =
      path === undefined ? undefined : (readAt(store, name, path) ?? readAt(store, name, `state.${path}`));
    // A text for HTML is left to `render`, which escapes it.
    if (valueAtPath !== undefined && !(escaping === "html" && typeof valueAtPath === "string")) return valueAtPath;
    return value.includes("${") ? store.render(name, value, { escape: escaping }) : value;
  }
  const fillItem = (item: DeepReadonly<Json>) => fillTemplates(store, name, item, escaping) ?? null;
  if (isList(value)) return value.map(fillItem);
  if (!isObject<DeepReadonly<Json>>(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillItem(item)]));
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
type Problem = "" | "notANumber" | "notADate" | "notJson";

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

/** The label of the error for a type of fields; `""` for types that accept every text, unknown ones among them. */
const problemOf = (type: string): Problem => (Object.hasOwn(TYPED, type) && TYPED[type]) || "";

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
