/** Resolves the values of properties: bindings, literals and functions become plain JSON. */
import { isObject, isText, type Members } from "../core/kinds.js";
import { measure } from "../core/measure.js";
import { deepFreeze, isTree, put } from "../core/tree.js";
import type { Json } from "../types.js";
import { isIssue } from "./catalogs.js";
import type { DataModel } from "./data.js";
import { type Binding, bindingOf, callOf, isLiteral, literalOf, unescaped } from "./directives.js";
import { evaluate } from "./format-string.js";
import { type KnownFunction, requireArguments } from "./functions.js";
import { type Segments, segmentsOf, spread } from "./paths.js";
import { PROTOCOLS } from "./protocols.js";
import { shown } from "./refusal.js";
import { functionKey, type Settings } from "./settings.js";
import { messageOf } from "./text.js";
import type { SurfaceErrorCode, SurfaceProtocol } from "./types.js";

/** The context in which the values of a component are resolved. */
export interface Scope extends Settings {
  protocol: SurfaceProtocol;
  /** The path of the template item; empty outside of templates. */
  item: Segments;
  model: DataModel;
  /** The catalog that the surface names. */
  catalogId: string | undefined;
  /** Counts the work: nodes, reads, and memory. */
  steps: number;
  /** Charges memory to the node that is being resolved; returns `false`, with a diagnostic, if the trees exceed their limit. */
  charge(bytes: number): boolean;
  /** Records that the node depends on a place. */
  read: ((path: Segments, kind: "value" | "shape") => void) | undefined;
  /** Reports a diagnostic, a warning by default. */
  report(code: SurfaceErrorCode, message: string, severity?: "error" | "warning"): void;
  /** A2UI v0.8: a binding with a literal initialises a place without a value. */
  initialise?(path: Segments, value: Json): void;
}

