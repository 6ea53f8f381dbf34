/** The description of a page for models, written from the vocabulary of the core and a catalog. */

import { catalogEntries } from "../catalog/entries.js";
import { readCatalog } from "../catalog/read.js";
import type { Catalog } from "../core/catalog-types.js";
import { requireOptions, TEXT } from "../core/require.js";
import { fieldProperties, type VocabularyWord, words } from "../generated/vocabulary.js";

/** The options of {@link pagePrompt}. */
export interface PagePromptOptions {
  /** The language of the sentences: `"zh"` for Chinese, else English. Names and the example are the same in all languages. */
  language?: string | undefined;
}

/** The sentences of the prompt in one language. Lists of words follow those that end with a colon. */
interface Sentences {
  page: string;
  state: string;
  blocks: string;
  props: string;
  fields: string;
  values: string;
  actions: string;
  styles: string;
  layouts: string;
  own: string;
  schema: (what: string) => string;
  warnings: string;
  example: string;
}

const ENGLISH: Sentences = {
  page: 'A page is a JSON document {"page_key", "state": {"params", "runtime"}, "layout", "blocks", "actions"}. You make and change it with patch_ui_state.',
  state: "state.params holds what the user enters, state.runtime everything else that changes.",
  blocks: 'Blocks are {"id", "type", "title", "props"}. What is in a block stands in its props. Types:',
  props: 'A tab or panel is {"id", "title", "fields", "actions"}. Blocks are not nested.',
  fields: 'Fields are {"key", "label", "type"}; also "value" (at first), "description", "required", "disabled". Types:',
  values:
    'The value of a field is in the state: at its block\'s bind ("state.params" if it has none) and its key. Set it with its type: 42, not "42". options are [{"label", "value"}], columns [{"key", "label"}].',
  actions:
    'Actions are buttons {"id", "label", "style", "action_type"}, of a block in props.actions or of the page. Types:',
  styles: "Styles:",
  layouts: 'Layouts, as {"type"}:',
  own: "This page also has:",
  schema: (what) => `${what} as JSON Schema:`,
  warnings:
    "Properties that are not named here have no effect. If a result has warnings, send what their solutions say.",
  example: "Example, a whole page:",
};

const CHINESE: Sentences = {
  page: '页面是一个 JSON 文档 {"page_key", "state": {"params", "runtime"}, "layout", "blocks", "actions"}，用 patch_ui_state 创建和修改。',
  state: "state.params 存放用户填写的值，state.runtime 存放其他会变化的值。",
  blocks: '区块为 {"id", "type", "title", "props"}，内容都写在 props 中。类型：',
  props: '标签页或面板为 {"id", "title", "fields", "actions"}。区块不可嵌套。',
  fields: '字段为 {"key", "label", "type"}，另有 "value"（初始值）、"description"、"required"、"disabled"。类型：',
  values:
    '字段的值在 state 中：位于区块的 bind（默认 "state.params"）加字段的 key。按类型设值：42，而不是 "42"。options 为 [{"label", "value"}]，columns 为 [{"key", "label"}]。',
  actions: '操作是按钮 {"id", "label", "style", "action_type"}，写在区块的 props.actions 或页面的 actions 中。类型：',
  styles: "样式：",
  layouts: '布局，写作 {"type"}：',
  own: "本页面还有：",
  schema: (what) => `${what} 的 JSON Schema：`,
  warnings: "未列出的属性不起作用。结果中若有 warnings，按其 solution 修改。",
  example: "示例，完整页面：",
};

