// Undo by author, compared with a model (tests/support/history.mjs): random edits of a user, an agent and a server on nested
// objects and lists by id, with undo, redo, and save and restore between them. Undoing one author's groups leaves what the edits of
// the others alone make, and is a conflict exactly where a later edit is in the way. In some runs the store has a connection, so
// that an undo is a pending call, which is also applied to the server's document; in some the history is a short one.
// HISTORY_RUNS=20000 makes more runs, HISTORY_SEED=5000 others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, PatchStore } from "genui-patch";
import { HistoryModel } from "../support/history.mjs";
import { random } from "../support/random.mjs";

const RUNS = Number(process.env.HISTORY_RUNS ?? 150);
const FIRST = Number(process.env.HISTORY_SEED ?? 1);
const PAGE = {
  page_key: "p",
  state: {
    params: {
      title: "t",
      meta: { a: 0, b: { c: 0, d: [1, 2] } },
      rows: ["1", "2"].map((id) => ({
        id,
        n: 0,
        tags: [
          { id: "x", n: 0 },
          { id: "y", n: 0 },
        ],
      })),
    },
    runtime: {},
  },
};
const pointer = (path) => path.map((step) => `/${step}`).join("");
const AUTHORS = [{ kind: "user" }, { kind: "agent", id: "writer" }, { kind: "server" }];
const SOCKET = { readyState: 1, addEventListener() {}, send() {}, close() {} };

class Run {
  constructor(seed) {
    Object.assign(this, random(seed));
    this.isConnected = seed % 3 === 0;
    this.isOptimistic = this.isConnected || seed % 5 === 0;
    this.isMixed = seed % 4 > 0;
    this.limits = seed % 7 === 0 ? { maxHistory: 4 } : {};
    const rules = seed % 2 ? "ui" : "open";
    this.store = new PatchStore({ rules, limits: this.limits });
    this.server = new PatchStore({ rules, limits: { maxHistory: 0 } });
    for (const one of [this.store, this.server]) one.load("p", PAGE);
    this.open();
    this.model = new HistoryModel(PAGE);
    this.turn = 0;
    this.fresh = 100;
  }

  open() {
    if (this.isConnected) this.connection = connect(this.store, SOCKET);
  }

  close() {
    this.connection?.close();
    this.store.dispose();
    this.server.dispose();
  }

  /** One edit, made in the store and in the model. */
  edit(author) {
    if (this.chance(0.4)) this.turn += 1;
    const isTurn = author.kind === "agent" && this.chance(0.7);
    const about = { author, group: isTurn ? `turn-${this.turn}` : `own-${this.model.edits.length}` };
    const inParams = [...this.model.walk()].filter(({ path }) => path[1] === "params" && path.length > 1);
    const lists = inParams.filter(({ node }) => this.model.content(node).cells);
    const kind = this.pick(["set", "set", "insert", "insert", "remove", "move", "key", "unkey", "replace"]);
    this.fresh += 1;
    const value = (list) => {
      const item = { id: `n${this.fresh}`, n: this.fresh };
      return list.path.at(-1) === "rows" ? { ...item, tags: [] } : list.path.at(-1) === "d" ? this.fresh : item;
    };
    const operations = [];
    if (kind === "set" || kind === "replace") {
      const isScalar = ({ node }) => !this.model.content(node).cells && !this.model.content(node).keys;
      const fit = inParams.filter(
        (one) => (kind === "set" ? isScalar(one) : one.path.at(-1) === "b") && one.path.at(-1) !== "id",
      );
      if (fit.length === 0) return;
      const { node, path } = this.pick(fit);
      const next = kind === "set" ? this.fresh : { c: this.fresh, d: [] };
      operations.push({ op: "replace", path: pointer(path), value: next });
      this.model.set(node, next, about);
    } else if (kind === "insert") {
      const list = this.pick(lists);
      const count = this.model.children(list.node).length;
      const index = this.pick([0, count, this.below(count + 1)]);
      const item = value(list);
      operations.push({ op: "add", path: pointer([...list.path, index]), value: item });
      this.model.insert(list.node, index, item, about);
    } else if (kind === "remove" || kind === "move") {
      const items = inParams.filter(({ path }) => typeof path.at(-1) === "number");
      if (items.length === 0) return;
      const { node, path } = this.pick(items);
      if (kind === "remove") {
        operations.push({ op: "remove", path: pointer(path) });
        this.model.remove(node, about);
      } else {
        const to = this.below(this.model.children(node.parent).length);
        if (to === path.at(-1)) return;
        operations.push({ op: "move", from: pointer(path), path: pointer([...path.slice(0, -1), to]) });
        this.model.move(node, to, about);
      }
    } else {
      const [meta] = inParams.filter(({ path }) => path.at(-1) === "meta");
      const keys = new Map(this.model.children(meta.node));
      const key = this.pick(["k", "l", "m"]);
      if (kind === "key" && !keys.has(key)) {
        operations.push({ op: "add", path: pointer([...meta.path, key]), value: { v: this.fresh } });
        this.model.insert(meta.node, key, { v: this.fresh }, about);
      } else if (kind === "unkey" && keys.has(key)) {
        operations.push({ op: "remove", path: pointer([...meta.path, key]) });
        this.model.remove(keys.get(key), about);
      } else return;
    }
    const result = this.send(operations, about);
    assert.equal(result.status, "success", JSON.stringify(result.error));
    assert.equal(this.server.applyJsonPatch("p", operations).status, "success");
    // A new change ends what its author could have made again.
    for (const edit of this.model.edits) if (!edit.isLive && edit.author === author) edit.group = undefined;
    this.forget();
  }

