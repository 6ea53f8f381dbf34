// Entries of a proposal: each can be applied alone, on the original document or on one that has changed since.
import assert from "node:assert/strict";
import { test } from "node:test";
import { applied } from "../../dist/core/mirror.js";
import { applyEntries, entriesBetween, Places } from "../../dist/diff/entries.js";
import { value } from "../support/calls.mjs";
import { random } from "../support/random.mjs";

/** Whether one change could affect another. */
const meet = (one, other) => new Places([other]).overlap(one);
const clone = (json) => JSON.parse(JSON.stringify(json));

/** A document with lists of every kind: with ids, without, with ids twice. */
function some(rng, twice = true) {
  const item = () => ({
    id: rng.pick([..."abcdefgh"]),
    n: rng.below(3),
    o: { x: rng.below(2), ...(rng.chance(0.3) && { y: 1 }) },
  });
  const unique = (list) => list.filter(({ id }, at) => list.findIndex((other) => other.id === id) === at);
  const list = () => unique(rng.list(6, item));
  return clone({
    items:
      !twice || rng.chance(0.9)
        ? list().map((own) => (rng.chance(0.3) ? { ...own, inner: list() } : own))
        : rng.list(4, item),
    plain: rng.list(4, () => rng.below(3)),
    ...(rng.chance(0.8) && { free: value(rng, 2) }),
    fields: unique(list().map((own) => ({ ...own, key: own.id }))),
  });
}

/** Splits the entries in two. Items appended to a list without ids stay together: each index counts on the item before. */
function split(rng, entries) {
  const parts = [[], []];
  const lists = new Map();
  for (const entry of entries) {
    const holder = typeof entry.place.at(-1) === "number" ? JSON.stringify(entry.place.slice(0, -1)) : undefined;
    const part = lists.get(holder) ?? rng.below(2);
    if (holder !== undefined) lists.set(holder, part);
    parts[part].push(entry);
  }
  return parts;
}

/** Items with ids in the order of these. */
function sorted(json) {
  if (Array.isArray(json)) {
    const list = json.map(sorted);
    return list.every((item) => item?.id) ? list.sort((a, b) => (a.id < b.id ? -1 : 1)) : list;
  }
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([key, inner]) => [key, sorted(inner)]));
}

const key = ({ place }) => JSON.stringify(place);

test("in order their changes are an edit script; together they make the document proposed", () => {
  for (let seed = 1; seed <= 4000; seed++) {
    const rng = random(seed);
    const [before, after] = [some(rng), some(rng)];
    const entries = entriesBetween(before, after);
    const changes = entries.map(({ change }) => change);
    assert.deepEqual(applied(before, changes), after, `seed ${seed}`);
    assert.deepEqual(applyEntries(before, entries), after, `seed ${seed}`);
    assert.equal(new Set(entries.map((entry) => key(entry) + (entry.change.kind === "move"))).size, entries.length);
    assert.deepEqual(entriesBetween(after, clone(after)), []);
  }
});

test("applying some entries applies that part, and the others remain", () => {
  for (let seed = 1; seed <= 4000; seed++) {
    const rng = random(seed);
    // Duplicate ids are excluded: a list that loses one of two items with the same id becomes a list of another kind.
    const [before, after] = [some(rng, false), some(rng, false)];
    const entries = entriesBetween(before, after);
    const [chosen, others] = split(rng, entries);
    const part = applyEntries(before, chosen);
    const left = entriesBetween(part, after);
    const without = (list) =>
      list
        .filter(({ change }) => change.kind !== "move")
        .map(key)
        .sort();
    assert.deepEqual(without(left), without(others), `seed ${seed}`);
    assert.deepEqual(applyEntries(part, left), after, `seed ${seed}`);
    const content = ({ change, place }) => JSON.stringify([place, change.kind, change.value, change.before]);
    const plain = (list) => list.filter(({ change }) => change.kind !== "move").map(content);
    assert.deepEqual(plain(left).sort(), plain(others).sort(), `seed ${seed}`);
  }
});

test("on a document that has changed elsewhere they have the same effect, and keep those changes", () => {
  let apart = 0;
  for (let seed = 1; seed <= 6000; seed++) {
    const rng = random(seed);
    const before = some(rng);
    const pick = () => split(rng, split(rng, entriesBetween(before, some(rng)))[0])[0];
    const [ours, theirs] = [pick(), pick()];
    if (ours.some((own) => theirs.some((other) => meet(own, other)))) continue;
    if (ours.length > 0 && theirs.length > 0) apart += 1;
    const first = applyEntries(applyEntries(before, ours), theirs);
    const last = applyEntries(applyEntries(before, theirs), ours);
    assert.ok(first !== undefined && last !== undefined, `seed ${seed}`);
    // The order of items may depend on which were moved first.
    assert.deepEqual(sorted(last), sorted(first), `seed ${seed}`);
  }
  assert.ok(apart > 500, `${apart}`);
});