/** A call that creates a page as a model should write it: it causes no warnings. */
export const pageExample = {
  instance_name: "__CREATE__",
  new_instance_name: "order",
  patches: [
    { op: "set", path: "state.params", value: { guests: 2 } },
    {
      op: "add",
      path: "blocks",
      items: [
        {
          id: "table",
          type: "form",
          title: "Your table",
          props: {
            fields: [
              { key: "name", label: "Name", type: "text" },
              { key: "guests", label: "Guests", type: "number" },
              { key: "place", label: "Place", type: "select", options: [{ label: "Inside", value: "in" }] },
            ],
          },
        },
        {
          id: "details",
          type: "tabs",
          props: {
            tabs: [
              {
                id: "menu",
                title: "Menu",
                fields: [{ key: "menu", label: "Menu", type: "table", columns: [{ key: "dish", label: "Dish" }] }],
              },
            ],
          },
        },
      ],
    },
    {
      op: "add",
      path: "actions",
      value: { id: "send", label: "Send", style: "primary", patches: { "state.runtime.sent": true } },
    },
  ],
};

/**
 * A prompt for a model that builds pages: the built-in vocabulary, the words of the catalog, and one complete example. The text
 * is always the same for the same arguments.
 *
 * ```ts
 * pagePrompt(store.catalog, { language: "zh" });
 * ```
 * `agentTools(…).prompt()` contains it. The built-in part is less than 900 tokens.
 */
export function pagePrompt(catalog: Catalog = {}, options: PagePromptOptions = {}): string {
  requireOptions("pagePrompt", options, { language: TEXT });
  const { language = "en" } = options;
  const isChinese = /^zh(-|$)/i.test(language);
  const sentences = isChinese ? CHINESE : ENGLISH;
  const describe = ({ english, chinese }: VocabularyWord) => (isChinese ? chinese : english);
  /** One line for each word. `propertiesOf`: the properties of a word, by its name. */
  const lines = (words: readonly VocabularyWord[], propertiesOf: Readonly<Record<string, readonly string[]>> = {}) =>
    words
      .map((word) => {
        const properties = propertiesOf[word.name];
        return `- ${word.name}: ${describe(word)}${properties ? ` (${properties.join(", ")})` : ""}`;
      })
      .join("\n");
  const names = (words: readonly VocabularyWord[], ownNames: readonly string[] = []) =>
    [...words.map(({ name }) => name), ...ownNames].join(", ");
  const namesWithDescriptions = (words: readonly VocabularyWord[]) =>
    words.map((word) => `${word.name} (${describe(word)})`).join(isChinese ? "，" : ", ");
  const { styles, layouts } = catalog;
  return [
    `${sentences.page} ${sentences.state}`,
    `${sentences.blocks}\n${lines(words.blocks)}\n${sentences.props}`,
    `${sentences.fields}\n${lines(words.fields, fieldProperties)}\n${sentences.values}`,
    `${sentences.actions}\n${lines(words.actions)}\n${sentences.styles} ${names(words.styles, styles)}.`,
    `${sentences.layouts} ${namesWithDescriptions(words.layouts)}${layouts?.map((name) => `, ${name}`).join("") ?? ""}.`,
    ...catalogPart(catalog, sentences),
    sentences.warnings,
    `${sentences.example}\n${JSON.stringify(pageExample)}`,
  ].join("\n\n");
}

/** The lists of a catalog that the prompt describes, and what one of their entries is called. */
const LISTS = [
  ["blocks", "block"],
  ["fields", "field"],
  ["actions", "action"],
] as const;

/** The part about a catalog; empty if it has no types. Its descriptions are the host's own words, in the host's language. */
function catalogPart(hostCatalog: Catalog, sentences: Sentences): string[] {
  const { catalog } = readCatalog(hostCatalog);
  const entries = LISTS.flatMap(([list, kind]) => {
    return catalogEntries(catalog[list]).map(([name, { description, props, value, example }]) =>
      [
        `- ${kind} ${name}${description === undefined ? "" : `: ${description}`}`,
        ...(props === undefined ? [] : [`  ${sentences.schema("props")} ${JSON.stringify(props)}`]),
        ...(value === undefined ? [] : [`  ${sentences.schema("value")} ${JSON.stringify(value)}`]),
        ...(example === undefined ? [] : [`  ${JSON.stringify(example)}`]),
      ].join("\n"),
    );
  });
  return entries.length === 0 ? [] : [`${sentences.own}\n${entries.join("\n")}`];
}