  /** The server's edits are messages. Some of the others are pending first, and some were rejected once. */
  send(operations, { author, group }) {
    if (author.kind === "server")
      return this.store.receive({ type: "STATE_DELTA", instance_name: "p", delta: operations, author, group });
    if (!this.isOptimistic || !this.chance(0.5)) return this.store.applyJsonPatch("p", operations, { author, group });
    const patches = operations.map(({ op, path, from, value }) => {
      if (op === "move") return { op, path: from, to: Number(path.split("/").at(-1)) };
      const isKey = op === "add" && Number.isNaN(Number(path.split("/").at(-1)));
      return { op: op === "replace" || isKey ? "set" : op, path, value };
    });
    const pending = () => this.store.applyOptimistic({ instance_name: "p", patches }, { author, group });
    if (this.chance(0.3)) this.store.reject(pending().pendingId);
    const result = pending();
    this.store.confirm(result.pendingId);
    return result;
  }

  forget() {
    // The id of a group that is forgotten may become that of a new one.
    const known = new Set(this.store.history("p").map(({ id }) => id));
    for (const edit of this.model.edits) if (!known.has(edit.group)) edit.group = undefined;
  }

  same(what) {
    assert.deepEqual(this.store.snapshot("p"), this.model.value(), what);
  }

  /** The groups of an author that can be undone, or made again, the last one first. */
  groups(author, isUndone = false) {
    const own = this.store
      .history("p")
      .filter((entry) => entry.author.kind === author.kind && entry.undone === isUndone);
    return own.map(({ id }) => id).reverse();
  }

  editsOf(author, group) {
    return this.model.edits.filter((edit) => edit.author === author && edit.group === group);
  }

  /** Undoes a group, or makes it again, where the model says that nothing is in the way; returns whether it did. */
  revert(author, group, method = "undo") {
    const isRedo = method === "redo";
    const own = this.editsOf(author, group);
    const isFree = own.every((edit) => this.model.inTheWay(edit, isRedo).length === 0);
    const before = this.store.snapshot("p");
    if (this.isOptimistic && isFree) this.rejected(author, group, method);
    const options = this.isConnected ? {} : { optimistic: this.isOptimistic };
    const result = this.store[method]("p", { author, group, ...options });
    assert.equal(result.pendingId !== undefined, isFree && this.isOptimistic);
    if (result.pendingId !== undefined) {
      const [{ call }] = this.store.pending("p");
      assert.equal(this.server.apply(call).status, "success");
      this.store.confirm(result.pendingId);
    } else if (isFree) this.server.load("p", this.store.snapshot("p"));
    const told = `${method} of ${group}: ${JSON.stringify(result.error)}`;
    assert.equal(result.error?.code, isFree ? undefined : "UNDO_CONFLICT", told);
    if (isFree) for (const edit of own) edit.isLive = isRedo;
    else {
      assert.equal(this.store.snapshot("p"), before);
      assert.ok(result.error.places.length > 0);
    }
    this.same(`after the ${method} of ${group}`);
    return isFree;
  }

