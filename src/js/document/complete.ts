/** The criteria of `validate_completion`. */
import { cut, listNames, RefusedError, refusal } from "../core/errors.js";
import { isObject, isText, type Members } from "../core/kinds.js";
import { childOf } from "../core/tree.js";
import type { StoreCore } from "../store/store-core.js";
import type { Criterion, CriterionType, Json } from "../types.js";
import { actionsOf, blocksOf } from "./parts.js";
import type { CriterionResult } from "./tool-types.js";

/** The blocks or actions of a document. */
interface Parts {
  all: ReadonlySet<Json>;
  ids: ReadonlySet<Json | undefined>;
  /** The ids as text, for messages. */
  names: readonly string[];
}

/** The document under test. */
interface Subject {
  core: StoreCore;
  name: string;
  document: Json;
  /** The value at a path; throws `INVALID_PATH`. */
  get(path: string): Json | undefined;
  actions: Parts;
  blocks: Parts;
}

type Verdict = Omit<CriterionResult, "type" | "path" | "description">;
/** A criterion whose members are checked. Its path is empty if it needs none. */
type CheckedCriterion = Criterion & { path: string; value?: Json };
type Check = (subject: Subject, criterion: CheckedCriterion) => Verdict;

/** A value as a message shows it: the beginning of its JSON text. */
const shortText = (value: Json | undefined) => (value === undefined ? "absent" : cut(beginning(value, MAX_WRITTEN)));

/**
 * More characters than `cut` keeps, so that it marks a text that is not complete. A value may be long: it is not written whole.
 */
const MAX_WRITTEN = 80;

/** About the first `room` characters of a value's JSON text. */
function beginning(value: Json, room: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, room));
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  let text = isList ? "[" : "{";
  for (const key in value) {
    if (text.length >= room) return text;
    if (text.length > 1) text += ",";
    if (!isList) text += `${JSON.stringify(key.slice(0, room))}:`;
    text += beginning(childOf(value, key), room - text.length);
  }
  return text + (isList ? "]" : "}");
}

const CHECKS: Record<CriterionType, Check> = {
  field_exists: ({ get }, { path }) => {
    const actual = get(path) ?? null;
    const passed = actual !== null;
    return { passed, actual, details: `${path} is ${passed ? "there" : "absent or null"}.` };
  },
  field_equals: ({ get }, { path, value }) => {
    const actual = get(path);
    const passed = actual !== undefined && equal(actual, value);
    const expectedText = shortText(value);
    const details = passed
      ? `${path} is ${expectedText}.`
      : `${path} is ${shortText(actual)}, expected ${expectedText}.`;
    return { passed, expected: value ?? null, actual: actual ?? null, details };
  },
  field_not_empty: ({ get }, { path }) => {
    const actual = get(path) ?? null;
    const passed = !isEmpty(actual);
    return { passed, actual, details: `${path} is ${passed ? "filled" : "empty"}.` };
  },
  block_exists: (subject, { path }) => exists(subject, "block", path, subject.blocks),
  action_exists: (subject, { path }) => exists(subject, "action", path, subject.actions),
  block_count: ({ blocks }, { value }) => {
    const actual = blocks.all.size;
    const passed = actual === value;
    const details = `There ${actual === 1 ? "is 1 block" : `are ${actual} blocks`}${passed ? "" : `, expected ${shortText(value)}`}.`;
    return { passed, expected: value ?? null, actual, details };
  },
  custom: (subject, criterion) =>
    criterion.name === undefined ? byCondition(subject, criterion.condition) : byFunction(subject, criterion),
};

const TYPES = Object.keys(CHECKS);

const isCriterionType = (type: Json): type is CriterionType => typeof type === "string" && Object.hasOwn(CHECKS, type);

/** The required properties of a criterion. Default: the path. */
const REQUIRED: { [type in CriterionType]?: ("path" | "value")[] } = {
  custom: [],
  block_count: ["value"],
  field_equals: ["path", "value"],
};

/** The results of all criteria. Throws a refusal, with the index of the criterion, for an invalid one. */
export function checkAll(core: StoreCore, name: string, document: Json, criteria: Json[]): CriterionResult[] {
  // Each criterion may read the whole document, and return it.
  const { maxCriteria } = core.limits;
  if (criteria.length > maxCriteria)
    throw refusal("LIMIT_EXCEEDED", `There are more than ${maxCriteria} criteria.`, "Ask for less at once.");
  const subject: Subject = {
    core,
    name,
    document,
    get: (path) => core.get(name, path),
    actions: partsIn(actionsOf(document)),
    blocks: partsIn(blocksOf(document)),
  };
  return criteria.map((sent, index) => {
    try {
      return checkOne(subject, sent);
    } catch (cause) {
      if (cause instanceof RefusedError) cause.answer.error.index = index;
      throw cause;
    }
  });
}

