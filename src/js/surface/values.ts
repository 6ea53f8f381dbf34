/** Resolves the values of properties: bindings, literals and functions become plain JSON. */
import { isObject, isText, type Members } from "../core/kinds.js";
import { measure } from "../core/measure.js";
import { deepFreeze, isTree, put } from "../core/tree.js";
import type { Json } from "../types.js";
import { isIssue } from "./catalogs.js";
import type { DataModel } from "./data.js";
import { type Binding, bindingOf, callOf, isLiteral, literalOf, withoutEscape } from "./directives.js";
import { evaluate } from "./format-string.js";
import { type KnownFunction, requireArguments } from "./functions.js";
import { type Segments, segmentsOf, splitDotted } from "./paths.js";
import { PROTOCOLS } from "./protocols.js";
import { excerpt } from "./refusal.js";
import { functionKey, type Settings } from "./settings.js";
import { messageOf } from "./text.js";
import type { SurfaceErrorCode, SurfaceProtocol } from "./types.js";

/** The context in which the values of a component are resolved. */
export interface Scope extends Settings {
  protocol: SurfaceProtocol;
  /** The path of the template item, from which relative paths are read; empty outside of templates. */
  item: Segments;
  model: DataModel;
  /** The catalog that the surface names. */
  catalogId: string | undefined;
  /** Counts the work: see {@link SurfaceTree.takeWork}. */
  steps: number;
  /** Charges memory to the node that is being resolved; returns `false`, with a diagnostic, if the trees exceed their limit. */
  charge(bytes: number): boolean;
  /**
   * Records that the node depends on a place: on its value, or on its length or keys (`shape`). `undefined`: nothing is recorded.
   */
  read: ((path: Segments, kind: "value" | "shape") => void) | undefined;
  /** Reports a diagnostic, a warning by default. */
  report(code: SurfaceErrorCode, message: string, severity?: "error" | "warning"): void;
  /** A2UI v0.8: a binding with a literal initialises a place without a value. The value is written later. */
  initialise?(path: Segments, value: Json): void;
}

/**
 * Resolves the bindings, calls and literals in a value. A list or object without any of them is returned as it is, not copied.
 * `depth`: how many calls are around the value.
 */
