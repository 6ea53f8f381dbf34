// A model of the history of a document, beside the one in `src/js/store`: every value has an identity, every place stays, and
// the document is what the edits that count make of it. So "the other's edits alone" is the same model with fewer edits.

/** A scalar, an object or a list, as it was made by one edit or by the base. */
class Content {
  constructor(value, node, edit) {
    Object.assign(this, { scalar: value, edit });
    if (Array.isArray(value)) this.cells = value.map((item) => new Place(new Node(item, node, undefined, this)));
    else if (typeof value === "object" && value !== null)
      this.keys = new Map(
        Object.entries(value).map(([key, inner]) => [key, [new Place(new Node(inner, node, key, this))]]),
      );
  }
}

class Node {
  removals = [];
  /** `within` is the content of its parent that has the node. */
  constructor(value, parent, key, within) {
    Object.assign(this, { parent, key, within });
    this.writes = [{ content: new Content(value, this) }];
  }
}

/** A place that a node has, or had: the base, an insertion or a move put it there. */
class Place {
  constructor(node, edit) {
    Object.assign(this, { node, edit });
    node.place = this;
  }
}

const counts = (edit) => edit === undefined || edit.isLive;

function isWithin(node, above) {
  for (let at = node.parent; at; at = at.parent) if (at === above) return true;
  return false;
}

export class HistoryModel {
  edits = [];
  constructor(value) {
    this.root = new Node(value);
  }

  content(node) {
    return node.writes.findLast(({ edit }) => counts(edit)).content;
  }

  isThere(place) {
    const { node } = place;
    if (node.removals.some(counts)) return false;
    const places = node.places ?? [place];
    return places.findLast(({ edit }) => counts(edit)) === place;
  }

  /** The nodes of a list or object that are there: `[step, node]`. */
  children(node) {
    const { cells, keys } = this.content(node);
    if (cells) return cells.filter((place) => this.isThere(place)).map(({ node }, index) => [index, node]);
    if (!keys) return [];
    return [...keys].flatMap(([key, places]) => {
      const place = places.find((own) => this.isThere(own));
      return place ? [[key, place.node]] : [];
    });
  }

  value(node = this.root) {
    const { cells, keys, scalar } = this.content(node);
    if (cells) return this.children(node).map(([, inner]) => this.value(inner));
    return keys ? Object.fromEntries(this.children(node).map(([key, inner]) => [key, this.value(inner)])) : scalar;
  }

  path(node) {
    const steps = [];
    for (let at = node; at.parent; at = at.parent)
      steps.unshift(this.children(at.parent).find(([, own]) => own === at)[0]);
    return steps;
  }

  /** Every node that is there, with its path. */
  *walk(node = this.root, path = []) {
    yield { node, path };
    for (const [step, inner] of this.children(node)) yield* this.walk(inner, [...path, step]);
  }

  add(edit) {
    this.edits.push({ ...edit, isLive: true, time: this.edits.length });
    return this.edits.at(-1);
  }

  set(node, value, about) {
    const edit = this.add({ kind: "set", node, before: JSON.stringify(this.value(node)), ...about });
    node.writes.push({ edit, content: new Content(value, node, edit) });
  }

  /** In a list behind all places that were left in front of the item at the index; at the front of a list with items before them. */
  cellAt(list, index) {
    const { cells } = this.content(list);
    const there = cells.filter((place) => this.isThere(place));
    if (index === 0 && there.length > 0) return 0;
    return index < there.length ? cells.indexOf(there[index]) : cells.length;
  }

  insert(holder, step, value, about) {
    const { cells, keys } = this.content(holder);
    const key = typeof step === "string" ? step : undefined;
    const node = new Node(value, holder, key, this.content(holder));
    const edit = this.add({ kind: "insert", node, ...about });
    node.insertion = edit;
    if (cells) cells.splice(this.cellAt(holder, step), 0, new Place(node, edit));
    else keys.set(step, [...(keys.get(step) ?? []), new Place(node, edit)]);
  }

  remove(node, about) {
    const before = JSON.stringify(this.value(node));
    node.removals.push(this.add({ kind: "remove", node, before, ...about }));
  }

  move(node, index, about) {
    const { parent } = node;
    const edit = this.add({ kind: "move", node, ...about });
    const { cells } = this.content(parent);
    node.places ??= [node.place];
    // The index counts without the item.
    edit.isLive = true;
    const away = { isLive: true };
    node.removals.push(away);
    const at = this.cellAt(parent, index);
    node.removals.pop();
    const place = new Place(node, edit);
    cells.splice(at, 0, place);
    node.places.push(place);
  }

  /** The edits that count, came later and touch what `edit` has made, so that it cannot be undone, or made again. */
  inTheWay(edit, isRedo = false) {
    const isOwn = (other) => edit.group !== undefined && other.group === edit.group && other.author === edit.author;
    // A redone edit needs the edits that have created its place.
    const needed = [];
    for (let at = edit.node; isRedo && at; at = at.parent) needed.push(at.insertion, at.within?.edit);
    const missing = needed.filter((other) => other && other !== edit && !other.isLive && !isOwn(other));
    const inTheWay = this.edits.filter((later) => {
      if (!later.isLive || later.time <= edit.time || isOwn(later)) return false;
      const { kind, node } = edit;
      const takesAway = later.kind === "remove" || later.kind === "set";
      if (takesAway && isWithin(node, later.node)) return true;
      if (later.node === node) {
        if (kind === "move") return later.kind === "move" || later.kind === "remove";
        if (kind === "set") return later.kind === "set" || later.kind === "remove";
        return true;
      }
      if (kind !== "move" && isWithin(later.node, node)) return true;
      // A removed key that somebody has written again.
      const isSameKey = node.key !== undefined && later.node.key === node.key && later.node.parent === node.parent;
      return kind === (isRedo ? "insert" : "remove") && isSameKey && later.kind === "insert";
    });
    // Another one stands under the key.
    const { kind, node } = edit;
    const comes = kind === (isRedo ? "insert" : "remove") && node.key !== undefined;
    const other = comes && new Map(this.children(node.parent)).get(node.key);
    const isOwnToo = this.edits.some((own) => own.node === other && isOwn(own));
    const taken = other && other !== node && !isOwnToo ? [other] : [];
    // A redone edit replaces the value that is there now: an earlier edit of it may be undone.
    const isRelated = (one) => one === node || isWithin(one, node) || isWithin(node, one);
    const isAlone = !this.edits.some((own) => own !== edit && isOwn(own) && isRelated(own.node));
    const isOther = isRedo && isAlone && edit.before !== undefined && JSON.stringify(this.value(node)) !== edit.before;
    return [...missing, ...inTheWay, ...taken, ...(isOther ? [node] : [])];
  }
}
