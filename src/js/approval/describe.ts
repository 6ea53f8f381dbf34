/** Describes changes by the titles and labels of the page instead of by paths. */
import { isObject, isText, type Members } from "../core/kinds.js";
import { copyOf, put, type Step, type Tree, valueAt } from "../core/tree.js";
import type { DeepReadonly, Json } from "../types.js";
import type { NodeProposal, Proposal, ShownChange } from "./types.js";

/** A change as a user reads it. */
export interface ChangeDescription {
  kind: "set" | "insert" | "remove" | "move";
  /** Titles and labels of what the place is in, outermost first: a block, its tab, a field. */
  labels: string[];
  /** The property that changes, if the labels do not name all of the place. */
  property?: string;
  before?: Json;
  after?: Json;
  /** The whole sentence. */
  text: string;
  path: readonly Step[];
}

type Noun = "blocks" | "tabs" | "panels" | "fields" | "actions" | "options" | "columns" | "other";

/** The words of the sentences. `what` is a noun and a label, such as `field “Phone”`. */
export interface ChangeWords {
  nouns: Record<Noun, string>;
  quote(text: string): string;
  /** A value that is too long for a sentence. */
  cut(text: string, length: number): string;
  yes: string;
  no: string;
  replacedBy(after: string, before: string): string;
  cleared(before: string): string;
  added(what: string): string;
  removed(what: string): string;
  moved(what: string, position: number): string;
  newPage: string;
  wholePage: string;
  deletedPage: string;
}

export const englishChangeWords: ChangeWords = {
  nouns: {
    blocks: "block",
    tabs: "tab",
    panels: "panel",
    fields: "field",
    actions: "button",
    options: "option",
    columns: "column",
    other: "entry",
  },
  quote: (text) => `“${text}”`,
  cut: (text, length) => `${text}… (${length} characters)`,
  yes: "yes",
  no: "no",
  replacedBy: (after, before) => `${after} instead of ${before}`,
  cleared: (before) => `cleared, was ${before}`,
  added: (what) => `new ${what}`,
  removed: (what) => `${what} removed`,
  moved: (what, position) => `${what} moved to position ${position}`,
  newPage: "New page",
  wholePage: "The whole page is replaced",
  deletedPage: "The page is deleted",
};

export const chineseChangeWords: ChangeWords = {
  nouns: {
    blocks: "区块",
    tabs: "标签页",
    panels: "面板",
    fields: "字段",
    actions: "按钮",
    options: "选项",
    columns: "列",
    other: "条目",
  },
  quote: (text) => `“${text}”`,
  cut: (text, length) => `${text}…（共 ${length} 个字符）`,
  yes: "是",
  no: "否",
  replacedBy: (after, before) => `${before} 改为 ${after}`,
  cleared: (before) => `清空，原为 ${before}`,
  added: (what) => `新增${what}`,
  removed: (what) => `删除${what}`,
  moved: (what, position) => `${what}移到第 ${position} 位`,
  newPage: "新页面",
  wholePage: "替换整个页面",
  deletedPage: "删除页面",
};

/** The maximum length of a value in a sentence, in UTF-16 units. */
const LONGEST = 120;
/** Keys that no description names: their objects only group blocks, fields and values. */
const UNSEEN = ["props", "state", "params", "runtime", "meta"];

/** A value that is only read. */
type View = DeepReadonly<Json> | undefined;

/**
 * Describes changes for a user: by the labels of blocks and fields instead of their paths, in the order of the changes.
 * `before` is the document that they change; a document of another kind than a page is described by its keys.
 *
 * ```ts
 * describeChanges([{ kind: "set", path: ["title"], value: "People" }], { title: "Contacts" })[0].text;
 * // "title: “People” instead of “Contacts”"
 * ```
 */
export function describeChanges(
  changes: readonly ShownChange[],
  before?: DeepReadonly<Json>,
  words: ChangeWords = englishChangeWords,
): ChangeDescription[] {
  // Replaying copies whatever it changes.
  const confirmed = before as Json | undefined;
  const page = new Replay(confirmed);
  const places = changes.map((change) => {
    // Where an item stands decides its labels, so they are read as the document is just before the change.
    const path = change.kind === "move" ? change.from : change.path;
    const holder = placeOf(page.root, path.slice(0, -1), words);
    const known = placeOf(page.root, path, words);
    const item = valueAt(page.root, path);
    const old = change.before !== undefined ? change.before : item;
    page.apply(change);
    return {
      change,
      holder,
      old,
      place: change.kind === "set" || change.kind === "remove" ? known : placeOf(page.root, change.path, words),
    };
  });
  const fields = new Map([...fieldsOf(page.root), ...fieldsOf(confirmed)]);
  return places.map((entry) => describe(entry.change, entry, fields, words));
}

/** A part of a proposal that can be approved by itself. */
export interface ProposalPart extends ChangeDescription {
  /** A change of a node in a field that the agent did not ask to show. */
  isBeside?: boolean;
}