/** Resolves everything in a value. A value without anything to resolve is returned as it is. `depth`: the number of calls around it. */
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
  if (binding) return readBinding(binding, scope).value;
  const { isFlat, hasDirectives } = PROTOCOLS[scope.protocol];
  if (isFlat) {
    const called = callOf(value, scope.protocol);
    if (called) return callFunction(called, () => resolveAll(called.args, scope, depth + 1), scope, depth);
  } else if (isLiteral(value)) {
    return literalOf(value) ?? null;
  }
  if (hasDirectives && Object.keys(value).some((key) => key.startsWith("@@"))) {
    const plain: Members = {};
    for (const [key, inner] of Object.entries(value)) put(plain, unescaped(key), resolve(inner, scope, depth));
    return plain;
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

/** Whether a value contains a binding or a call. */
export function dependsOnData(value: Json, protocol: SurfaceProtocol): boolean {
  if (!isTree(value)) return false;
  if (Array.isArray(value)) return value.some((item) => dependsOnData(item, protocol));
  if (bindingOf(value, protocol) !== undefined) return true;
  if (callOf(value, protocol) !== undefined) return true;
  if (!PROTOCOLS[protocol].isFlat && isLiteral(value)) return false;
  return Object.values(value).some((inner) => dependsOnData(inner, protocol));
}

/** Unwraps the literals of a value that does not depend on data; this needs nothing of the scope but the protocol. */
export const unwrap = (value: Json, protocol: SurfaceProtocol): Json => resolve(value, { protocol } as Scope);

/**
 * The place of a binding, and its value. `isList`: in A2UI v0.8, whose data have no lists, a text with the JSON of a list is read
 * as the list.
 */
export function readBinding(
  { path, segments, literal }: Binding,
  scope: Scope,
  isList = false,
): { place: Segments | undefined; value: Json } {
  // In GULF a literal is the value, and the place is where an input writes.
  if (literal !== undefined && scope.protocol === "gulf") {
    return { place: placeOf(path, { ...scope, read: undefined, report() {} }, "value", segments), value: literal };
  }
  const place = placeOf(path, scope, "value", segments);
  const read = place && readAt(place, scope);
  if (read === undefined) {
    if (literal !== undefined && place && isKept(place, scope)) scope.initialise?.(place, literal);
    return { place, value: literal ?? null };
  }
  const found = isList ? listIn(read, scope) : read;
  // Values of nodes must not change any more.
  deepFreeze(found);
  return { place, value: found };
}

/** Whether a value written to a place can be read there: not at `-` of a list, which means its end. */
function isKept(place: Segments, scope: Scope): boolean {
  const end = place.lastIndexOf("-");
  if (end < 0) return true;
  const holder = place.slice(0, end);
  scope.read?.(holder, "shape");
  return isObject(listIn(readAt(holder, scope), scope));
}

/** The place that a path means: in the template item if it is relative, else in the model. Records the dependency. */
export function placeOf(
  path: string,
  scope: Scope,
  kind: "value" | "shape",
  segments = segmentsOf(path, scope.protocol),
): Segments | undefined {
  const { item, protocol } = scope;
  // In A2UI v0.8 a segment that is not a key may be a path with dots and brackets.
  const other = segments && protocol === "a2ui-0.8" ? spread(segments) : undefined;
  // Data is never deeper than the limit, so a longer path leads nowhere.
  if (segments === undefined || (other ?? segments).length > scope.limits.maxDepth) {
    scope.report("INVALID_PATH", `"${shown(path, 60)}" is not a valid path.`);
    return undefined;
  }
  const isAbsolute = path.startsWith("/");
  const forms = other ? [segments, other] : [segments];
  let places = forms;
  if (item.length > 0) {
    const inItem = forms.map((form) => [...item, ...form]);
    // Templates of GULF and A2UI v0.8 read `/name` from the item.
    places = !isAbsolute ? inItem : PROTOCOLS[protocol].isFlat ? forms : [...forms, ...inItem];
  }
  for (const place of places) {
    scope.read?.(place, kind);
    if (places.length > 1 && readAt(place, scope) === undefined) continue;
    const isFallback = isAbsolute && places.indexOf(place) >= forms.length;
    if (isFallback)
      scope.report("PATH_FALLBACK", `"${shown(path, 60)}" leads nowhere from the root and was read from the item.`);
    return place;
  }
  // No place has data: the last form counts, without the fallback to the item.
  return places[forms.length - 1];
}

/** The value at a place; in A2UI v0.8 also inside of a text that contains a list or an object. */
export const readAt = (place: Segments, { model, protocol }: Scope): Json | undefined =>
  model.read(place, protocol === "a2ui-0.8");

/** In A2UI v0.8, the list or object in a text; else the value itself. */
export const listIn = <Value extends Json | undefined>(value: Value, { model, protocol }: Scope): Json | Value =>
  (typeof value === "string" && protocol === "a2ui-0.8" ? model.parsedText(value) : undefined) ?? value;

/** Resolves each member of an object; other values have none. */
export function resolveAll(values: Json | undefined, scope: Scope, depth = 0): Members {
  const resolved: Members = {};
  const entries = isObject<Json>(values) ? Object.entries(values) : [];
  for (const [key, value] of entries) put(resolved, key, resolve(value, scope, depth));
  return resolved;
}

/** An instruction to the page: only an action may contain this call, which has no result. */
const INSTRUCTION = "openUrl";
/** A2UI 1.0: the index of the template item, from 0. */
const INDEX = "@index";

/** @throws Error outside of templates. */
function indexInTemplate({ item, ...scope }: Scope, { offset = 0 }: Members): Json {
  const key = item.at(-1);
  if (key === undefined) throw new Error("there is an index only in the items of a template");
  const holder = item.slice(0, -1);
  const list = readAt(holder, { ...scope, item });
  if (isObject(list)) scope.read?.(holder, "shape");
  const index = isObject(list) ? Object.keys(list).indexOf(key) : Number(key);
  return index + (typeof offset === "number" ? offset : 0);
}

/** A call by its name, and the catalog that it names. */
interface Called {
  readonly call: string;
  readonly catalogId?: string | undefined;
}

/** The function of the page that a call means: of the catalog that the call names, else of the surface's, else of all. */
export function functionOf({ call, catalogId }: Called, { functions, ...scope }: Scope): KnownFunction | undefined {
  const id = catalogId ?? scope.catalogId;
  return (id === undefined ? undefined : functions.get(functionKey(call, id))) ?? functions.get(call);
}

/** Whether a component may call a function; if not, reports a diagnostic. */
export function isKnown(called: Called, scope: Scope): boolean {
  const { call, catalogId } = called;
  const { catalogs, protocol } = scope;
  const name = shown(call, 60);
  const chosen = catalogId === undefined ? undefined : catalogs?.find(catalogId, undefined, protocol);
  if (chosen && isIssue(chosen)) {
    scope.report(chosen.code, `${name}: ${chosen.message}`);
    return false;
  }
  if (PROTOCOLS[protocol].hasDirectives && catalogs?.isForAgent(call, catalogId, scope.catalogId)) {
    scope.report("INVALID_FUNCTION_CALL", `Only the agent may call "${name}" (allowedCallers is agentOnly).`);
    return false;
  }
  const found = [INSTRUCTION, "formatString"].includes(call) || functionOf(called, scope) !== undefined;
  if (!found) scope.report("UNKNOWN_FUNCTION", `There is no function "${name}".`);
  return found;
}

/** The result of a function, or null if the trees have no memory for it. */
function charged(value: Json, scope: Scope): Json {
  if (!isText(value) && !isTree(value)) return value;
  return scope.charge(2 * (isText(value) ? value.length : measure(value).bytes)) ? value : null;
}

function callFunction(called: Called, resolveArguments: () => Members, scope: Scope, depth: number): Json {
  const { call: name } = called;
  const { maxTemplateDepth } = scope.limits;
  if (depth >= maxTemplateDepth) {
    scope.report("LIMIT_EXCEEDED", `Functions are nested more than ${maxTemplateDepth} levels deep.`);
    return null;
  }
  const args = resolveArguments();
  if (name === INDEX && PROTOCOLS[scope.protocol].hasDirectives) {
    try {
      return indexInTemplate(scope, args);
    } catch (cause) {
      reportFailure(name, cause, scope);
      return null;
    }
  }
  if (name === INSTRUCTION || !isKnown(called, scope)) return null;
  const known = functionOf(called, scope);
  try {
    if (known) return charged(known(args, scope), scope);
    requireArguments(name, args);
    const text = evaluate(args.value ?? null, {
      read: (path) => {
        const place = placeOf(path, scope, "value");
        const found = place && readAt(place, scope);
        deepFreeze(found);
        return found ?? null;
      },
      call: (inner, given) => callFunction({ call: inner }, () => given, scope, depth + 1),
      maxDepth: maxTemplateDepth - depth,
      maxLength: scope.limits.maxFunctionText,
    });
    return charged(text, scope);
  } catch (cause) {
    reportFailure(name, cause, scope);
    return null;
  }
}

/** Reports that a function has failed, as a warning. */
export function reportFailure(name: string, cause: unknown, scope: Scope): void {
  scope.report("FUNCTION_FAILED", `${name}: ${messageOf(cause).slice(0, 200)}`);
}
