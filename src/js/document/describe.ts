/** Describes changes by the titles and labels of the page instead of by paths. */

import type { NodeProposal, Proposal } from "../approval/types.js";
import { isObject, isText, type Members } from "../core/kinds.js";
import { copyOf, put, type Step, type Tree, valueAt } from "../core/tree.js";
import type { DeepReadonly, Json, ShownChange } from "../types.js";
import { blocksOf, fieldsIn } from "./parts.js";

/** A change as a user reads it. */
export interface ChangeDescription {
  kind: "set" | "insert" | "remove" | "move";
  /** Titles and labels of the parts that the change is in, outermost first: a block, its tab, a field. */
  labels: string[];
  /** The property that changes, if the labels do not name it. */
  property?: string;
  /** The value that the change replaces or removes. */
  before?: Json;
  /** The value that it sets or inserts. */
  after?: Json;
  /** The whole sentence. */
  text: string;
  /** The path of the change. */
  path: readonly Step[];
}

/** Keys of lists whose items have a noun, and `other` for the items of all other lists. */
type Noun = "blocks" | "tabs" | "panels" | "fields" | "actions" | "options" | "columns" | "other";

/** The words of the sentences. `what` is a noun and a label, such as `field “Phone”`. */
export interface ChangeWords {
  nouns: Record<Noun, string>;
  quote(text: string): string;
  /** A value that is too long for a sentence: `text` is its beginning, `length` the length of the whole value. */
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
const MAX_LENGTH = 120;
/** Keys that no description names: their objects only group blocks, fields and values. */
const UNNAMED_KEYS = ["props", "state", "params", "runtime", "meta"];

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
  // The type is cast because `Replay` does not write to the document: it copies what it changes.
  const pageBefore = before as Json | undefined;
  const page = new Replay(pageBefore);
  const contexts = changes.map((change) => {
    // The labels are read from the document as it is just before the change: a path depends on the changes before it.
    const path = change.kind === "move" ? change.from : change.path;
    const holder = placeOf(page.root, path.slice(0, -1), words);
    const placeBefore = placeOf(page.root, path, words);
    const old = change.before !== undefined ? change.before : valueAt(page.root, path);
    page.apply(change);
    // A value that is inserted or moved is found only after the change.
    const isInPlace = change.kind === "set" || change.kind === "remove";
    return { change, holder, old, place: isInPlace ? placeBefore : placeOf(page.root, change.path, words) };
  });
  // Of two fields with one path, the field of the page before the changes is taken: later entries replace earlier ones.
  const fields = new Map([...stateFieldsOf(page.root), ...stateFieldsOf(pageBefore)]);
  return contexts.map((context) => describe(context.change, context, fields, words));
}

/** A part of a proposal that can be approved by itself. */
export interface ProposalPart extends ChangeDescription {
  /** Set for a change of a node in a field that the agent did not ask to show: see `otherChanges` of `NodeProposal`. */
  isBeside?: boolean;
}

/**
 * Describes a proposal for a user: its changes in the order of `diff`; for a node, then the changes of `otherChanges`. The list is
 * empty for a file: its `diff` is what users read. `before` is the confirmed document of the target.
 */
export function describeProposal(
  proposal: Proposal,
  before?: DeepReadonly<Json>,
  words: ChangeWords = englishChangeWords,
): ProposalPart[] {
  if (proposal.kind === "file") return [];
  if (proposal.kind === "patch") return describeChanges(proposal.diff, before, words);
  // The changes of fields have their values before.
  const noDocument = undefined;
  const describeDiff = (diff: NodeProposal["diff"]) =>
    describeChanges(Object.entries(diff).map(changeOfField), noDocument, words);
  const otherParts = describeDiff(proposal.otherChanges).map((part) => ({ ...part, isBeside: true }));
  return [...describeDiff(proposal.diff), ...otherParts];
}

/** The change for an entry of a `JsonDiff`: a field, and its values before and after, of which one may be absent. */
function changeOfField([field, sides]: [string, { before?: Json; after?: Json }]): ShownChange {
  const { after, ...before } = sides;
  const path = [field];
  return after === undefined ? { kind: "remove", path, ...before } : { kind: "set", path, value: after, ...before };
}

/** A path in the words of the page. */
interface Place {
  /** Titles and labels of the items on the path, outermost first. */
  labels: string[];
  /** Keys and positions (from 1) after the last item with a label or an id. */
  rest: string[];
  /** The value at the path, if there is one. */
  item?: Json | undefined;
}