/**
 * Describes a proposal for a user: its changes in the order of `diff`, for nodes those of `otherChanges` after them. A file's
 * proposal has none: its `diff` is what users read. `before` is the confirmed document of the target.
 */
export function describeProposal(
  proposal: Proposal,
  before?: DeepReadonly<Json>,
  words: ChangeWords = englishChangeWords,
): ProposalPart[] {
  if (proposal.kind === "file") return [];
  if (proposal.kind === "patch") return describeChanges(proposal.diff, before, words);
  const described = (diff: NodeProposal["diff"]) =>
    describeChanges(Object.entries(diff).map(changeOfField), undefined, words);
  const beside = described(proposal.otherChanges).map((part) => ({ ...part, isBeside: true }));
  return [...described(proposal.diff), ...beside];
}

function changeOfField([field, sides]: [string, { before?: Json; after?: Json }]): ShownChange {
  const { after, ...before } = sides;
  const path = [field];
  return after === undefined ? { kind: "remove", path, ...before } : { kind: "set", path, value: after, ...before };
}

interface Place {
  labels: string[];
  /** Keys and positions (from 1) after the last label. */
  rest: string[];
  item?: Json | undefined;
}

function describe(
  change: ShownChange,
  { holder, place, old }: { holder: Place; place: Place; old: Json | undefined },
  fields: ReadonlyMap<string, StateField>,
  words: ChangeWords,
): ChangeDescription {
  const { kind, path } = change;
  const after = kind === "move" || kind === "remove" ? undefined : change.value;
  const say = (labels: string[], sentence: string, property?: string): ChangeDescription => {
    const head = labels.join(" › ");
    const text = [property, sentence].filter(Boolean).join(head === "" ? ": " : " ");
    return {
      kind,
      labels,
      ...(property && { property }),
      ...(old !== undefined && kind !== "insert" && kind !== "move" && { before: old }),
      ...(after !== undefined && { after }),
      text: head === "" ? text : text === "" ? head : `${head}: ${text}`,
      path,
    };
  };
  if (path.length === 0) {
    const isNew = old === undefined || old === null;
    return say([], kind === "remove" ? words.deletedPage : isNew ? words.newPage : words.wholePage);
  }
  const found = fieldAt(fields, path);
  if (found !== undefined) {
    const { labels, field, depth } = found;
    const property = path.slice(depth).join(" › ");
    const value = (own: Json) => wordsOf(depth === path.length ? optionLabel(field, own) : own, words);
    return say(labels, valueSentence(kind, old, after, value, words), property || undefined);
  }
  const last = path.at(-1);
  if (typeof last === "number" && kind !== "set") {
    const list = String(path.at(-2));
    const noun = words.nouns[isNoun(list, words) ? list : "other"];
    const subject = kind === "insert" ? after : kind === "remove" ? old : place.item;
    const name = labelOf(subject, true) ?? (isObject(subject) || Array.isArray(subject) ? "" : wordsOf(subject, words));
    const what = name === "" ? noun : `${noun} ${isObject(subject) ? words.quote(name) : name}`;
    const sentence =
      kind === "insert" ? words.added(what) : kind === "remove" ? words.removed(what) : words.moved(what, last + 1);
    const isNamed = noun !== words.nouns.other;
    return say(holder.labels, sentence, isNamed ? undefined : holder.rest.join(" › ") || undefined);
  }
  const sentence = valueSentence(kind, old, after, (own) => wordsOf(own, words), words);
  return say(place.labels, sentence, place.rest.join(" › ") || undefined);
}

function valueSentence(
  kind: string,
  old: Json | undefined,
  after: Json | undefined,
  value: (own: Json) => string,
  words: ChangeWords,
): string {
  if (isEmpty(after)) return words.cleared(isEmpty(old) ? "–" : value(old));
  if (kind === "insert" || isEmpty(old)) return value(after);
  return words.replacedBy(value(after), value(old));
}

const isEmpty = (own: Json | undefined): own is undefined | null | "" =>
  own === undefined || own === null || own === "";

const isNoun = (list: string, words: ChangeWords): list is Noun => Object.hasOwn(words.nouns, list);

function wordsOf(value: Json | undefined, words: ChangeWords): string {
  if (typeof value === "boolean") return value ? words.yes : words.no;
  if (isText(value)) return words.quote(shorten(value, words));
  const title = labelOf(value, false);
  return title === undefined ? shorten(JSON.stringify(value ?? null), words) : words.quote(shorten(title, words));
}

function shorten(text: string, words: ChangeWords): string {
  // A pair of surrogates is not cut in two.
  return text.length <= LONGEST ? text : words.cut(text.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, ""), text.length);
}

/** The title or label of a block, a tab or a field. With `orId`, its id or key where it has neither. */
function labelOf(item: View, orId: boolean): string | undefined {
  if (!isObject<Json>(item)) return undefined;
  const { title, label, name, id, key } = item;
  return [title, label, name, ...(orId ? [id, key] : [])].filter(isText).find((own) => own !== "");
}

