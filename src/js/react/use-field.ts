"use client";
/** `useField`: the control of a page's field: its value and text, whether it waits for the server, and what is wrong with it. */
import { useCallback, useMemo, useRef, useSyncExternalStore } from "react";
import { isObject } from "../core/kinds.js";
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
import { type Control, isTyped, type KeyPress, useTypedText, type View } from "./typed-text.js";

export type { View };

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
  const put = (newValue: unknown) => {
    const result = store.setField(name, block, key, newValue, setOptions);
    onEdit?.(newValue, result);
    return result.status === "error" ? { error: result.error.message } : { stored: read() };
  };
  const { props, setError, ...control } = useTypedText(type, value, words, put, () => {
    const storedValue = read();
    // Without a stored value, the value that the field declares counts.
    return isRequired && isEmpty(storedValue === undefined ? field.value : storedValue) ? words.required : "";
  });
  const pathKey = useMemo(() => pathKeyOf([...stepsOf(bind), key]), [bind, key]);
  const pending = usePendingStatus(store, name, path, pathKey, (reason) => {
    // The store has reverted the value, but this function is of the rendering before that: `text` is still what the user typed.
    const text = isTyped(type) ? control.text : "";
    setError(fill(text === "" ? words.notSaved : words.textNotSaved, { text, reason }));
  });
  return {
    ...control,
    value,
    pending,
    props: {
      ...props,
      name: key,
      ...(type === "checkbox" && { checked: value === true }),
      required: isRequired,
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