/**
 * Describes one change. The first of these cases applies: it is about the whole page; about the value of a field in state; about
 * an item of a list, which is inserted, removed or moved; about any other property. `holder` is the place that contains the
 * changed one.
 */
function describe(
  change: ShownChange,
  { holder, place, old }: { holder: Place; place: Place; old: Json | undefined },
  fields: ReadonlyMap<string, StateField>,
  words: ChangeWords,
): ChangeDescription {
  const { kind, path } = change;
  const replacesValue = kind === "set" || kind === "remove";
  const after = kind === "move" || kind === "remove" ? undefined : change.value;
  /** Joins the parts of a sentence: `labels › labels: property sentence`, or `property: sentence` without labels. */
  const descriptionOf = (labels: string[], sentence: string, property?: string): ChangeDescription => {
    const head = labels.join(" › ");
    const text = [property, sentence].filter(Boolean).join(head === "" ? ": " : " ");
    return {
      kind,
      labels,
      ...(property && { property }),
      ...(old !== undefined && replacesValue && { before: old }),
      ...(after !== undefined && { after }),
      text: head === "" ? text : text === "" ? head : `${head}: ${text}`,
      path,
    };
  };
  if (path.length === 0) {
    const isNew = old === undefined || old === null;
    return descriptionOf([], kind === "remove" ? words.deletedPage : isNew ? words.newPage : words.wholePage);
  }
  const stateField = fieldAt(fields, path);
  if (stateField !== undefined) {
    const { labels, field, depth } = stateField;
    // The change may be inside of the field's value, e.g. in a row of a table.
    const property = path.slice(depth).join(" › ");
    const isWholeValue = depth === path.length;
    const valueText = (value: Json) => wordsOf(isWholeValue ? optionLabel(field, value) : value, words);
    return descriptionOf(labels, valueSentence(kind, old, after, valueText, words), property || undefined);
  }
  const last = path.at(-1);
  if (typeof last === "number" && kind !== "set") {
    const list = String(path.at(-2));
    const noun = words.nouns[isNoun(list, words) ? list : "other"];
    const item = kind === "insert" ? after : kind === "remove" ? old : place.item;
    // A list or an object without a label, an id or a key has no name. Any other value is named by itself.
    const name = labelOrId(item) ?? (isObject(item) || Array.isArray(item) ? "" : wordsOf(item, words));
    // `wordsOf` has quoted the name if it is a text of its own.
    const what = name === "" ? noun : `${noun} ${isObject(item) ? words.quote(name) : name}`;
    const sentence =
      kind === "insert" ? words.added(what) : kind === "remove" ? words.removed(what) : words.moved(what, last + 1);
    // A noun of its own, such as "field", says in which list the item is.
    const isNamedByNoun = noun !== words.nouns.other;
    return descriptionOf(holder.labels, sentence, isNamedByNoun ? undefined : holder.rest.join(" › ") || undefined);
  }
  const sentence = valueSentence(kind, old, after, (value) => wordsOf(value, words), words);
  return descriptionOf(place.labels, sentence, place.rest.join(" › ") || undefined);
}

/** The sentence about a value that was `old` and is `after`. `valueText` writes a value. */
function valueSentence(
  kind: string,
  old: Json | undefined,
  after: Json | undefined,
  valueText: (value: Json) => string,
  words: ChangeWords,
): string {
  if (isEmpty(after)) return words.cleared(isEmpty(old) ? "–" : valueText(old));
  if (kind === "insert" || isEmpty(old)) return valueText(after);
  return words.replacedBy(valueText(after), valueText(old));
}

const isEmpty = (value: Json | undefined): value is undefined | null | "" =>
  value === undefined || value === null || value === "";

const isNoun = (list: string, words: ChangeWords): list is Noun => Object.hasOwn(words.nouns, list);

/** A value in a sentence: yes or no, a quoted text or label, else the beginning of its JSON text. */
function wordsOf(value: Json | undefined, words: ChangeWords): string {
  if (typeof value === "boolean") return value ? words.yes : words.no;
  if (isText(value)) return words.quote(shorten(value, words));
  const title = labelOf(value);
  return title === undefined ? shorten(JSON.stringify(value ?? null), words) : words.quote(shorten(title, words));
}