/** The labels along a path, and the keys after the last one. */
function placeOf(root: Json | undefined, path: readonly Step[], words: ChangeWords): Place {
  const place: Place = { labels: [], rest: [] };
  let node = root;
  let id: string | undefined;
  for (const [depth, step] of path.entries()) {
    node = valueAt(node, [step]);
    if (typeof step === "number") {
      const label = labelOf(node, false);
      id = labelOf(node, true) ?? id;
      if (label !== undefined) place.labels.push(label);
      place.rest = label === undefined && id === undefined ? [...place.rest, String(step + 1)] : [];
    } else if (!UNSEEN.includes(step) && !(typeof path[depth + 1] === "number" && Object.hasOwn(words.nouns, step))) {
      place.rest.push(step);
    }
  }
  if (place.labels.length === 0 && id !== undefined) place.labels.push(id);
  place.item = node;
  return place;
}

interface StateField {
  field: Members;
  labels: string[];
}

/** The fields of a page by the place of their values in state. */
function* fieldsOf(page: Json | undefined): Generator<[string, StateField]> {
  const blocks = isObject<Json>(page) && Array.isArray(page.blocks) ? page.blocks : [];
  for (const block of blocks) {
    if (!isObject<Json>(block)) continue;
    const bind = isText(block.bind) ? stepsOf(block.bind) : ["state", "params"];
    for (const field of fieldsIn(block.props)) {
      const labels = [labelOf(block, false), labelOf(field, true) ?? ""].filter((label) => label !== undefined);
      yield [JSON.stringify([...bind, String(field.key)]), { field, labels }];
    }
  }
}

function* fieldsIn(group: Json | undefined): Generator<Members> {
  if (!isObject<Json>(group)) return;
  const { fields, tabs, panels } = group;
  for (const field of Array.isArray(fields) ? fields : []) if (isObject<Json>(field)) yield field;
  for (const list of [tabs, panels]) if (Array.isArray(list)) for (const inner of list) yield* fieldsIn(inner);
}

/** The keys of a path in any of its spellings. */
function stepsOf(path: string): string[] {
  if (path.startsWith("/"))
    return path
      .split("/")
      .slice(1)
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|[^.[\]]+/g)].map(([own, quoted]) => {
    return quoted === undefined ? own : String(JSON.parse(`"${quoted}"`));
  });
}

/** The field whose value is at or above a place in state. `depth`: the length of the path of that value. */
function fieldAt(fields: ReadonlyMap<string, StateField>, path: readonly Step[]) {
  if (path[0] !== "state") return undefined;
  for (let depth = path.length; depth > 1; depth--) {
    const found = fields.get(JSON.stringify(path.slice(0, depth).map(String)));
    if (found !== undefined) return { ...found, depth };
  }
  return undefined;
}

/** The label of a chosen option. */
function optionLabel({ options }: Members, value: Json): Json {
  const chosen = Array.isArray(options) && options.find((option) => isObject<Json>(option) && option.value === value);
  return (chosen && labelOf(chosen, false)) || value;
}

/** A document to which changes are made one after the other. Each list and object is copied once. */
class Replay {
  /** Copies, which may be written to. */
  readonly #copies = new Set<Json | undefined>();

  constructor(public root: Json | undefined) {}

  apply(change: ShownChange): void {
    const { kind, path } = change;
    const last = path.at(-1);
    if (last === undefined) {
      this.root = kind === "remove" || kind === "move" ? undefined : change.value;
      return;
    }
    const moved = kind === "move" ? this.#remove(change.from) : undefined;
    const holder = this.#holder(path);
    if (holder === undefined) return;
    if (kind === "remove") this.#remove(path);
    else {
      const value = (kind === "move" ? moved : change.value) ?? null;
      if (kind !== "set" && Array.isArray(holder)) holder.splice(Number(last), 0, value);
      else put(holder, last, value);
    }
  }

  /** Removes a value, and returns it. */
  #remove(path: readonly Step[]): Json | undefined {
    const holder = this.#holder(path);
    const last = path.at(-1);
    if (holder === undefined || last === undefined) return undefined;
    if (Array.isArray(holder)) return holder.splice(Number(last), 1)[0];
    const value = holder[last];
    delete holder[last];
    return value;
  }

  /** A writable copy of the list or object that contains the last step of a path; `undefined` if it does not exist. */
  #holder(path: readonly Step[]): Tree | undefined {
    if (typeof this.root !== "object" || this.root === null) return undefined;
    let node = this.#writable(this.root);
    this.root = node;
    for (const step of path.slice(0, -1)) {
      const inner = valueAt(node, [step]);
      if (typeof inner !== "object" || inner === null) return undefined;
      const copy = this.#writable(inner);
      put(node, step, copy);
      node = copy;
    }
    return node;
  }

  #writable(tree: Tree): Tree {
    if (this.#copies.has(tree)) return tree;
    const copy = copyOf(tree);
    this.#copies.add(copy);
    return copy;
  }
}
