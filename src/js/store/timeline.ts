/**
 * `Timeline`: plans the undo and redo of a group, and tells the author of each value. It plays the steps of a history again, in a
 * tree that keeps an empty slot where a value has left, so that an item returns to its neighbours whatever was inserted, removed
 * or moved around it since.
 */

import { getOrInsert } from "../core/kinds.js";
import type { Mirror, Recorded } from "../core/mirror.js";
import { idKeysAt, idOf } from "../core/resolve.js";
import type { Step } from "../core/tree.js";
import { isSame } from "../diff/comparisons.js";
import type { Author, Change, Json, Rules } from "../types.js";
import type { HistoryStep } from "./history-types.js";

/** The identity of a value: the same node when the value moves or changes. */
class ValueNode {
  /** Where the value is; undefined after a removal. */
  slot: Slot | undefined;
  /** The list or object that the value is in, or was in before its removal. */
  parent: Container | undefined;
  /** The members or items of the value, if a step is about one of them. When the value is set, it gets another container. */
  inside: Container | undefined;

  /** `inside`, created on first access. */
  get content(): Container {
    this.inside ??= new Container(this);
    return this.inside;
  }

  /** Moves the value to an empty slot, or removes it. */
  moveTo(slot: Slot | undefined): void {
    if (this.slot !== undefined) this.slot.node = undefined;
    this.slot = slot;
    if (slot === undefined) return;
    slot.node = this;
    this.parent = slot.container;
  }
}

/** A position in a list or object. When its value moves away or is removed, the slot stays there, empty. */
class Slot {
  node: ValueNode | undefined;

  /** In a list the slot has no key: its index depends on the slots before it. */
  constructor(
    readonly container: Container,
    readonly key?: string,
  ) {}
}

/** The slots of one list or object: `#slotOfKey` for an object, `#items` for a list. */
class Container {
  readonly #slotOfKey = new Map<string, Slot>();
  /** In the order of the list, with empty slots. `undefined` is an item that no step of the history is about. */
  readonly #items: (Slot | undefined)[] = [];

  constructor(readonly owner: ValueNode) {}

  /** The node at a key or index, created on first access. */
  nodeAt(step: Step): ValueNode {
    const slot = typeof step === "string" ? this.#slotOf(step) : this.#slotAt(this.#positionOf(step));
    if (slot.node !== undefined) return slot.node;
    const node = new ValueNode();
    node.moveTo(slot);
    return node;
  }

  /**
   * The slot for an insertion. In a list, one of the empty slots directly before the item at the index is used if it is in
   * `returning`, the slots to which this step may return a value. Else a new slot is made. With `isAhead` (an insertion at the
   * start of a list that has items) it comes before all items and empty slots.
   */
  slotToInsertAt(step: Step, isAhead: boolean, returning: ReadonlyMap<Slot, ValueNode>): Slot {
    if (typeof step === "string") return this.#slotOf(step);
    const insertPosition = this.#positionOf(step);
    const emptySlots = new Set<Slot>();
    for (let position = insertPosition - 1; position >= 0; position--) {
      const slot = this.#items[position];
      if (slot === undefined || slot.node !== undefined) break;
      emptySlots.add(slot);
    }
    for (const slot of returning.keys()) if (emptySlots.has(slot)) return slot;
    const slot = new Slot(this);
    // The items up to the index, which no step is about yet.
    if (insertPosition > this.#items.length) this.#items.length = insertPosition;
    this.#items.splice(isAhead ? 0 : insertPosition, 0, slot);
    return slot;
  }

  /** The key or index of a slot; for an empty slot, the index at which its value would return. */
  stepOf(slot: Slot): Step {
    if (slot.key !== undefined) return slot.key;
    let index = 0;
    for (const earlier of this.#items) {
      if (earlier === slot) break;
      if (earlier === undefined || earlier.node !== undefined) index += 1;
    }
    return index;
  }

  #slotOf(key: string): Slot {
    return getOrInsert(this.#slotOfKey, key, () => new Slot(this, key));
  }

  #slotAt(position: number): Slot {
    const slot = this.#items[position] ?? new Slot(this);
    this.#items[position] = slot;
    return slot;
  }

  /** The position in `#items` of the item at an index of the list. Empty slots count for the position, but not for the index. */
  #positionOf(index: number): number {
    let remaining = index;
    for (const [position, slot] of this.#items.entries()) {
      if (slot !== undefined && slot.node === undefined) continue;
      if (remaining === 0) return position;
      remaining -= 1;
    }
    // Beyond the known items, each index is one position.
    return this.#items.length + remaining;
  }
}