function shorten(text: string, words: ChangeWords): string {
  if (text.length <= MAX_LENGTH) return text;
  // A pair of surrogates is not cut in two.
  return words.cut(text.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, ""), text.length);
}

/** The title, label or name of a block, a tab or a field; `undefined` if it has none. */
const labelOf = (item: Json | undefined): string | undefined => firstText(item, ["title", "label", "name"]);

/** As {@link labelOf}; the id or key of an item without a label. */
const labelOrId = (item: Json | undefined): string | undefined => labelOf(item) ?? firstText(item, ["id", "key"]);

/** The first of these members that is a text and not empty. */
function firstText(item: Json | undefined, keys: readonly string[]): string | undefined {
  if (!isObject<Json>(item)) return undefined;
  const texts = keys.map((key) => item[key]).filter(isText);
  return texts.find((text) => text !== "");
}

/**
 * The labels of the items along a path, and the keys after the last labelled item. An item without a label is named by its
 * position, unless it or an item around it has an id. A key is left out if it only groups, or if it is the key of a list whose
 * items have a noun.
 */
function placeOf(root: Json | undefined, path: readonly Step[], words: ChangeWords): Place {
  const place: Place = { labels: [], rest: [] };
  let node = root;
  let id: string | undefined;
  for (const [depth, step] of path.entries()) {
    node = valueAt(node, [step]);
    if (typeof step === "number") {
      const label = labelOf(node);
      id = labelOrId(node) ?? id;
      if (label !== undefined) place.labels.push(label);
      place.rest = label === undefined && id === undefined ? [...place.rest, String(step + 1)] : [];
    } else {
      const isListWithNoun = typeof path[depth + 1] === "number" && isNoun(step, words);
      if (!UNNAMED_KEYS.includes(step) && !isListWithNoun) place.rest.push(step);
    }
  }
  // Without any label, the innermost id is better than nothing.
  if (place.labels.length === 0 && id !== undefined) place.labels.push(id);
  place.item = node;
  return place;
}

/** A field whose value is in state. */
interface StateField {
  field: Members;
  /** The labels of its block, if the block has one, and of the field. */
  labels: string[];
}

/** The fields of a page by the path of their values in state, as JSON text. */
function* stateFieldsOf(page: Json | undefined): Generator<[string, StateField]> {
  for (const block of blocksOf(page ?? null)) {
    const bind = isText(block.bind) ? stepsOf(block.bind) : ["state", "params"];
    for (const field of fieldsIn(block)) {
      const labels = [labelOf(block), labelOrId(field) ?? ""].filter((label) => label !== undefined);
      yield [JSON.stringify([...bind, String(field.key)]), { field, labels }];
    }
  }
}

/** The keys of a path in any of its spellings: `/a/b`, `a.b`, `a["b"]`. Without `parsePath`, which needs the store's module. */
function stepsOf(path: string): string[] {
  if (path.startsWith("/"))
    return path
      .split("/")
      .slice(1)
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  // A key in brackets and quotes, or a plain key.
  return [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|[^.[\]]+/g)].map(([plain, quoted]) => {
    return quoted === undefined ? plain : String(JSON.parse(`"${quoted}"`));
  });
}

/**
 * The field whose value is at or above a path in state; `undefined` if none exists. `depth`: the length of the value's path.
 */
function fieldAt(fields: ReadonlyMap<string, StateField>, path: readonly Step[]) {
  if (path[0] !== "state") return undefined;
  for (let depth = path.length; depth > 1; depth--) {
    const stateField = fields.get(JSON.stringify(path.slice(0, depth).map(String)));
    if (stateField !== undefined) return { ...stateField, depth };
  }
  return undefined;
}

/** The label of the option with a value; the value itself if no option has it. */
function optionLabel({ options }: Members, value: Json): Json {
  const chosen = Array.isArray(options) && options.find((option) => isObject<Json>(option) && option.value === value);
  return (chosen && labelOf(chosen)) || value;
}

/**
 * A document to which changes are made one after the other. Each list and object is copied once. A change whose path does not
 * exist is ignored, unlike in `Mirror`: a caller may pass any document.
 */
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

  /** The list or object itself if it is a copy already, else a copy of it. */
  #writable(tree: Tree): Tree {
    if (this.#copies.has(tree)) return tree;
    const copy = copyOf(tree);
    this.#copies.add(copy);
    return copy;
  }
}
