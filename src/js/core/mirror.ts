/**
 * `Mirror`: a copy of the module's document, updated by edit scripts. A change copies the lists and objects on its path. Further
 * changes write to these copies until the next snapshot is made. So a snapshot never changes, and an unchanged subtree keeps its
 * identity.
 */
import type { Change, Json, Rules } from "../types.js";
import { misuse } from "./errors.js";
import { idKeysAt, idOf, idsIn, type KnownIds, keepsItemIds, resolve, type Segments } from "./resolve.js";
import { childOf, copyOf, deepFreeze, isTree, type Step, type Tree, valueAt } from "./tree.js";
import { TreeEditor } from "./tree-editor.js";

/** Applies each edit at once. */
const directEditor = /* @__PURE__ */ new TreeEditor("one");

/** A change with what it replaces or removes. */
export interface Recorded {
  change: Change;
  /** The value that the change has replaced or removed; `undefined` if there was none. */
  before?: Json | undefined;
  /** The change inserts or moves an item to the start of a list that has items. */
  isAhead?: boolean | undefined;
}

/**
 * Called for each change, with the fields of {@link Recorded}. The caller of `apply` may modify `change` later, so a copy must be
 * stored.
 */
export type Recorder = (change: Change, before: Json | undefined, isAhead: boolean) => void;

export class Mirror {
  /** Copies that are in no snapshot yet, so that changes may write to them. Their ancestors are copies too. */
  #copies = new Set<Tree>();
  /** Edits the copies if more than one change is made between two snapshots: a single change is cheaper without. */
  #editor: TreeEditor | undefined;
  /** A cache of the ids in lists, valid under `rules`: for a list, the index of the first item with each id. */
  #ids: { rules: Rules; known: WeakMap<readonly Json[], Map<string, number>> } | undefined;

  /** `root`: the document, `undefined` if none exists. `freeze`: whether snapshots are frozen. */
  constructor(
    private root: Json | undefined,
    private readonly freeze = false,
  ) {}

  /** Whether the current snapshot exists: no change was applied since the last one. */
  get hasSnapshot(): boolean {
    return this.#copies.size === 0;
  }

