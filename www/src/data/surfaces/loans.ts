/** A2UI v0.8: data as typed entries, children before their parents. */
const surfaceId = "loans";
const component = (id: string, type: string, properties: object, weight?: number) => ({
  id,
  ...(weight !== undefined && { weight }),
  component: { [type]: properties },
});
const literal = (literalString: string) => ({ literalString });
const at = (path: string) => ({ path });
const list = (...explicitList: string[]) => ({ explicitList });
const components = (...some: object[]) => ({ surfaceUpdate: { surfaceId, components: some } });
const word = (key: string, valueString: string) => ({ key, valueString });

const loan = (key: string, title: string, due: string, cover: string) => ({
  key,
  valueMap: [word("title", title), word("due", due), word("cover", cover)],
});

export const loans = [
  components(
    component("title", "Text", { text: at("/title"), usageHint: "h2" }),
    component("count", "Text", { text: at("/note"), usageHint: "caption" }),
    component("head", "Row", { children: list("icon", "heading"), alignment: "center" }),
    component("icon", "Icon", { name: literal("folder") }),
    component("heading", "Column", { children: list("title", "count") }, 1),
  ),
  components(
    component("cover", "Image", { url: at("cover"), altText: at("title"), usageHint: "smallFeature" }),
    component("book-title", "Text", { text: at("title"), usageHint: "h4" }),
    component("due", "Text", { text: at("due") }),
    component("renew-label", "Text", { text: literal("Renew") }),
    component("renew", "Button", {
      child: "renew-label",
      primary: true,
      action: { name: "renew", context: [{ key: "title", value: at("title") }] },
    }),
    component("words", "Column", { children: list("book-title", "due", "renew"), alignment: "start" }, 1),
    component("loan-row", "Row", { children: list("cover", "words"), alignment: "start" }),
    component("loan", "Card", { child: "loan-row" }),
    component("all", "List", {
      direction: "vertical",
      children: { template: { componentId: "loan", dataBinding: "/loans" } },
    }),
    component("rule", "Divider", {}),
    component("remind", "CheckBox", { label: literal("Remind me two days before"), value: at("/remind") }),
    component("by", "MultipleChoice", {
      selections: { path: "/by", literalArray: ["mail"] },
      options: [
        { label: literal("By mail"), value: "mail" },
        { label: literal("By text"), value: "text" },
      ],
      maxAllowedSelections: 1,
      variant: "chips",
    }),
    component("root", "Column", { children: list("head", "all", "rule", "remind", "by") }),
  ),
  { beginRendering: { surfaceId, root: "root", styles: { primaryColor: "#8a3b12" } } },
  {
    dataModelUpdate: {
      surfaceId,
      contents: [
        word("title", "On loan"),
        word("note", "Two books, one is due soon."),
        { key: "remind", valueBoolean: true },
      ],
    },
  },
  {
    dataModelUpdate: {
      surfaceId,
      path: "/loans",
      contents: [
        loan("0", "Rivers and how they move", "Due on Friday", "pictures/rivers.svg"),
        loan("1", "A field guide to herons", "Due in three weeks", "pictures/herons.svg"),
      ],
    },
  },
];
