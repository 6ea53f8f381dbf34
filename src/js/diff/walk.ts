/** Walks two values together, and records the edits that turn one into the other. */
import { DEEP, requireJson, tooDeepError } from "../core/json.js";
import type { Members } from "../core/kinds.js";
import { type IdKeys, idKeysAt, idOf } from "../core/resolve.js";
import { isInherited, type Step } from "../core/tree.js";
import type { Change, Json, Rules } from "../types.js";
import { equal, has, keysOf, Shapes } from "./equal.js";
import { anchors, type Ids, listEdits, type Matches, matchTokens, pairLeftovers } from "./list.js";

/** Items inside this many lists or more are compared by numbers (see {@link Shapes}), so that each is walked only once. */
const MANY_LISTS = 6;
/** The maximum product of edits and shifted items of a list. Above it, replacing the whole list is cheaper. */
const MAX_SHIFTS = 2 ** 26;

/** The edits that turn one value into another. */
export function changesBetween(before: Json, after: Json, rules: Rules): Change[] {
  const walk = new ChangeWalk(rules);
  walk.values(before, after);
  return walk.changes;
}

/** Walks two values together. A subclass compares lists, and says what is recorded of a change. */
export abstract class Walk<Recorded> {
  readonly changes: Recorded[] = [];
  /** The place of the two values that are being compared. */
  protected readonly path: Step[] = [];

  constructor(protected readonly rules: Rules) {}

  /** Compares two lists and records their changes. `listDepth` counts these lists too. */
  protected abstract lists(before: Json[], after: Json[], listDepth: number): void;

  /** The form in which a change is recorded. `before`: the value that the change replaces or removes. */
  protected abstract record(change: Change, before?: Json): Recorded;

  /** Compares two values and records their changes. `listDepth`: the number of lists around the values. */
  values(before: Json, after: Json, listDepth = 0): void {
    if (before === after) return;
    if (typeof before === "object" && typeof after === "object" && before !== null && after !== null) {
      if (this.path.length > DEEP) throw tooDeepError("values");
      if (Array.isArray(before)) {
        if (Array.isArray(after)) {
          this.lists(before, after, listDepth + 1);
          return;
        }
      } else if (!Array.isArray(after)) {
        this.#objects(before, after, listDepth);
        return;
      }
    }
    this.set(before, after);
  }

  /**
   * Compares the values of each key. Objects without a common key are replaced as a whole. Uses `for in`, which costs a third of
   * `Object.keys`: JSON values inherit no enumerable properties.
   */
  #objects(before: Members, after: Members, listDepth: number): void {
    const start = this.changes.length;
    // The number of keys that both objects have.
    let commonCount = 0;
    for (const key in before) {
      const oldValue = before[key];
      const newValue = after[key];
      if (oldValue === undefined) continue;
      if (oldValue === newValue) {
        commonCount += 1;
      } else if (newValue === undefined || (isInherited(key, newValue) && !has(after, key))) {
        this.changes.push(this.record({ kind: "remove", path: [...this.path, key] }, oldValue));
      } else {
        commonCount += 1;
        this.at(key, oldValue, newValue, listDepth);
      }
    }
    let afterCount = 0;
    for (const _ in after) afterCount += 1;
    // All keys of `after` are in `before` too.
    if (afterCount === commonCount && commonCount > 0) return;
    const keys = keysOf(after);
    if (commonCount === 0 && keysOf(before).length > 0 && keys.length > 0) {
      // No key in common: the removals recorded above are dropped.
      this.changes.length = start;
      this.set(before, after);
      return;
    }
    for (const key of keys) {
      if (has(before, key)) continue;
      this.changes.push(this.record({ kind: "insert", path: [...this.path, key], value: after[key] ?? null }));
    }
  }

  /** Compares the values at a step further down. */
  protected at(step: Step, before: Json, after: Json, listDepth: number): void {
    this.path.push(step);
    this.values(before, after, listDepth);
    this.path.pop();
  }

  /** Records that the value at the current path is replaced. */
  protected set(before: Json, value: Json): void {
    this.changes.push(this.record({ kind: "set", path: [...this.path], value }, before));
  }
}

/** The walk for `changesBetween`: records changes without the old values. */
class ChangeWalk extends Walk<Change> {
  /** Numbers values, for tokens and for deep lists. */
  readonly #shapes = new Shapes();

  protected record(change: Change): Change {
    // Only values that become a part of the diff are checked.
    if (change.kind === "set" || change.kind === "insert") requireJson(change.value, "after");
    return change;
  }