function partsIn(parts: Iterable<Members>): Parts {
  const all = new Set<Members>(parts);
  const ids = new Set([...all].map(({ id }) => id));
  return { all, ids, names: [...new Set([...ids].map(String))] };
}

function checkOne(subject: Subject, sent: Json): CriterionResult {
  const typesAdvice = `Use one of ${TYPES.join(", ")}.`;
  if (!isObject(sent))
    throw refusal("INVALID_ARGUMENT", "A criterion is not an object.", 'Send {"type": …, "path": …}.');
  const { type } = sent;
  if (type === undefined) throw refusal("INVALID_ARGUMENT", 'A criterion has no "type".', typesAdvice);
  if (!isCriterionType(type))
    throw refusal("INVALID_ARGUMENT", `There is no criterion type ${shortText(type)}.`, typesAdvice);
  const textAt = (key: string): string | undefined => {
    const value = sent[key] ?? undefined;
    if (value === undefined || isText(value)) return value;
    throw refusal(
      "INVALID_ARGUMENT",
      `"${key}" of a criterion is ${shortText(value)}, not a string.`,
      "Send a string.",
    );
  };
  // The last two are only checked here.
  const [path = "", description = ""] = ["path", "description", "condition", "name"].map(textAt);
  // The value of a criterion may be null.
  const missingKey = (REQUIRED[type] ?? ["path"]).find(
    (key) => sent[key] === undefined || (key === "path" && sent[key] === null),
  );
  if (missingKey !== undefined)
    throw refusal("MISSING_VALUE", `The criterion ${type} has no "${missingKey}".`, `Send "${missingKey}" with it.`);
  const criterion: CheckedCriterion = { ...sent, type, path };
  return { type, path, description, ...CHECKS[type](subject, criterion) };
}

/** Whether a block or an action exists, by its id or by a path that leads to it. `what` is "block" or "action". */
function exists({ get }: Subject, what: string, path: string, { all, ids, names }: Parts): Verdict {
  let actual: Json = ids.has(path) ? path : null;
  // Only a text with a separator is read as a path. An id need not be valid as a path.
  if (actual === null && /[.[/]/.test(path)) {
    const value = get(path);
    if (value !== undefined && all.has(value)) actual = isObject<Json>(value) ? (value.id ?? null) : null;
  }
  const passed = actual !== null;
  const nameList = passed ? "" : listNames(names, path);
  const othersText = nameList === "" ? `There are no ${what}s.` : `There are ${nameList}.`;
  const details = passed
    ? `The ${what} ${shortText(actual)} is there.`
    : `There is no ${what} ${shortText(path)}. ${othersText}`;
  return { passed, actual, details };
}

function byCondition({ core, name }: Subject, condition: string | undefined): Verdict {
  if (typeof condition !== "string")
    throw refusal("MISSING_VALUE", 'The criterion custom has neither "condition" nor "name".', "Send one of them.");
  // The core returns an error for a condition that cannot be evaluated.
  const passed = core.holds(name, condition);
  if (typeof passed !== "boolean") throw new RefusedError({ status: "error", error: passed });
  return { passed, actual: passed, details: `${condition} is ${passed}.` };
}

function byFunction({ document, core: { functions } }: Subject, criterion: Criterion): Verdict {
  const name = String(criterion.name);
  const check = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (check === undefined) {
    const nameList = listNames(Object.keys(functions), name);
    const solution =
      nameList === "" ? "Send a condition: the page offers no checks by name." : `Use one of ${nameList}.`;
    throw refusal("INVALID_ARGUMENT", `There is no check "${cut(name)}".`, solution);
  }
  try {
    const passed = check(document, criterion) === true;
    return { passed, actual: passed, details: `The check "${name}" ${passed ? "passes" : "does not pass"}.` };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return { passed: false, actual: null, details: `The check "${name}" failed: ${cut(why)}` };
  }
}

/** Equality of a value of the document, `a`, and one of a criterion, `b`: the order of keys does not count. */
function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => equal(item, b[i]));
  if (!isObject<Json>(a) || !isObject<Json>(b)) return false;
  // The document's value may have many keys. They are counted only up to the number that the criterion's value has.
  const keys = Object.keys(b);
  let remaining = keys.length;
  for (const _ in a) if (remaining-- === 0) return false;
  return remaining === 0 && keys.every((key) => Object.hasOwn(a, key) && equal(a[key], b[key]));
}

/** Empty are null, "", a blank text, [] and {}. 0 and false are not. */
function isEmpty(value: Json): boolean {
  if (value === null) return true;
  if (typeof value === "string") return value.trim() === "";
  if (typeof value !== "object") return false;
  for (const _ in value) return false;
  return true;
}