/**
 * A change of a value. With both slots the value moved `from` one `to` the other; without `from` it was inserted, without `to`
 * removed. With `containers` the value was set.
 */
interface Write {
  step: HistoryStep;
  /** Where the value was when the change was made. */
  path: Change["path"];
  node: ValueNode;
  from?: Slot | undefined;
  to?: Slot | undefined;
  /** The value before and after the change; both undefined for a move. */
  before: Json | undefined;
  after: Json | undefined;
  /** The contents of the node before and after its value was set. */
  containers?: { before: Container | undefined; after: Container };
  /** When the change was first made, as a growing number: an undo and a redo do not alter it. */
  time: number;
  isUndone: boolean;
}

/** The effect of undoing or redoing a group. */
export interface Reversal {
  changes: Change[];
  /** The indexes of the group's writes that stay as they are, because later changes are in the way. */
  kept: number[];
  /** The paths of these writes. */
  places: Change["path"][];
}

/** By value or slot: the time of the last write about it. */
type Times = Map<ValueNode | Slot, number>;

/** When other groups than the one that is reverted have last written. */
interface OtherWrites {
  /** The value was set. */
  set: Times;
  /** The value was inserted, moved or removed, or the slot was used for that. */
  placed: Times;
  /** A value inside this value was written. */
  within: Times;
}

/** Writes in the order in which a redo makes them again; for an undo the last one comes first. */
const inOrder = <Item>(writes: readonly Item[], isRedo: boolean) => (isRedo ? writes : [...writes].reverse());

/** Undoes or redoes a write on its node, unless another write has moved or set the value since. */
function revertOnNode({ node, from, to, containers }: Write, isRedo: boolean): void {
  if (containers !== undefined) {
    if (node.inside === (isRedo ? containers.before : containers.after))
      node.inside = isRedo ? containers.after : containers.before;
  } else if (node.slot === (isRedo ? from : to)) node.moveTo(isRedo ? to : from);
}

export class Timeline {
  /** The whole document. */
  readonly #root = new ValueNode();
  /** By step, in order. An undo or redo has the writes that it reverts, unless the history has dropped their steps. */
  readonly #writes = new Map<HistoryStep, Write[]>();
  /** Steps of pending calls that were rejected or dropped. */
  readonly #endedSteps = new Set<HistoryStep>();
  /** The time of the last write. */
  #time = 0;

  /** Plays the steps, which must be up to date: see `History.update`. */
  constructor(steps: readonly HistoryStep[]) {
    for (const step of steps) this.#play(step);
  }