  /**
   * The items at the start that are equal or have the same id are compared in place, and so are those at the end. Between them,
   * items are matched by id and by value. Changes inside of the items at the end are recorded last, when the items have their new
   * indexes.
   */
  protected lists(before: Json[], after: Json[], listDepth: number): void {
    const ids = idKeysAt(this.path, this.rules);
    const length = Math.min(before.length, after.length);
    // How many items at the start are compared in place.
    let start = 0;
    for (; start < length; start++) {
      const oldItem = item(before, start);
      const newItem = item(after, start);
      if (oldItem === newItem) continue;
      const id = idOf(oldItem, ids);
      if (id !== undefined && id === idOf(newItem, ids)) this.at(start, oldItem, newItem, listDepth);
      else if (!this.#same(oldItem, newItem, listDepth)) break;
    }
    // How many items at the end are compared in place.
    let tail = 0;
    // Those that have the same id and may differ, counted from the end.
    const sameId: number[] = [];
    for (; tail < length - start; tail++) {
      const oldItem = item(before, before.length - 1 - tail);
      const newItem = item(after, after.length - 1 - tail);
      if (oldItem === newItem) continue;
      const id = idOf(oldItem, ids);
      if (id !== undefined && id === idOf(newItem, ids)) sameId.push(tail);
      else if (!this.#same(oldItem, newItem, listDepth)) break;
    }
    this.#middle(before, after, start, tail, listDepth, ids);
    for (const fromEnd of sameId.reverse()) {
      const index = after.length - 1 - fromEnd;
      this.at(index, item(before, before.length - 1 - fromEnd), item(after, index), listDepth);
    }
  }

  /**
   * Compares two lists without their first `start` and their last `tail` items. Items are matched, and edits put them into the
   * new order; then matched items are compared, at their new indexes. With too many edits, the whole list is replaced.
   */
  #middle(before: Json[], after: Json[], start: number, tail: number, listDepth: number, ids: IdKeys): void {
    const oldLength = before.length - tail - start;
    const newLength = after.length - tail - start;
    if (oldLength === 0 && newLength === 0) return;
    const oldIds = uniqueIds(before, start, oldLength, ids);
    const newIds = uniqueIds(after, start, newLength, ids);
    let matches: Matches = new Int32Array(newLength).fill(-1);
    // Two single items without ids need no tokens: `pairLeftovers` matches them.
    const isSinglePair = oldLength === 1 && newLength === 1 && oldIds[0] === undefined && newIds[0] === undefined;
    if (oldLength > 0 && newLength > 0 && !isSinglePair)
      matches = matchTokens(this.#tokens(before, start, oldIds), this.#tokens(after, start, newIds));
    // `pairLeftovers` adds matches of items that may differ.
    const matchesByToken = matches.slice();
    const anchorIndexes = pairLeftovers(matches, anchors(matches), oldIds, newIds);
    const edits = listEdits(matches, anchorIndexes, oldLength);
    // Each edit shifts the items after it, at most those from the first edit on.
    const first = edits.reduce((least, { at }) => Math.min(least, at), oldLength);
    if (edits.length * (Math.max(oldLength, newLength) + tail - first) > MAX_SHIFTS) {
      this.set(before, after);
      return;
    }
    for (const edit of edits) {
      const path = [...this.path, start + edit.at];
      if (edit.kind === "remove") this.changes.push({ kind: "remove", path });
      else if (edit.kind === "move") this.changes.push({ kind: "move", from: [...this.path, start + edit.from], path });
      else this.changes.push({ kind: "insert", path, value: requireJson(item(after, start + edit.item), "after") });
    }
    for (let index = 0; index < newLength; index++) {
      const from = matches[index] ?? -1;
      // Without an id the token is the value, so items that match by it are equal.
      const isEqual = newIds[index] === undefined && (matchesByToken[index] ?? -1) >= 0;
      if (from < 0 || isEqual) continue;
      this.at(start + index, item(before, start + from), item(after, start + index), listDepth);
    }
  }

  /** A token for each item: its id if it is unique, else its value. */
  #tokens(list: Json[], start: number, ids: Ids): string[] {
    return ids.map((id, index) => (id === undefined ? `=${this.#shapes.of(item(list, start + index))}` : `#${id}`));
  }

  /** Whether two items are equal, found in the way that is faster at this depth. */
  #same(a: Json, b: Json, listDepth: number): boolean {
    const depth = this.path.length;
    return listDepth < MANY_LISTS ? equal(a, b, depth) : this.#shapes.of(a, depth) === this.#shapes.of(b, depth);
  }
}

/** An item of a list; null for a hole, as JSON.stringify writes it. */
function item(list: readonly Json[], index: number): Json {
  return list[index] ?? null;
}

/** The ids of `length` items from `start` on, by which paths name them; `undefined` for an item without a unique id. */
function uniqueIds(list: Json[], start: number, length: number, keys: IdKeys): Ids {
  const counts = new Map<string, number>();
  const ids = Array.from({ length }, (_, index): string | undefined => {
    const id = idOf(item(list, start + index), keys);
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
    return id;
  });
  return ids.map((id) => (id !== undefined && counts.get(id) === 1 ? id : undefined));
}
