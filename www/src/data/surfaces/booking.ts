/** GULF: the parts of a card, whose data comes after them. */
const component = (id: string, type: string, properties: object, weight?: number) => ({
  id,
  ...(weight !== undefined && { weight }),
  componentProperties: { [type]: properties },
});
const at = (path: string) => ({ path });
const list = (...explicitList: string[]) => ({ explicitList });
const components = (...some: object[]) => ({ componentUpdate: { components: some } });
const data = (path: string, contents: unknown) => ({ dataModelUpdate: { path, contents } });

export const booking = [
  { streamHeader: { version: "1.0.0" } },
  components(
    component("root", "Card", { child: "all" }),
    component("all", "Column", { children: list("title", "picture", "when", "guests", "quiet", "buttons") }),
    component("title", "Heading", { text: at("/booking/title"), level: "2" }),
    component("picture", "Image", { url: at("/booking/picture") }),
  ),
  { beginRendering: { root: "root", styles: { primaryColor: "#2f6f4f" } } },
  components(
    component("when", "Row", { children: list("day", "table"), distribution: "spaceBetween" }),
    component("day", "Text", { text: at("/booking/day") }, 1),
    component("table", "Text", { text: at("/booking/table") }),
    component("guests", "Text", { text: at("/booking/guests") }),
    component("quiet", "CheckBox", { label: { literalString: "A quiet corner, please" }, value: at("/booking/quiet") }),
    component("buttons", "Row", { children: list("confirm") }),
    component("confirm", "Button", {
      label: { literalString: "Confirm the booking" },
      action: { action: "confirm-booking" },
    }),
  ),
  data("/booking", { title: "Your table" }),
  data("/booking/picture", "pictures/hills.svg"),
  data("/booking/day", "Monday, 4 May, at seven"),
  data("/booking/table", "In the garden"),
  data("/booking/guests", "Four guests, in the name of Ada Lovelace"),
  data("/booking/quiet", true),
];