  /** The document with all changes. It never changes; later changes make another one. */
  get snapshot(): Json | undefined {
    if (this.hasSnapshot) return this.root;
    this.#editor?.finish();
    this.#editor = undefined;
    if (this.freeze) for (const tree of this.#copies) Object.freeze(tree);
    // A set that is cleared keeps its old table, and so its old members, alive until the next full garbage collection.
    this.#copies = new Set();
    return this.root;
  }

  /** Replaces the document by an equal one. */
  set snapshot(snapshot: Json) {
    this.apply([{ kind: "set", path: [], value: snapshot }]);
  }

  /** The value at a path whose segments may be ids; `undefined` if there is no such value. For steps, `at` is cheaper. */
  find(segments: Segments, rules: Rules): Json | undefined {
    const root = this.#readableRoot();
    const resolved = root === undefined ? undefined : resolve(root, segments, rules, this.#idsUnder(rules));
    return resolved && this.at(resolved.steps);
  }

  /** The value at a path of keys and indexes. The value is part of a snapshot, so that later changes do not write to it. */
  at(path: readonly Step[]): Json | undefined {
    // Lists that the editor has in pieces lack their items.
    if (!this.#editor?.isCut) {
      const value = valueAt(this.root, path);
      // Without a copy to make final, no new snapshot is needed.
      if (!isTree(value) || !this.#copies.has(value)) return value;
    }
    return valueAt(this.snapshot, path);
  }

  /** For each step of a path: the id of the item, if it is the first item of its list with this id. */
  idsAlong(path: readonly Step[], rules: Rules): (string | undefined)[] {
    let node = this.#readableRoot();
    const knownIds = this.#idsUnder(rules);
    return path.map((step, depth) => {
      const list = node;
      node = isTree(list) ? childOf(list, step) : undefined;
      if (!Array.isArray(list)) return undefined;
      const listPath = path.slice(0, depth);
      const id = idOf(node, idKeysAt(listPath, rules));
      return id !== undefined && idsIn(list, listPath, rules, knownIds).get(id) === step ? id : undefined;
    });
  }

  /** The document with all changes, to be read now. Lists that the editor has in pieces lack their items: it is finished first. */
  #readableRoot(): Json | undefined {
    return this.#editor?.isCut ? this.snapshot : this.root;
  }

  /** The cache of ids for these rules. */
  #idsUnder(rules: Rules): KnownIds {
    if (this.#ids?.rules !== rules) this.#ids = { rules, known: new WeakMap() };
    return this.#ids.known;
  }

  /**
   * Applies changes. Their values become parts of the document. `record` is called for each change; the value that the change
   * has replaced or removed is not modified any more.
   */
  apply(changes: readonly Change[], record?: Recorder): void {
    for (const change of changes) {
      const isAhead = record !== undefined && this.#isAhead(change);
      if (changes.length > 1 || this.#copies.size > 0) this.#editor ??= new TreeEditor("many");
      const before = this.#apply(change, this.#editor ?? directEditor);
      if (this.freeze && change.kind !== "move") deepFreeze(change.value);
      record?.(change, before, isAhead);
    }
  }

  /** Whether a change puts an item at the start of a list that has items. */
  #isAhead({ kind, path }: Change): boolean {
    if (kind === "set" || kind === "remove" || path.at(-1) !== 0) return false;
    let node = this.root;
    for (const step of path.slice(0, -1))
      node = isTree(node) ? (this.#editor ?? directEditor).get(node, step) : undefined;
    return Array.isArray(node) && node.length > 0;
  }

  /**
   * Applies one change to copies of the lists and objects on its path. Returns the value that it has replaced or removed, which
   * is no longer part of the document. An empty path replaces or removes the whole document.
   */
  #apply(change: Change, editor: TreeEditor): Json | undefined {
    const { path } = change;
    const last = path[path.length - 1];
    const keepsIds = keepsItemIds(change);
    if (change.kind === "move") {
      // At its new path, a list in the moved value may have its ids in another property.
      this.#ids = undefined;
      const value = editor.remove(this.#writableParent(change.from, editor), lastOf(change.from));
      editor.insert(this.#writableParent(path, editor), lastOf(path), value);
    } else if (last === undefined) {
      editor.finish();
      const before = this.root;
      this.#copies = new Set();
      this.#editor = undefined;
      this.root = change.kind === "remove" ? undefined : change.value;
      return before;
    } else {
      const holder = this.#writableParent(path, editor, keepsIds);
      if (change.kind === "insert") editor.insert(holder, last, change.value ?? null, change.next);
      else {
        const before = editor.get(holder, last);
        this.#forget(before);
        if (change.kind === "set") editor.put(holder, last, change.value ?? null);
        else editor.remove(holder, last);
        return before;
      }
    }
    return undefined;
  }

  /** A writable copy of the list or object that contains the last step of a path, and of all lists and objects above it. */
  #writableParent(path: readonly Step[], editor: TreeEditor, keepsIds = false): Tree {
    let holder = this.#writableCopy(treeOf(this.root), keepsIds);
    this.root = holder;
    for (let depth = 0; depth < path.length - 1; depth++) {
      const step = path[depth] ?? "";
      const child = treeOf(editor.get(holder, step));
      const copy = this.#writableCopy(child, keepsIds);
      if (copy !== child) editor.put(holder, step, copy);
      holder = copy;
    }
    return holder;
  }

  /**
   * A copy of a list or object, or the node itself if it is a copy already. With `keepsIds`, the change leaves the ids of items
   * as they are, so that the cached ids of a list stay valid.
   */
  #writableCopy(node: Tree, keepsIds: boolean): Tree {
    if (this.#copies.has(node)) {
      if (!keepsIds && Array.isArray(node)) this.#ids?.known.delete(node);
      return node;
    }
    const copy = copyOf(node);
    this.#copies.add(copy);
    if (keepsIds && Array.isArray(node) && Array.isArray(copy)) {
      const indexOfId = this.#ids?.known.get(node);
      if (indexOfId !== undefined) this.#ids?.known.set(copy, indexOfId);
    }
    return copy;
  }

  /** Removes a value that leaves the document from the copies: it must not change later. A node that is no copy contains none. */
  #forget(node: Json | undefined): void {
    if (!isTree(node) || !this.#copies.delete(node)) return;
    this.#editor?.forget(node);
    for (const child of Object.values(node)) this.#forget(child);
  }
}

/** Copies a change and its path. The value is shared. */
export function copyChange(change: Change): Change {
  const path = [...change.path];
  return change.kind === "move" ? { ...change, from: [...change.from], path } : { ...change, path };
}

const lastOf = (path: readonly Step[]): Step => path[path.length - 1] ?? "";

/** A node on the path of a change, as a list or an object. If it is neither, the change belongs to another document. */
function treeOf(node: Json | undefined): Tree {
  if (isTree(node)) return node;
  throw misuse("The changes belong to another document.");
}

/** As {@link applied}, for changes that do not remove the value. */
export function appliedTo(root: Json, changes: readonly Change[]): Json {
  return applied(root, changes) ?? null;
}

/** A value with changes applied; the value itself is not modified. `undefined` if the changes remove it. */
export function applied(
  root: Json | undefined,
  changes: readonly Change[],
  { freeze, record }: { freeze?: boolean; record?: Recorder | undefined } = {},
): Json | undefined {
  const mirror = new Mirror(root, freeze);
  mirror.apply(changes, record);
  return mirror.snapshot;
}
