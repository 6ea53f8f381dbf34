// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the protocol's own interpolation
/** A2UI v0.9: flat components, functions, and checks that hold the button back until the form is right. */
const surfaceId = "bikes";
const message = (body: object) => ({ version: "v0.9", ...body });
const components = (...some: object[]) => message({ updateComponents: { surfaceId, components: some } });
const data = (path: string, value: unknown) => message({ updateDataModel: { surfaceId, path, value } });
const at = (path: string) => ({ path });
const call = (name: string, args: object) => ({ call: name, args });
const check = (condition: object, text: string) => ({ condition, message: text });

const mail = [
  check(call("required", { value: at("/mail") }), "An address, so that we can reach you."),
  check(call("email", { value: at("/mail") }), "This is no mail address."),
];

export const bikes = [
  message({
    createSurface: {
      surfaceId,
      catalogId: "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json",
      theme: { primaryColor: "#1f5fbf" },
      sendDataModel: true,
    },
  }),
  data("/", {
    title: "Hire a bike",
    mail: "",
    kind: ["city"],
    hours: 3,
    rate: 4.5,
    day: "2026-05-04T09:30",
    extras: [],
  }),
  components(
    { id: "root", component: "Card", child: "form" },
    {
      id: "form",
      component: "Column",
      children: ["head", "greeting", "kind", "hours", "day", "mail", "extras", "foot"],
      align: "stretch",
    },
    { id: "head", component: "Row", children: ["pin", "title"], align: "center" },
    { id: "pin", component: "Icon", name: "locationOn" },
    { id: "title", component: "Text", text: at("/title"), variant: "h2" },
    {
      id: "greeting",
      component: "Text",
      text: call("formatString", { value: "${/hours} hours on a ${/kind/0} bike." }),
      variant: "caption",
    },
  ),
  components(
    {
      id: "kind",
      component: "ChoicePicker",
      label: "Kind",
      variant: "mutuallyExclusive",
      displayStyle: "chips",
      options: [
        { label: "City", value: "city" },
        { label: "Touring", value: "touring" },
        { label: "Cargo", value: "cargo" },
      ],
      value: at("/kind"),
    },
    { id: "hours", component: "Slider", label: "Hours", min: 1, max: 12, value: at("/hours") },
    { id: "day", component: "DateTimeInput", label: "From", enableDate: true, enableTime: true, value: at("/day") },
    { id: "mail", component: "TextField", label: "Mail", value: at("/mail"), checks: mail },
    {
      id: "extras",
      component: "ChoicePicker",
      label: "Extras",
      variant: "multipleSelection",
      options: [
        { label: "Helmet", value: "helmet" },
        { label: "Lock", value: "lock" },
        { label: "Child seat", value: "seat" },
      ],
      value: at("/extras"),
    },
  ),
  components(
    { id: "foot", component: "Row", children: ["price", "reserve"], justify: "spaceBetween", align: "center" },
    {
      id: "price",
      component: "Text",
      text: call("formatCurrency", { value: at("/rate"), currency: "EUR" }),
      variant: "h4",
      weight: 1,
    },
    {
      id: "reserve",
      component: "Button",
      child: "reserve-label",
      variant: "primary",
      checks: mail,
      action: { event: { name: "reserve", context: { mail: at("/mail"), kind: at("/kind"), hours: at("/hours") } } },
    },
    { id: "reserve-label", component: "Text", text: "Reserve" },
  ),
];
