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

export type View = DeepReadonly<Json> | undefined;
type ViewObject = { readonly [key: string]: View };

/** The methods of a `PatchStore` that `useField` calls. */
export interface FieldStore {
  snapshot(name: string): unknown;
  get(name: string, path: string): unknown;
  subscribe(listener: (event: StoreEvent) => void, filter: { instance?: string; path?: string }): () => void;
  setField(name: string, block: string, key: string, value: unknown, options?: SetOptions): OptimisticResult;
  render(name: string, template: string, options?: { escape?: "html" | "none" }): string;
  pending?(name: string): readonly PendingCall[];
}

interface UntypedStore extends FieldStore {
  snapshot(name: string): View;
  get(name: string, path: string): View;
}

/** A store whose documents are any JSON, whatever types the host has given it. */
export const untyped = (store: FieldStore): UntypedStore => store as UntypedStore;

/** Error messages of a field. */
export interface FieldLabels {
  required: string;
  notANumber: string;
  notADate: string;
  notJson: string;
  /** The server has refused a value; `{reason}` is its message. */
  notSaved: string;
  /** The same for a value that was typed: `{text}`. */
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

interface KeyPress {
  key: string;
  currentTarget: Control;
}

/** For an `input`, a `textarea` or a `select`. The events are those of React, as far as they are used. */
export interface FieldProps {
  ref: (control: HTMLElement | null) => void;
  name: string;
  /** Unused for checkboxes, which have `checked`. */
  value: string;
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
  /** Why the typed text is not stored; `""` if it is. */
  error: string;
  /** The value waits to be sent to the server, or was sent and waits for the answer. */
  pending: "waiting" | "sent" | undefined;
  /** Sets the typed text. It is stored as soon as it is a value of the field's type. */
  setText(text: string): void;
  /** Stores a value. `false` if the store refused it: `error` says why. */
  setValue(value: unknown): boolean;
  /** The user is done: the text is stored, or `error` says what is missing. `false` if it is not stored. */
  commit(): boolean;
  props: FieldProps;
}

/** Typed text that differs from the text of the stored value, such as `1.50` for 1.5. */
interface Typed {
  text: string;
  /** The text is half typed or refused, so it stays in the control whatever value the state has. */
  isOpen: boolean;
  /** The value that it was stored as. */
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
  const shown: View = useInstance(untyped(store), name, `blocks[${JSON.stringify(block)}]`);
  const { bind, props }: ViewObject = isObject<View>(shown) ? shown : EMPTY;
  const field = useMemo(() => findField(props, key) ?? { key }, [props, key]);
  return useFieldOf(store, name, block, field, typeof bind === "string" ? bind : undefined, options);
}

/** The field of a block, or of a tab or a panel in it. */
function findField(group: View, key: string): ViewObject | undefined {
  if (!isObject<View>(group)) return undefined;
  for (const field of listOf(group.fields)) if (isObject<View>(field) && field.key === key) return field;
  for (const inner of [...listOf(group.tabs), ...listOf(group.panels)]) {
    const found = findField(inner, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

export const isList = (value: View): value is readonly DeepReadonly<Json>[] => Array.isArray(value);

const listOf = (value: View): readonly View[] => (isList(value) ? value : []);

/** {@link useField} for a caller that has the field and the `bind` of its block. */
export function useFieldOf(
  store: FieldStore,
  name: string,
  block: string,
  field: ViewObject,
  bind = "state.params",
  { labels, onEdit, ...setting }: FieldOptions,
): FieldState {
  const key = String(field.key);
  const type = String(field.type);
  const path = fieldPath(bind, key);
  const value = useFieldValue(store, name, field, path);
  const words = { ...englishFieldLabels, ...labels };
  const isRequired = field.required === true;
  const read = () => readAt(store, name, path);
  const { props, ...typed } = useTyped(type, value, words, (given) => {
    const result = store.setField(name, block, key, given, setting);
    onEdit?.(given, result);
    return result.status === "error" ? { error: result.error.message } : { stored: read() };
  });
  const place = useMemo(() => placeOf([...stepsOf(bind), key]), [bind, key]);
  const pending = usePending(store, name, path, place, (reason) => {
    const text = Object.hasOwn(TYPED, type) ? typed.textNow() : "";
    typed.setError(fill(text === "" ? words.notSaved : words.textNotSaved, { text, reason }));
  });
  const commit = (isHalfTyped = false): boolean => {
    if (!typed.commit(isHalfTyped)) return false;
    const stored = read();
    const isMissing = isRequired && isEmpty(stored === undefined ? field.value : stored);
    if (isMissing) typed.setError(words.required);
    return !isMissing;
  };
  const { text, error, setText, setValue, setError } = typed;
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
        // The field says it in its own words and place.
        event.preventDefault();
        const { validity, validationMessage } = event.currentTarget;
        setError(validity.valueMissing ? words.required : validationMessage);
      },
    },
  };
}

/** Whether the value at a path waits for the server. `onReject` gets the reason if the server has refused it. */
function usePending(
  store: FieldStore,
  name: string,
  path: string,
  place: string,
  onReject: (reason: string) => void,
): FieldState["pending"] {
  const latest = useRef(onReject);
  latest.current = onReject;
  const subscribe = useCallback(
    (listener: () => void) => {
      if (readAt(store, name, path, NO_PATH) === NO_PATH) return nothing;
      return store.subscribe(
        ({ origin, reason, changes }) => {
          listener();
          if (origin !== "reject" || reason === undefined) return;
          if (changes.some((change) => placeOf(change.path) === place)) latest.current(reason);
        },
        { instance: name, path },
      );
    },
    [store, name, path, place],
  );
  const read = useCallback(() => {
    const calls = store.pending?.(name) ?? NO_CALLS;
    return calls.length === 0 ? undefined : placesOf(calls).get(place);
  }, [store, name, place]);
  return useSyncExternalStore(subscribe, read, nothing);
}

const NO_CALLS: readonly PendingCall[] = [];

/** By list of calls, which stays the same until a call comes, is sent or is settled. */
const knownPlaces = new WeakMap<readonly PendingCall[], ReadonlyMap<string, FieldState["pending"]>>();

/** The places that pending calls have changed. */
function placesOf(calls: readonly PendingCall[]): ReadonlyMap<string, FieldState["pending"]> {
  const known = knownPlaces.get(calls);
  if (known !== undefined) return known;
  const places = new Map<string, FieldState["pending"]>();
  for (const { changes, sent } of calls) {
    for (const { path } of changes) places.set(placeOf(path), sent ? "sent" : "waiting");
  }
  knownPlaces.set(calls, places);
  return places;
}

const placeOf = (steps: readonly (string | number)[]): string => steps.join("\n");

/** The keys of a `bind` without ids and escapes: fields elsewhere are not marked. */
const stepsOf = (bind: string): string[] => bind.match(/[^./[\]"]+/g) ?? [];

/**
 * The typed text of a control whose value is stored elsewhere. `put` stores a value, and returns the value that is stored then, or
 * why it was refused.
 */
export function useTyped(
  type: string,
  value: View,
  words: FieldLabels,
  put: (given: unknown) => { stored: View; error?: undefined } | { error: string },
) {
  const [typed, setTyped] = useState<Typed>();
  const [error, setError] = useState("");
  // Read by handlers, which may run several times before the next rendering.
  const now = useRef({ typed, value, isComposing: false });
  now.current.value = value;
  const isShown = typed !== undefined && (typed.isOpen || Object.is(typed.stored, value));
  const text = isShown ? typed.text : textOfValue(type, value);
  const ref = useCaret(text);

  const keep = (next: Typed | undefined, problem: string) => {
    now.current.typed = next;
    setTyped(next);
    setError(problem);
  };
  const store = (given: unknown, written: string | undefined): boolean => {
    const answer = put(given);
    if (answer.error !== undefined) {
      keep(written === undefined ? now.current.typed : { text: written, isOpen: true }, answer.error);
      return false;
    }
    keep(written === undefined ? undefined : { text: written, isOpen: false, stored: answer.stored }, "");
    return true;
  };
  const setText = (written: string, isHalfTyped = false) => {
    const isOpen = now.current.isComposing || isHalfTyped;
    const read = isOpen ? undefined : readText(type, written, now.current.value, false);
    if (read === undefined) keep({ text: written, isOpen: true }, error);
    else store(read.value, written);
  };
  const setValue = (given: unknown) => store(given, undefined);
  const commit = (isHalfTyped = false): boolean => {
    const { typed: last } = now.current;
    if (last?.isOpen) {
      const read = isHalfTyped ? undefined : readText(type, last.text, now.current.value, true);
      if (read === undefined) {
        // A text type has no problem of its own: the browser has refused the text of a control such as type="time".
        keep(last, words[problemOf(type) || "notANumber"]);
        return false;
      }
      if (!store(read.value, last.text)) return false;
    }
    // From now on the control shows the text of the stored value.
    keep(undefined, "");
    return true;
  };
  return {
    ...{ text, error, setValue, commit },
    /** The text of the last rendering: the store may hold another value already. */
    textNow: () => text,
    setError: (problem: string) => setError(problem),
    setText: (written: string) => setText(written),
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
        if (pressed === "Enter" && currentTarget.tagName === "INPUT" && !now.current.isComposing)
          commit(currentTarget.validity?.badInput);
      },
      onCompositionStart: () => {
        now.current.isComposing = true;
      },
      onCompositionEnd: ({ currentTarget }: { currentTarget: Control }) => {
        now.current.isComposing = false;
        setText(currentTarget.value);
      },
    },
  };
}

const isEmpty = (value: View): boolean =>
  value === undefined || value === null || value === "" || value === false || (Array.isArray(value) && !value.length);

/** The value of a field, and of nothing else of the instance: its component renders when that changes. */
function useFieldValue(store: FieldStore, name: string, field: ViewObject, path: string): View {
  const { value: declared, type } = field;
  const isTemplate = hasTemplate(declared);
  const read = useCallback(() => {
    const own = readAt(store, name, path);
    return own === undefined ? fillTemplates(store, name, declared, type === "html" ? "html" : "none") : own;
  }, [store, name, path, declared, type]);
  const isPath = useMemo(
    () => !isTemplate && readAt(store, name, path, NO_PATH) !== NO_PATH,
    [store, name, path, isTemplate],
  );
  const own: View = useInstance(untyped(store), name, isTemplate ? read : isPath ? path : nothing);
  return own === undefined ? declared : own;
}

const nothing = () => undefined;
/** The answer for a path that the store refuses. */
const NO_PATH: View = /* @__PURE__ */ Object.freeze({});

/** The value at a path; `otherwise` if the store refuses the path, for example because no path can contain the key. */
function readAt(store: FieldStore, name: string, path: string, otherwise?: View): View {
  try {
    return untyped(store).get(name, path);
  } catch {
    return otherwise;
  }
}

/** Where the value of a field is in state: the block's `bind`, and the field's key. */
function fieldPath(bind: string, key: string): string {
  if (bind.startsWith("/")) return `${bind}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return `${bind}[${JSON.stringify(key)}]`;
}

export const hasTemplate = (value: View): boolean => JSON.stringify(value)?.includes("${") === true;

/** A value with its templates filled in. A string that is nothing but one template becomes the value that it leads to. */
export function fillTemplates(store: FieldStore, name: string, value: View, escaping: "html" | "none"): View {
  if (typeof value === "string") {
    const path = /^\$\{([^{}]*)\}$/.exec(value)?.[1]?.trim();
    const found = path === undefined ? undefined : (readAt(store, name, path) ?? readAt(store, name, `state.${path}`));
    if (found !== undefined && !(escaping === "html" && typeof found === "string")) return found;
    return value.includes("${") ? store.render(name, value, { escape: escaping }) : value;
  }
  const fill = (item: DeepReadonly<Json>) => fillTemplates(store, name, item, escaping) ?? null;
  if (isList(value)) return value.map(fill);
  if (!isObject<DeepReadonly<Json>>(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item)]));
}

/** The seconds and the zone of a time, which a control does not show. An edit keeps them. */
const TAIL = /(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;
const DATE = /^\d{4,6}-\d\d-\d\d$/;
const TIME = /^\d{4,6}-\d\d-\d\dT\d\d:\d\d/;

/** The text in a control for a value. */
function textOfValue(type: string, value: View): string {
  if (value === undefined || (value === null && type !== "json")) return "";
  if (type === "json") return JSON.stringify(value, null, 2);
  if (typeof value === "object") return JSON.stringify(value);
  if (type === "datetime" && TIME.test(String(value))) return String(value).slice(0, String(value).indexOf("T") + 6);
  return String(value);
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

const problemOf = (type: string): Problem => (Object.hasOwn(TYPED, type) && TYPED[type]) || "";

/** The value of a text; `undefined` while it is half typed. `isDone`: the user has left the control. */
function readText(type: string, text: string, value: View, isDone: boolean): { value: unknown } | undefined {
  const plain = text.normalize("NFKC").trim();
  switch (problemOf(type)) {
    case "":
      return { value: text };
    case "notANumber":
      // "-", "1." and "1e" are incomplete numbers: storing them would lose characters.
      if (plain === "") return { value: null };
      if (!/^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(plain) || (!isDone && /\D$/.test(plain))) return undefined;
      return Number.isFinite(Number(plain)) ? { value: Number(plain) } : undefined;
    case "notADate": {
      if (plain === "") return { value: "" };
      if (!(type === "date" ? DATE : TIME).test(plain)) return undefined;
      // A year is typed digit by digit: 0002 is on the way to 2026.
      if (!isDone && plain.startsWith("0")) return undefined;
      const before = typeof value === "string" && TIME.test(value) ? value : "";
      const [tail] = TAIL.exec(before.slice(before.indexOf("T") + 6)) ?? [""];
      return { value: type === "date" ? plain : `${plain}${plain.length > plain.indexOf("T") + 6 ? "" : tail}` };
    }
    case "notJson":
      try {
        return { value: plain === "" ? null : JSON.parse(text) };
      } catch {
        return undefined;
      }
  }
}

interface Caret {
  element: HTMLInputElement | HTMLTextAreaElement;
  start: number;
  end: number;
  text: string;
}

/** On a server React 18 warns of layout effects. */
const useAfterCommit = typeof document === "undefined" ? useEffect : useLayoutEffect;

/** Keeps the caret where it is in the text when the control that has the focus gets another text from elsewhere. */
function useCaret(text: string): (control: HTMLElement | null) => void {
  const control = useRef<HTMLElement | null>(null);
  // While this renders, the control still shows the last text.
  const before = caretOf(control.current);
  useAfterCommit(() => {
    const after = caretOf(control.current);
    if (before === undefined || after === undefined || before.text === after.text || after.text !== text) return;
    const move = mover(before.text, after.text);
    after.element.setSelectionRange(move(before.start), move(before.end));
  });
  return useCallback((next) => {
    control.current = next;
  }, []);
}

function caretOf(element: HTMLElement | null): Caret | undefined {
  if (element === null || element.ownerDocument.activeElement !== element || !hasCaret(element)) return undefined;
  const { selectionStart: start, selectionEnd: end, value: text } = element;
  return start !== null && end !== null ? { element, start, end, text } : undefined;
}

/** By the name of the tag: `instanceof` fails for elements of another window. */
const hasCaret = (element: HTMLElement): element is Caret["element"] => /^(INPUT|TEXTAREA)$/.test(element.tagName);

/** Maps a place in one text to another text, by their common beginning and end. */
function mover(before: string, after: string): (place: number) => number {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const growth = after.length - before.length;
  return (place) => {
    if (place <= head) return place;
    return place >= before.length - tail ? place + growth : Math.min(place, after.length - tail);
  };
}