  /** An undo that is pending and rejected has not happened. */
  rejected(author, group, method) {
    const before = this.store.snapshot("p");
    const { pendingId, error } = this.store[method]("p", { author, group, optimistic: true });
    assert.equal(typeof pendingId, "string", `${method}: ${JSON.stringify(error)}`);
    this.store.reject(pendingId);
    assert.deepEqual(this.store.snapshot("p"), before);
    assert.ok(this.store[method === "undo" ? "canUndo" : "canRedo"]("p", { author, group }));
  }

  saved() {
    const store = PatchStore.restore(this.store.save(), { limits: this.limits });
    assert.deepEqual(store.history("p"), this.store.history("p"));
    this.connection?.close();
    this.store.dispose();
    this.store = store;
    this.open();
  }

  /** Undoes one group of somebody, or makes one again. */
  step(seen) {
    const author = this.pick(AUTHORS);
    const method = this.pick(["undo", "undo", "redo"]);
    const [last, ...others] = this.groups(author, method === "redo");
    if (last === undefined) return;
    const isDone = this.revert(author, others.length > 0 && this.chance(0.3) ? this.pick(others) : last, method);
    seen[isDone ? method : `${method}Conflicts`] += 1;
  }
}

const nothingSeen = () => ({ undo: 0, undoConflicts: 0, redo: 0, redoConflicts: 0 });

/** One run, with what it has undone and made again counted in `seen`. */
function interleave(seed, seen) {
  const run = new Run(seed);
  try {
    for (let count = 4 + run.below(16); count > 0; count--) {
      run.edit(run.pick(AUTHORS));
      if (run.isMixed && run.chance(0.3)) run.step(seen);
      if (run.chance(0.05)) run.saved();
    }
    const author = run.pick(AUTHORS);
    run.same("the edits");
    const before = run.store.snapshot("p");
    const groups = run.groups(author);
    // The last group first, as Ctrl+Z; or any order, as a button at each turn.
    if (run.chance(0.4)) groups.sort(() => run.below(3) - 1);
    const undone = groups.filter((group) => run.revert(author, group));
    seen.undo += undone.length;
    seen.undoConflicts += groups.length - undone.length;
    if (run.chance(0.3)) run.saved();
    if (run.chance(0.5)) {
      for (const group of undone.reverse()) assert.ok(run.revert(author, group, "redo"));
      seen.redo += undone.length;
      assert.deepEqual(run.store.snapshot("p"), before);
    } else {
      const others = AUTHORS.filter((one) => one !== author);
      for (let count = run.below(6); count > 0; count--) run.edit(run.pick(others));
      for (const group of undone.reverse()) {
        // A short history has forgotten some of them.
        if (!run.groups(author, true).includes(group)) continue;
        seen[run.revert(author, group, "redo") ? "redo" : "redoConflicts"] += 1;
      }
      for (const other of others) for (const group of run.groups(other)) run.revert(other, group);
    }
  } catch (cause) {
    throw new Error(`seed ${seed}: ${cause.message}`, { cause });
  } finally {
    run.close();
  }
}

test(`${RUNS} interleavings of three authors`, () => {
  const seen = nothingSeen();
  for (let seed = FIRST; seed < FIRST + RUNS; seed++) interleave(seed, seen);
  // All outcomes occur often.
  for (const [what, count] of Object.entries(seen)) assert.ok(count > RUNS / 25, `${what}: ${JSON.stringify(seen)}`);
  if (process.env.HISTORY_RUNS !== undefined) console.log(seen);
});
