/** The forms by which a property refers to data and functions: bindings, calls and literals. */
import { isObject, isText, type Members } from "../core/kinds.js";
import type { Json } from "../types.js";
import { segmentsOf } from "./paths.js";
import { PROTOCOLS, propertyName } from "./protocols.js";
import type { SurfaceIssue, SurfaceProtocol } from "./types.js";

/** The keys of literals in GULF and A2UI v0.8. */
const LITERAL_KEYS = ["literalString", "literalNumber", "literalBoolean", "literalArray"];
/** The keys of a binding in GULF and A2UI v0.8, which may have a literal too. */
const BINDING_KEYS: ReadonlySet<string> = /* @__PURE__ */ new Set(["path", ...LITERAL_KEYS]);
/** The keys of a call. With another key, an object of A2UI 1.0 that has `call` is plain. */
const CALL_KEYS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "call",
  "args",
  "catalogId",
  "returnType",
  "callableFrom",
]);
/** The keys that may stand next to `@call`. */
const AT_CALL_KEYS: ReadonlySet<string> = /* @__PURE__ */ new Set([...CALL_KEYS, "@call", "@args", "@catalogId"]);

export type Binding = NonNullable<ReturnType<typeof bindingOf>>;

/**
 * The binding that a value is, else `undefined`. Without a valid path, `segments` is `undefined`; without a literal, `literal`.
 */
export function bindingOf(value: Json | undefined, protocol: SurfaceProtocol) {
  if (!isObject<Json>(value)) return undefined;
  const { isFlat, hasDirectives } = PROTOCOLS[protocol];
  const path = hasDirectives ? (value["@path"] ?? value.path) : value.path;
  if (!isText(path)) return undefined;
  const keys = Object.keys(value);
  // With other keys, an object is plain. In A2UI v0.9 and 1.0 a binding has no literal.
  if (isFlat ? keys.length > 1 : keys.some((key) => !BINDING_KEYS.has(key))) return undefined;
  return { path, segments: segmentsOf(path, protocol), literal: literalOf(value) };
}

/** The call that an object is, else `undefined`. Earlier drafts of A2UI 1.0 write `call` for `@call`. */
export function callOf(
  value: Members,
  protocol: SurfaceProtocol,
): { call: string; args: Json | undefined; catalogId: string | undefined } | undefined {
  const { isFlat, hasDirectives } = PROTOCOLS[protocol];
  if (!isFlat) return undefined;
  const directive = hasDirectives ? value["@call"] : undefined;
  const call = directive ?? value.call;
  if (!isText(call)) return undefined;
  if (hasDirectives && directive === undefined && !Object.keys(value).every((key) => CALL_KEYS.has(key)))
    return undefined;
  const catalogId = hasDirectives ? (value["@catalogId"] ?? value.catalogId) : undefined;
  const args = value.args ?? (hasDirectives ? value["@args"] : undefined);
  return { call, args, catalogId: isText(catalogId) && catalogId !== "" ? catalogId : undefined };
}

/** Whether an object is a literal of GULF or A2UI v0.8, such as `{literalString: "Hello"}`. */
export function isLiteral(value: Members): boolean {
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => LITERAL_KEYS.includes(key));
}

/** The value of a literal, also of one beside a path; `undefined` if the object has none. */
export const literalOf = (value: Members): Json | undefined =>
  LITERAL_KEYS.map((key) => value[key]).find((literal) => literal !== undefined);

/** Whether a key is `@` and a name, which A2UI 1.0 reserves. */
const isReserved = (key: string): boolean => key.startsWith("@") && !key.startsWith("@@");

/** A key of a plain object, without its escape. */
export const withoutEscape = (key: string): string => (key.startsWith("@@") ? key.slice(1) : key);

/** Issues for bindings and calls that the protocol does not have: values of a component that would be read as plain data. */
export function wrongForms(props: { readonly [name: string]: Json }, protocol: SurfaceProtocol): SurfaceIssue[] {
  const issues: SurfaceIssue[] = [];
  for (const [name, value] of Object.entries(props)) {
    if (isReserved(propertyName(name, protocol))) issues.push(issue(name, `/${name}`, protocol));
    findWrongForms(value, protocol, `/${name}`, issues);
  }
  return issues;
}

/** Adds the issues of a value and of everything in it. `path`: its JSON Pointer in the properties. */
function findWrongForms(value: Json, protocol: SurfaceProtocol, path: string, issues: SurfaceIssue[]): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) findWrongForms(value[at] ?? null, protocol, `${path}/${at}`, issues);
    return;
  }
  const key = wrongKey(value, protocol);
  if (key !== undefined) issues.push(issue(key, path, protocol));
  for (const member of Object.keys(value)) findWrongForms(value[member] ?? null, protocol, `${path}/${member}`, issues);
}

/** A key that makes an object look like a binding, a call or a literal of another version; `undefined` if none exists. */
function wrongKey(value: Members, protocol: SurfaceProtocol): string | undefined {
  const { isFlat, hasDirectives } = PROTOCOLS[protocol];
  const keys = Object.keys(value);
  const reservedKey = keys.find(isReserved);
  if (reservedKey === undefined) {
    // A2UI v0.9 and 1.0 have no literals.
    if (isFlat) return keys.every((key) => BINDING_KEYS.has(key)) ? keys.find((key) => key !== "path") : undefined;
    // GULF and v0.8 have no calls.
    return isText(value.call) && isObject(value.args) && keys.every((key) => CALL_KEYS.has(key)) ? "call" : undefined;
  }
  // Before A2UI 1.0, other keys with `@` are plain.
  if (!hasDirectives) return keys.find((key) => (key === "@path" || key === "@call") && isText(value[key]));
  // In 1.0, any key with `@` must be of a binding, a template of children, or a call.
  if (isText(value["@path"])) return keys.find((key) => key !== "@path" && key !== "componentId");
  return isText(value["@call"]) ? keys.find((key) => !AT_CALL_KEYS.has(key)) : reservedKey;
}

function issue(key: string, path: string, protocol: SurfaceProtocol): SurfaceIssue {
  const mayBePlain = PROTOCOLS[protocol].hasDirectives && isReserved(key);
  const instead = mayBePlain ? ` Send "@path" or "@call", or "@${key}" for a plain key.` : "";
  const message = `${protocol} has no binding or call with "${key}".${instead}`;
  return { code: "INVALID_BINDING", message, path };
}