  /** The path and the author of each change whose value still exists, in order: the last entry of a path is the last change. */
  *authors(): Generator<[path: Step[], author: Author]> {
    for (const write of [...this.#writes.values()].flat()) {
      const path = write.isUndone ? undefined : this.#pathOf(write.node);
      if (path !== undefined) yield [path, write.step.author];
    }
  }

  /**
   * Undoes or redoes a group. Its edits are applied to `document`, on which the next ones are planned. A timeline serves one
   * call: afterwards its nodes are moved, but no step says so.
   */
  revert(group: number, isRedo: boolean, document: Mirror, rules: Rules): Reversal {
    const reversal: Reversal = { changes: [], kept: [], places: [] };
    const writes = inOrder([...this.#writesOf(group, isRedo).entries()], isRedo);
    const others = this.#writesBeside(group);
    for (const [index, write] of writes) {
      const change = this.#revert(write, isRedo, others, document, rules);
      if (change === undefined) {
        reversal.kept.push(index);
        reversal.places.push(this.#pathOf(write.node) ?? write.path);
      } else {
        reversal.changes.push(change);
        document.apply([change]);
      }
    }
    return reversal;
  }

  /**
   * Plays one step. An ordinary step makes a write of each of its records. A step that undoes a group (`reverts`), or ends
   * pending calls (`ends`, `drops`), first reverts the writes of these. If the revert alone has the effect of the step, its
   * records are ignored; else they are played, and the reverted writes only tell which values return to which slots.
   */
  #play(step: HistoryStep): void {
    const { ends, drops = [], reverts, records } = step;
    const endedIds: readonly unknown[] = ends === undefined ? drops : [ends, ...drops];
    const isEnding = ({ pendingId }: HistoryStep) => endedIds.includes(pendingId);
    // The end of a call has no writes of its own.
    const hasNoEffect = (other: HistoryStep) =>
      isEnding(other) || other.ends !== undefined || this.#endedSteps.has(other);
    const earlierSteps = endedIds.length === 0 ? [] : [...this.#writes.keys()];
    const endingSteps = earlierSteps.filter(isEnding);
    const revertedWrites = reverts && this.#writesRevertedBy(reverts);
    /** By slot: the value that may return to it. The records use the entries. */
    const returning = new Map<Slot, ValueNode>();
    /** By value: the containers that it gets back, in order. The records use these too. */
    const containers = new Map<ValueNode, (Container | undefined)[]>();
    /** By node: its value after the revert. */
    const restoredValues = new Map<ValueNode, Json | undefined>();
    // The revert alone has the effect of the step if the ended calls are the last steps, or if the step undoes a group whose
    // steps are kept, or has no records. Otherwise values may have moved since, and only the records say what has changed.
    const firstEnding = ends === undefined ? undefined : endingSteps[0];
    const endsLastSteps =
      firstEnding !== undefined && earlierSteps.slice(earlierSteps.indexOf(firstEnding)).every(hasNoEffect);
    const isRevertAlone =
      endsLastSteps || records.length === 0 || (revertedWrites !== undefined && revertedWrites.length > 0);
    const revertAll = (writes: readonly Write[], isRedo: boolean) => {
      for (const write of inOrder(writes, isRedo)) {
        const { node } = write;
        const slot = isRedo ? write.to : write.from;
        if (isRevertAlone) revertOnNode(write, isRedo);
        else if (write.containers !== undefined)
          getOrInsert(containers, node, () => []).push(isRedo ? write.containers.after : write.containers.before);
        else if (slot !== undefined) returning.set(slot, node);
        restoredValues.set(node, isRedo ? write.after : write.before);
        write.isUndone = !isRedo;
      }
    };
    if (revertedWrites) revertAll(revertedWrites, reverts.isRedo);
    for (const ending of endingSteps.reverse()) {
      // An undo that ends has not happened, so its writes are redone, except those of calls that have ended before.
      const writes = this.#writes.get(ending)?.filter((write) => !this.#endedSteps.has(write.step)) ?? [];
      const wasUndo = ending.reverts?.isRedo === false;
      revertAll(writes, wasUndo);
    }
    for (const ending of endingSteps) this.#endedSteps.add(ending);
    const writes = isRevertAlone ? [] : records.map((record) => this.#write(step, record, returning, containers));
    // If the records have not used all containers of a value, it gets back the last one.
    for (const [node, unused] of containers) if (unused.length > 0) node.inside = unused.at(-1);
    // The end of a call only reverts. Another step may drop calls: of its writes, those that only restore a value from before
    // such a call have no author.
    const isNew = ({ node, after }: Write) => !restoredValues.has(node) || !isSame(restoredValues.get(node), after);
    const ownWrites = ends === undefined ? writes.filter(isNew) : [];
    this.#writes.set(step, revertedWrites?.[0] ? revertedWrites : ownWrites);
  }

  /** The writes of the group that a step undoes or redoes, without those that it keeps. */
  #writesRevertedBy({ group, isRedo, kept }: NonNullable<HistoryStep["reverts"]>): Write[] {
    return this.#writesOf(group, isRedo).filter((_, index) => !kept.includes(index));
  }

  /** The writes of a group that are in effect, or those that are undone. */
  #writesOf(group: number, isUndone: boolean): Write[] {
    const writesOfGroup = [...this.#writes].flatMap(([step, writes]) =>
      step.group === group && !this.#endedSteps.has(step) ? writes : [],
    );
    return writesOfGroup.filter((write) => write.isUndone === isUndone);
  }

  /** Plays one record. It uses up entries of `returning` and `containers`: see {@link #play}. */
  #write(
    step: HistoryStep,
    { change, before, isAhead = false }: Recorded,
    returning: Map<Slot, ValueNode>,
    containers: ReadonlyMap<ValueNode, (Container | undefined)[]>,
  ): Write {
    const { kind, path } = change;
    this.#time += 1;
    const after = kind === "set" || kind === "insert" ? change.value : undefined;
    const common = { step, path, before, after, time: this.#time, isUndone: false };
    const last = path.at(-1);
    // Every change of the whole document sets it.
    if (last === undefined || kind === "set") {
      const node = this.#nodeAt(path);
      const setContainers = { before: node.inside, after: containers.get(node)?.shift() ?? new Container(node) };
      node.inside = setContainers.after;
      return { ...common, node, containers: setContainers };
    }
    const movedNode = kind === "insert" ? undefined : this.#nodeAt(kind === "move" ? change.from : path);
    const from = movedNode?.slot;
    movedNode?.moveTo(undefined);
    if (kind === "remove") return { ...common, node: movedNode ?? new ValueNode(), from };
    const to = this.#nodeAt(path.slice(0, -1)).content.slotToInsertAt(last, isAhead, returning);
    const node = movedNode ?? returning.get(to) ?? new ValueNode();
    returning.delete(to);
    node.moveTo(to);
    return { ...common, node, from, to };
  }

  #nodeAt(path: readonly Step[]): ValueNode {
    let node = this.#root;
    for (const step of path) node = node.content.nodeAt(step);
    return node;
  }

  /** The path of a value; `undefined` if it, or a value around it, was removed or replaced. */
  #pathOf(node: ValueNode): Step[] | undefined {
    if (node === this.#root) return [];
    return node.slot && this.#pathOfSlot(node.slot);
  }

  /** The path of a slot; `undefined` in a value that was removed or replaced. */
  #pathOfSlot(slot: Slot): Step[] | undefined {
    const { container } = slot;
    const { owner } = container;
    const isCurrent = owner.inside === container;
    const above = isCurrent ? this.#pathOf(owner) : undefined;
    return above && [...above, container.stepOf(slot)];
  }

  /** The writes of all groups but one. {@link #revert} looks for those that are later than a write of that group. */
  #writesBeside(group: number): OtherWrites {
    const others: OtherWrites = { set: new Map(), placed: new Map(), within: new Map() };
    const note = (times: Times, place: ValueNode | Slot, time: number) =>
      times.set(place, Math.max(times.get(place) ?? 0, time));
    for (const [step, writes] of this.#writes) {
      // An undo or redo only switches `isUndone` of the writes of other steps. The end of a call has no writes.
      if (step.group === group || step.reverts !== undefined || step.ends !== undefined) continue;
      for (const { node, containers, from, to, time, isUndone } of writes) {
        if (isUndone) continue;
        for (const slot of [from, to]) if (slot !== undefined) note(others.placed, slot, time);
        note(containers ? others.set : others.placed, node, time);
        for (let above = node.parent?.owner; above !== undefined; above = above.parent?.owner)
          note(others.within, above, time);
      }
    }
    return others;
  }

