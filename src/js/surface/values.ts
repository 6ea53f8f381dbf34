/** Resolves the values of properties: bindings, literals and functions become plain JSON. */
import { isObject, isText, type Members } from "../core/kinds.js";
import { measure } from "../core/measure.js";
import { deepFreeze, put } from "../core/tree.js";
import type { Json } from "../types.js";
import { type DataModel, isTree } from "./data.js";
import { evaluate } from "./format-string.js";
import { requireArguments } from "./functions.js";
import { type Segments, segmentsOf, spread } from "./paths.js";
import { shown } from "./refusal.js";
import type { Settings } from "./settings.js";
import type { SurfaceErrorCode, SurfaceProtocol } from "./types.js";

const LITERALS = ["literalString", "literalNumber", "literalBoolean", "literalArray"];
const BOUND = new Set(["path", ...LITERALS]);

export interface Scope extends Settings {
  protocol: SurfaceProtocol;
  item: Segments;
  model: DataModel;
  /** How much has been read and made so far. */
  steps: number;
  /** Takes memory for the node that is being resolved; `false`, with a diagnostic, where the trees have no room for it. */
  charge(bytes: number): boolean;
  read: ((path: Segments, kind: "value" | "shape") => void) | undefined;
  /** A warning, unless it says otherwise. */
  report(code: SurfaceErrorCode, message: string, severity?: "error" | "warning"): void;
  /** A2UI v0.8: a binding with a literal, to a place without a value. */
  initialise?(path: Segments, value: Json): void;
}

/** A value with everything in it resolved. What has nothing to resolve is the same object. */
export function resolve(value: Json, scope: Scope, depth = 0): Json {
  if (!isTree(value)) return value;
  if (Array.isArray(value)) {
    let list: Json[] | undefined;
    for (const [index, item] of value.entries()) {
      const resolved = resolve(item, scope, depth);
      if (resolved !== item) list ??= value.slice(0, index);
      list?.push(resolved);
    }
    return list ?? value;
  }
  const binding = bindingOf(value, scope.protocol);
  if (binding) return readBinding(binding, scope)[1];
  if (scope.protocol === "a2ui-0.9") {
    const { call, args } = value;
    if (isText(call)) return callFunction(call, () => resolveAll(args, scope, depth + 1), scope, depth);
  } else if (isLiteral(value)) {
    return literal(value) as Json;
  }
  let object: Members | undefined;
  for (const [key, inner] of Object.entries(value)) {
    const resolved = resolve(inner, scope, depth);
    if (resolved === inner && object === undefined) continue;
    object ??= { ...value };
    put(object, key, resolved);
  }
  return object ?? value;
}

export function dependsOnData(value: Json, protocol: SurfaceProtocol): boolean {
  if (!isTree(value)) return false;
  if (Array.isArray(value)) return value.some((item) => dependsOnData(item, protocol));
  if (bindingOf(value, protocol) !== undefined) return true;
  const isNew = protocol === "a2ui-0.9";
  if (isNew ? isText(value.call) : isLiteral(value)) return isNew;
  return Object.values(value).some((inner) => dependsOnData(inner, protocol));
}

/** A value that does not depend on data, with literals unwrapped. Nothing else of a scope is looked at for it. */
export const unwrap = (value: Json, protocol: SurfaceProtocol): Json => resolve(value, { protocol } as Scope);

export type Binding = NonNullable<ReturnType<typeof bindingOf>>;

export function bindingOf(value: Json | undefined, protocol: SurfaceProtocol) {
  if (!isObject<Json>(value) || !isText(value.path)) return undefined;
  const { path } = value;
  const keys = Object.keys(value);
  if (protocol === "a2ui-0.9" ? keys.length > 1 : keys.some((key) => !BOUND.has(key))) return undefined;
  return { path, segments: segmentsOf(path, protocol), literal: literal(value) };
}

function isLiteral(value: Members): boolean {
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => LITERALS.includes(key));
}

const literal = (value: Members): Json | undefined =>
  LITERALS.map((key) => value[key]).find((own) => own !== undefined);

/** The place of a binding, and its value; of A2UI v0.8, which has no lists, that of a list may be its text. */
export function readBinding(
  { path, segments, literal: own }: Binding,
  scope: Scope,
  isList = false,
): [place: Segments | undefined, value: Json] {
  // In GULF a literal is the value, and the place is where an input writes.
  if (own !== undefined && scope.protocol === "gulf") {
    return [placeOf(path, { ...scope, read: undefined, report() {} }, "value", segments), own];
  }
  const place = placeOf(path, scope, "value", segments);
  const read = place && readAt(place, scope);
  if (read === undefined) {
    if (own !== undefined && place && isKept(place, scope)) scope.initialise?.(place, own);
    return [place, own ?? null];
  }
  const found = isList ? listIn(read, scope) : read;
  // It goes into a node, which must not change any more.
  deepFreeze(found);
  return [place, found];
}

