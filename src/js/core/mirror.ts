/**
 * The document of an instance on this side, brought up to date from edit scripts. What lies on the path of a change is copied
 * once and then written to, until somebody looks: a snapshot that was handed out never changes, and an unchanged subtree keeps
 * its identity.
 */
import type { Change, Json, Rules } from "../types.js";
import { Draft } from "./draft.js";
import { idKeysAt, idOf, idsIn, isBelowItem, type KnownIds, resolve, type Segments } from "./resolve.js";
import { copyOf, deepFreeze, type Step, type Tree, valueAt } from "./tree.js";

const plain = /* @__PURE__ */ new Draft(false);

export class Mirror {
  /** Copies that nobody has seen. What such a copy stands in is one too. */
  #own = new Set<Tree>();
  /** Writes to them from the second change on. */
  #draft: Draft | undefined;
  /** Where ids are in its lists, as far as somebody has asked, under these rules. */
  #ids: { rules: Rules; known: WeakMap<readonly Json[], Map<string, number>> } | undefined;
  constructor(
    private root: Json | undefined,
    private readonly freeze: boolean,
  ) {}

  get isMade(): boolean {
    return this.#own.size === 0;
  }

  get snapshot(): Json | undefined {
    if (this.isMade) return this.root;
    this.#draft?.finish();
    this.#draft = undefined;
    if (this.freeze) for (const tree of this.#own) Object.freeze(tree);
    // Cleared, it would keep what was in it alive until the next full collection.
    this.#own = new Set();
    return this.root;
  }

  /** Puts a snapshot of the same text in its place. */
  set snapshot(snapshot: Json) {
    this.apply([{ kind: "set", path: [], value: snapshot }]);
  }

  /** The value where a path leads; items of lists are found by their ids, as in the module. */
  find(segments: Segments, rules: Rules): Json | undefined {
    const root = this.#readable();
    const found = root === undefined ? undefined : resolve(root, segments, rules, this.#idsUnder(rules));
    return found && this.at(found.steps);
  }

  at(path: readonly Step[]): Json | undefined {
    if (!this.#draft?.isCut) {
      const found = valueAt(this.root, path);
      if (!this.#own.has(found as Tree)) return found;
    }
    return valueAt(this.snapshot, path);
  }

  /** For each step of a path the id of the item there, if it is the first one in its list that has it. */
  idsAlong(path: readonly Step[], rules: Rules): (string | undefined)[] {
    let node = this.#readable();
    const known = this.#idsUnder(rules);
    return path.map((step, depth) => {
      const list = node;
      node = (list as Record<Step, Json> | undefined)?.[step];
      if (!Array.isArray(list)) return undefined;
      const above = path.slice(0, depth);
      const id = idOf(node, idKeysAt(above, rules));
      return id !== undefined && idsIn(list, above, rules, known).get(id) === step ? id : undefined;
    });
  }

  /** The document. While a draft has lists in pieces, these do not show their items: then the draft is finished first. */
  #readable(): Json | undefined {
    return this.#draft?.isCut ? this.snapshot : this.root;
  }

  #idsUnder(rules: Rules): KnownIds {
    if (this.#ids?.rules !== rules) this.#ids = { rules, known: new WeakMap() };
    return this.#ids.known;
  }

  /** Applies changes. They belong to the caller, their values are shared. */
  apply(changes: readonly Change[]): void {
    if (changes.length > 1 || this.#own.size > 0) this.#draft ??= new Draft(true);
    const draft = this.#draft ?? plain;
    for (const change of changes) {
      this.#apply(change, draft);
      if (this.freeze && change.kind !== "move") deepFreeze(change.value);
    }
  }

  /** Changes to be applied later, whatever becomes of those given. */
  own(changes: readonly Change[]): Change[] {
    return changes.map((change) => {
      if (change.kind === "move") return { ...change, from: [...change.from], path: [...change.path] };
      if (this.freeze) deepFreeze(change.value);
      return { ...change, path: [...change.path] };
    });
  }

  #apply(change: Change, draft: Draft): void {
    const { path } = change;
    const last = path[path.length - 1];
    const keepsIds = isBelowItem(change);
    if (change.kind === "move") {
      this.#ids = undefined;
      const value = draft.remove(this.#reach(change.from, draft), change.from.at(-1) as Step);
      draft.insert(this.#reach(path, draft), last as Step, value, undefined);
    } else if (last === undefined) {
      this.#own = new Set();
      this.#draft = undefined;
      this.root = change.kind === "remove" ? undefined : change.value;
    } else {
      const holder = this.#reach(path, draft, keepsIds);
      if (change.kind === "insert") draft.insert(holder, last, change.value as Json, change.next);
      else {
        this.#forget(draft.get(holder, last) as Tree);
        if (change.kind === "set") draft.put(holder, last, change.value as Json);
        else draft.remove(holder, last);
      }
    }
  }

  /** The list or object that the last step of a path is in, to be written to. */
  #reach(path: readonly Step[], draft: Draft, keepsIds = false): Tree {
    let holder = this.#copy(this.root as Tree, keepsIds);
    this.root = holder;
    for (let depth = 0; depth < path.length - 1; depth++) {
      const step = path[depth] as Step;
      const known = draft.get(holder, step) as Tree;
      const below = this.#copy(known, keepsIds);
      if (below !== known) draft.put(holder, step, below);
      holder = below;
    }
    return holder;
  }

  #copy(node: Tree, keepsIds: boolean): Tree {
    const ids = Array.isArray(node) ? this.#ids?.known : undefined;
    if (this.#own.has(node)) {
      if (!keepsIds) ids?.delete(node as Json[]);
      return node;
    }
    const copy = copyOf(node);
    this.#own.add(copy);
    const places = keepsIds ? ids?.get(node as Json[]) : undefined;
    if (places !== undefined) ids?.set(copy as Json[], places);
    return copy;
  }

  /** Lets go of copies in what is no longer part of the document. */
  #forget(node: Tree): void {
    if (typeof node !== "object" || !this.#own.delete(node)) return;
    this.#draft?.forget(node);
    for (const below of Object.values(node)) this.#forget(below as Tree);
  }
}

/** A value with changes made to it. */
export function applied(root: Json | undefined, changes: readonly Change[], freeze: boolean): Json | undefined {
  const mirror = new Mirror(root, freeze);
  mirror.apply(changes);
  return mirror.snapshot;
}