  /**
   * The edit that reverts one write; `undefined` where something later is in the way. A set, and an insertion, are reverted only
   * if the value and its contents are as the write left them. A move or a removal is reverted only if the value was not moved
   * since, and its old slot still exists and is free.
   */
  #revert(write: Write, isRedo: boolean, others: OtherWrites, document: Mirror, rules: Rules): Change | undefined {
    const { node, containers, time } = write;
    const [from, to] = isRedo ? [write.from, write.to] : [write.to, write.from];
    const [oldValue, newValue] = isRedo ? [write.before, write.after] : [write.after, write.before];
    const hasLater = (...lists: Times[]) => lists.some((times) => (times.get(node) ?? 0) > time);
    const path = this.#pathOf(node);
    // A value that was changed without a record is not overwritten either.
    const isAsLeft = () => path !== undefined && isSame(document.at(path), oldValue);
    if (containers !== undefined) {
      if (path === undefined || hasLater(others.set, others.within) || !isAsLeft()) return undefined;
      node.inside = isRedo ? containers.after : containers.before;
      return newValue === undefined ? { kind: "remove", path } : { kind: "set", path, value: newValue };
    }
    if (node.slot !== from || (from !== undefined && path === undefined)) return undefined;
    if (to === undefined) {
      if (hasLater(others.set, others.placed, others.within) || !isAsLeft()) return undefined;
      node.moveTo(undefined);
      return path && { kind: "remove", path };
    }
    // Another value may have been under the key in the meantime.
    if (to.node !== undefined || (others.placed.get(to) ?? 0) > time || (from !== undefined && hasLater(others.placed)))
      return undefined;
    // The value leaves its slot first: the target index does not count it.
    node.moveTo(undefined);
    const target = this.#pathOfSlot(to);
    if (target === undefined || (from === undefined && isIdTaken(document, target, newValue, rules))) {
      node.moveTo(from);
      return undefined;
    }
    node.moveTo(to);
    if (path !== undefined) return { kind: "move", from: path, path: target };
    return newValue === undefined ? undefined : { kind: "insert", path: target, value: newValue };
  }
}

/** Whether the list at a path has an item with the id of a value already. The path ends with the index for the value. */
function isIdTaken(document: Mirror, path: readonly Step[], value: Json | undefined, rules: Rules): boolean {
  const list = document.at(path.slice(0, -1));
  const keys = idKeysAt(path.slice(0, -1), rules);
  const id = idOf(value, keys);
  return id !== undefined && Array.isArray(list) && list.some((item) => idOf(item, keys) === id);
}