export function resolve(value: Json, scope: Scope, depth = 0): Json {
  if (!isTree(value)) return value;
  if (Array.isArray(value)) {
    let list: Json[] | undefined;
    for (const [index, item] of value.entries()) {
      const resolvedItem = resolve(item, scope, depth);
      if (resolvedItem !== item) list ??= value.slice(0, index);
      list?.push(resolvedItem);
    }
    return list ?? value;
  }
  const binding = bindingOf(value, scope.protocol);
  if (binding) return readBinding(binding, scope).value;
  const { isFlat, hasDirectives } = PROTOCOLS[scope.protocol];
  if (isFlat) {
    const parsedCall = callOf(value, scope.protocol);
    if (parsedCall) return callFunction(parsedCall, () => resolveAll(parsedCall.args, scope, depth + 1), scope, depth);
  } else if (isLiteral(value)) {
    return literalOf(value) ?? null;
  }
  // A plain object, whose keys may be escaped.
  if (hasDirectives && Object.keys(value).some((key) => key.startsWith("@@"))) {
    const plain: Members = {};
    for (const [key, inner] of Object.entries(value)) put(plain, withoutEscape(key), resolve(inner, scope, depth));
    return plain;
  }
  let object: Members | undefined;
  for (const [key, inner] of Object.entries(value)) {
    const resolvedMember = resolve(inner, scope, depth);
    if (resolvedMember === inner && object === undefined) continue;
    object ??= { ...value };
    put(object, key, resolvedMember);
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
 * The place of a binding (`undefined` for an invalid path), and its value: null without data, unless the binding has a literal.
 * `isList`: in A2UI v0.8, whose data have no lists, a text with the JSON of a list is read as the list.
 */
export function readBinding(
  { path, segments, literal }: Binding,
  scope: Scope,
  isList = false,
): { place: Segments | undefined; value: Json } {
  // In GULF a literal is the value. The place is only where an input writes: no dependency is recorded, and nothing reported.
  if (literal !== undefined && scope.protocol === "gulf") {
    return { place: placeOf(path, { ...scope, read: undefined, report() {} }, "value", segments), value: literal };
  }
  const place = placeOf(path, scope, "value", segments);
  const storedValue = place && readAt(place, scope);
  if (storedValue === undefined) {
    if (literal !== undefined && place && isReadable(place, scope)) scope.initialise?.(place, literal);
    return { place, value: literal ?? null };
  }
  const value = isList ? listIn(storedValue, scope) : storedValue;
  // The page gets this part of the data: it must not change any more.
  deepFreeze(value);
  return { place, value };
}

/** Whether a value written to a place can be read there: not at `-`, the end of a list. In an object `-` is a key. */
function isReadable(place: Segments, scope: Scope): boolean {
  const end = place.lastIndexOf("-");
  if (end < 0) return true;
  const holder = place.slice(0, end);
  scope.read?.(holder, "shape");
  return isObject(listIn(readAt(holder, scope), scope));
}

/**
 * The place that a path means: in the template item if it is relative, else in the data as a whole. Among several candidates it
 * is the first that has data. Records a dependency (of the kind `kind`) on each candidate up to that one. `undefined`, with a
 * diagnostic, for an invalid path.
 */
export function placeOf(
  path: string,
  scope: Scope,
  kind: "value" | "shape",
  segments = segmentsOf(path, scope.protocol),
): Segments | undefined {
  const { item, protocol } = scope;
  // In A2UI v0.8 a segment that is not a key may be a path with dots and brackets.
  const split = segments && protocol === "a2ui-0.8" ? splitDotted(segments) : undefined;
  // Data is never deeper than the limit, so a longer path leads nowhere.
  if (segments === undefined || (split ?? segments).length > scope.limits.maxDepth) {
    scope.report("INVALID_PATH", `"${excerpt(path, 60)}" is not a valid path.`);
    return undefined;
  }
  const forms = split ? [segments, split] : [segments];
  let candidates = forms;
  if (item.length > 0) {
    const inItem = forms.map((form) => [...item, ...form]);
    // Templates of GULF and A2UI v0.8 may write `/name` for a member of the item.
    if (!path.startsWith("/")) candidates = inItem;
    else if (!PROTOCOLS[protocol].isFlat) candidates = [...forms, ...inItem];
  }
  for (const place of candidates) {
    scope.read?.(place, kind);
    if (candidates.length > 1 && readAt(place, scope) === undefined) continue;
    const isFallback = candidates.indexOf(place) >= forms.length;
    if (isFallback)
      scope.report("PATH_FALLBACK", `"${excerpt(path, 60)}" leads nowhere from the root and was read from the item.`);
    return place;
  }
  // Without data, a value is written to the last form, of an absolute path not in the item.
  return candidates[forms.length - 1];
}

/** The value at a place; in A2UI v0.8 also inside of a text that contains a list or an object. */
export const readAt = (place: Segments, { model, protocol }: Scope): Json | undefined =>
  model.read(place, protocol === "a2ui-0.8");

/** In A2UI v0.8, the list or object in a text; else the value itself. */
export const listIn = <Value extends Json | undefined>(value: Value, { model, protocol }: Scope): Json | Value =>
  (typeof value === "string" && protocol === "a2ui-0.8" ? model.parsedText(value) : undefined) ?? value;

/** Resolves each member of an object; `{}` for any other value. */
export function resolveAll(values: Json | undefined, scope: Scope, depth = 0): Members {
  const members: Members = {};
  const entries = isObject<Json>(values) ? Object.entries(values) : [];
  for (const [key, value] of entries) put(members, key, resolve(value, scope, depth));
  return members;
}

/** A function without a result, which the page executes: only an action may call it. */
const INSTRUCTION = "openUrl";
/** A2UI 1.0: the index of the template item, from 0. */
const INDEX = "@index";

/**
 * The index of the template item, plus the argument `offset`. In an object, it is the index of the key among all keys. @throws
 * Error outside of templates.
 */
function indexInTemplate(scope: Scope, { offset = 0 }: Members): Json {
  const key = scope.item.at(-1);
  if (key === undefined) throw new Error("there is an index only in the items of a template");
  const holder = scope.item.slice(0, -1);
  const list = readAt(holder, scope);
  if (isObject(list)) scope.read?.(holder, "shape");
  const index = isObject(list) ? Object.keys(list).indexOf(key) : Number(key);
  return index + (typeof offset === "number" ? offset : 0);
}

/** The names in a call: of its function, and perhaps of a catalog. */
interface CallTarget {
  readonly call: string;
  readonly catalogId?: string | undefined;
}

/**
 * The function that a call means: the page's for the catalog that the call, or else the surface, names; without it, the one for
 * all catalogs, of the page or of A2UI's basic catalog. `undefined` if none exists.
 */
export function functionOf({ call, catalogId }: CallTarget, { functions, ...scope }: Scope): KnownFunction | undefined {
  const id = catalogId ?? scope.catalogId;
  return (id === undefined ? undefined : functions.get(functionKey(call, id))) ?? functions.get(call);
}

/** Whether a component may call a function; if not, reports a diagnostic. */
export function mayCall(target: CallTarget, scope: Scope): boolean {
  const { call, catalogId } = target;
  const { catalogs, protocol } = scope;
  const name = excerpt(call, 60);
  const catalog = catalogId === undefined ? undefined : catalogs?.find(protocol, catalogId);
  if (catalog && isIssue(catalog)) {
    scope.report(catalog.code, `${name}: ${catalog.message}`);
    return false;
  }
  if (PROTOCOLS[protocol].hasDirectives && catalogs?.isForAgent(call, catalogId, scope.catalogId)) {
    scope.report("INVALID_FUNCTION_CALL", `Only the agent may call "${name}" (allowedCallers is agentOnly).`);
    return false;
  }
  // `callFunction` and `actionOf` handle these two themselves.
  const exists = [INSTRUCTION, "formatString"].includes(call) || functionOf(target, scope) !== undefined;
  if (!exists) scope.report("UNKNOWN_FUNCTION", `There is no function "${name}".`);
  return exists;
}

/** Charges the memory of a function's result. Returns the result, or null if the trees have no memory for it. */
function chargeResult(value: Json, scope: Scope): Json {
  // Numbers, booleans and null take none. A character has two bytes.
  if (!isText(value) && !isTree(value)) return value;
  return scope.charge(2 * (isText(value) ? value.length : measure(value).bytes)) ? value : null;
}

/**
 * The result of a call; null, with a diagnostic, if it fails or is not allowed. `depth`: how many calls are around it; the limit
 * is that of templates, and arguments beyond it are not resolved.
 */
function callFunction(target: CallTarget, resolveArguments: () => Members, scope: Scope, depth: number): Json {
  const { call: name } = target;
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
  if (name === INSTRUCTION || !mayCall(target, scope)) return null;
  const callee = functionOf(target, scope);
  try {
    if (callee) return chargeResult(callee(args, scope), scope);
    // `formatString`, the only other known function.
    requireArguments(name, args);
    const text = evaluate(args.value ?? null, {
      read: (path) => {
        const place = placeOf(path, scope, "value");
        const value = place && readAt(place, scope);
        // The texts of frozen values are cached.
        deepFreeze(value);
        return value ?? null;
      },
      call: (innerName, innerArgs) => callFunction({ call: innerName }, () => innerArgs, scope, depth + 1),
      maxDepth: maxTemplateDepth - depth,
      maxLength: scope.limits.maxFunctionText,
    });
    return chargeResult(text, scope);
  } catch (cause) {
    reportFailure(name, cause, scope);
    return null;
  }
}

/** Reports that a function has failed, as a warning. */
export function reportFailure(name: string, cause: unknown, scope: Scope): void {
  scope.report("FUNCTION_FAILED", `${name}: ${messageOf(cause).slice(0, 200)}`);
}
