/** GULF: components first, then the data, then the order to render; more data follows. */
const component = (id: string, type: string, properties: object, weight?: number) => ({
  id,
  ...(weight !== undefined && { weight }),
  componentProperties: { [type]: properties },
});
const literal = (literalString: string) => ({ literalString });
const at = (path: string) => ({ path });
const list = (...explicitList: string[]) => ({ explicitList });
const components = (...some: object[]) => ({ componentUpdate: { components: some } });
const data = (path: string, contents: unknown) => ({ dataModelUpdate: { path, contents } });

export const walk = [
  { streamHeader: { version: "1.0.0" } },
  components(
    component("root", "Column", { children: list("title", "lead", "picture", "tabs") }),
    component("title", "Heading", { text: at("/walk/name"), level: "1" }),
    component("lead", "Text", { text: at("/walk/lead") }),
    component("picture", "Image", { url: at("/walk/picture") }),
  ),
  { beginRendering: { root: "root", styles: { primaryColor: "#2f6f4f" } } },
  data("/walk", {
    name: "Mill to ridge",
    lead: "Nine kilometres, mostly uphill, with a view for lunch.",
    picture: "pictures/hills.svg",
  }),
  components(
    component("tabs", "Tabs", {
      tabItems: [
        { title: literal("Stops"), child: "stops" },
        { title: literal("Plan"), child: "plan" },
        { title: literal("Sounds"), child: "sounds" },
      ],
    }),
    component("stops", "Column", { children: list("stop-list", "rule", "details") }),
    component("stop-list", "List", {
      direction: "vertical",
      children: { template: { componentId: "stop", dataBinding: "/stops" } },
    }),
    component("stop", "Card", { child: "stop-row" }),
    component("stop-row", "Row", { children: list("stop-name", "stop-km"), distribution: "spaceBetween" }),
    component("stop-name", "Text", { text: at("name") }, 1),
    component("stop-km", "Text", { text: at("distance") }),
    component("rule", "Divider", { axis: "horizontal" }),
    component("details", "Modal", { entryPointChild: "details-button", contentChild: "details-text" }),
    component("details-button", "Button", { label: literal("What to bring"), action: { action: "open-details" } }),
    component("details-text", "Text", { text: at("/walk/bring") }),
  ),
  data("/stops", [{ name: "Mill", distance: "0 km" }]),
  data("/stops", [
    { name: "Mill", distance: "0 km" },
    { name: "Weir", distance: "4.2 km" },
    { name: "Ridge", distance: "9 km" },
  ]),
  data("/walk/bring", "Water, a paper map, and something dry to sit on."),
  data("/plan", { name: "", day: "2026-05-04", people: 2, quiet: true, meals: ["lunch"], wishes: "" }),
  components(
    component("plan", "Column", {
      children: list("name", "day", "people", "meals", "quiet", "wishes", "buttons"),
      alignment: "stretch",
    }),
    component("name", "TextField", { label: literal("Your name"), text: at("/plan/name"), type: "shortText" }),
    component("day", "DateTimeInput", { value: at("/plan/day"), enableDate: true, enableTime: false }),
    component("people", "Slider", { value: at("/plan/people"), minValue: 1, maxValue: 12 }),
    component("meals", "MultipleChoice", {
      selections: at("/plan/meals"),
      options: [
        { label: literal("Breakfast"), value: "breakfast" },
        { label: literal("Lunch"), value: "lunch" },
        { label: literal("Tea"), value: "tea" },
      ],
      maxAllowedSelections: 2,
    }),
    component("quiet", "CheckBox", { label: literal("A quiet group, please"), value: at("/plan/quiet") }),
    component("wishes", "TextField", { label: literal("Anything else"), text: at("/plan/wishes"), type: "longText" }),
    component("buttons", "Row", { children: list("book"), distribution: "end" }),
    component("book", "Button", {
      label: literal("Book the walk"),
      action: {
        action: "book",
        context: [
          { key: "name", value: at("/plan/name") },
          { key: "day", value: at("/plan/day") },
          { key: "people", value: at("/plan/people") },
          { key: "meals", value: at("/plan/meals") },
        ],
      },
    }),
    component("sounds", "Column", { children: list("bell", "film") }),
    component("bell", "AudioPlayer", {
      url: literal("media/bell.wav"),
      description: literal("The bell of the mill"),
    }),
    component("film", "Video", { url: literal("media/ridge.webm") }),
  ),
];