/** Whether there is a value at a place once one is put there: where a list ends there never is, `-` of an object is a key. */
function isKept(place: Segments, scope: Scope): boolean {
  const end = place.lastIndexOf("-");
  if (end < 0) return true;
  const holder = place.slice(0, end);
  scope.read?.(holder, "shape");
  return isObject(listIn(readAt(holder, scope), scope));
}

/** Where a path leads: in the item if it is relative, in the model if not. Notes the reading. */
export function placeOf(
  path: string,
  scope: Scope,
  kind: "value" | "shape",
  segments = segmentsOf(path, scope.protocol),
): Segments | undefined {
  const { item, protocol } = scope;
  // Keys of A2UI v0.8 may be paths, and where the whole is no key, the path in it is meant.
  const other = segments && protocol === "a2ui-0.8" ? spread(segments) : undefined;
  // No data are as deep as a longer path.
  if (segments === undefined || (other ?? segments).length > scope.limits.maxDepth) {
    scope.report("INVALID_PATH", `"${shown(path, 60)}" is no path.`);
    return undefined;
  }
  const isAbsolute = path.startsWith("/");
  const forms = other ? [segments, other] : [segments];
  let places = forms;
  if (item.length > 0) {
    const inItem = forms.map((form) => [...item, ...form]);
    // Templates of GULF and A2UI v0.8 read `/name` from the item.
    places = !isAbsolute ? inItem : protocol === "a2ui-0.9" ? forms : [...forms, ...inItem];
  }
  for (const place of places) {
    scope.read?.(place, kind);
    if (places.length > 1 && readAt(place, scope) === undefined) continue;
    const isFallback = isAbsolute && places.indexOf(place) >= forms.length;
    if (isFallback) scope.report("PATH_FALLBACK", `"${shown(path, 60)}" leads nowhere and was read from the item.`);
    return place;
  }
  return places[forms.length - 1];
}

export const readAt = (place: Segments, { model, protocol }: Scope): Json | undefined =>
  model.read(place, protocol === "a2ui-0.8");

/** In A2UI v0.8 the list or object that a text is. */
export const listIn = <Value extends Json | undefined>(value: Value, { model, protocol }: Scope): Json | Value =>
  (typeof value === "string" && protocol === "a2ui-0.8" ? model.said(value) : undefined) ?? value;

export function resolveAll(values: Json | undefined, scope: Scope, depth = 0): Members {
  const resolved: Members = {};
  const entries = isObject<Json>(values) ? Object.entries(values) : [];
  for (const [key, value] of entries) put(resolved, key, resolve(value, scope, depth));
  return resolved;
}

const INSTRUCTION = "openUrl";

/** Whether there is a function; if not, that is told. */
export function isKnown(name: string, scope: Scope): boolean {
  const found = [INSTRUCTION, "formatString"].includes(name) || scope.functions.has(name);
  if (!found) scope.report("UNKNOWN_FUNCTION", `There is no function "${name.slice(0, 60)}".`);
  return found;
}

/** What a function has made, or null where the trees have no room for it. */
function charged(made: Json, scope: Scope): Json {
  if (!isText(made) && !isTree(made)) return made;
  return scope.charge(2 * (isText(made) ? made.length : measure(made).bytes)) ? made : null;
}

function callFunction(name: string, resolved: () => Members, scope: Scope, depth: number): Json {
  const { maxTemplateDepth } = scope.limits;
  if (depth >= maxTemplateDepth) {
    scope.report("LIMIT_EXCEEDED", `Functions stand inside each other more than ${maxTemplateDepth} times.`);
    return null;
  }
  const args = resolved();
  // An instruction to the page, which only an action can give.
  if (name === INSTRUCTION || !isKnown(name, scope)) return null;
  const own = scope.functions.get(name);
  try {
    if (own) return charged(own(args, scope), scope);
    requireArguments(name, args);
    const text = evaluate(args.value ?? null, {
      read: (path) => {
        const place = placeOf(path, scope, "value");
        const found = place && readAt(place, scope);
        deepFreeze(found);
        return found ?? null;
      },
      call: (inner, given) => callFunction(inner, () => given, scope, depth + 1),
      maxDepth: maxTemplateDepth - depth,
      maxLength: scope.limits.maxFunctionText,
    });
    return charged(text, scope);
  } catch (cause) {
    reportFailure(name, cause, scope);
    return null;
  }
}

export function reportFailure(name: string, cause: unknown, scope: Scope): void {
  const reason = cause instanceof Error ? cause.message : String(cause);
  scope.report("FUNCTION_FAILED", `${name}: ${reason.slice(0, 200)}`);
}
