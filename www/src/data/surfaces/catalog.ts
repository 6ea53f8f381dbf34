/** The components of GULF that this page shows, as the catalog that a client gives to a model. */

const value = (type: "string" | "number" | "boolean" | "array") => {
  const literal = `literal${type.charAt(0).toUpperCase()}${type.slice(1)}`;
  const sides = [literal, "path"].map((name) => ({
    type: "object",
    properties: { [name]: { type: name === "path" ? "string" : type } },
    required: [name],
  }));
  return { oneOf: sides };
};
const one = (...words: string[]) => ({ type: "string", enum: words });
const text = value("string");
const id = { type: "string", description: "The id of a component." };
const children = {
  type: "object",
  properties: {
    explicitList: { type: "array", items: id },
    template: { type: "object", properties: { componentId: id, dataBinding: { type: "string" } } },
  },
};
const action = { type: "object", properties: { action: { type: "string" }, context: { type: "array" } } };
const options = { type: "array", items: { type: "object", properties: { label: text, value: { type: "string" } } } };
const tabItems = { type: "array", items: { type: "object", properties: { title: text, child: id } } };
const alignment = one("start", "center", "end", "stretch");
const distribution = one("start", "center", "end", "spaceBetween", "spaceAround", "spaceEvenly");

const components: Readonly<Record<string, object>> = {
  AudioPlayer: { url: text, description: text },
  Button: { label: text, action, primary: { type: "boolean" } },
  Card: { child: id },
  CheckBox: { label: text, value: value("boolean") },
  Column: { children, alignment, distribution },
  DateTimeInput: { label: text, value: text, enableDate: { type: "boolean" }, enableTime: { type: "boolean" } },
  Divider: { axis: one("horizontal", "vertical") },
  Heading: { text, level: one("1", "2", "3", "4", "5") },
  Icon: { name: text },
  Image: { url: text, altText: text, fit: one("contain", "cover", "fill", "none", "scaleDown") },
  List: { children, direction: one("vertical", "horizontal") },
  Modal: { entryPointChild: id, contentChild: id },
  MultipleChoice: { selections: value("array"), options, maxAllowedSelections: { type: "integer" } },
  Row: { children, alignment, distribution },
  Slider: { label: text, value: value("number"), minValue: { type: "number" }, maxValue: { type: "number" } },
  Tabs: { tabItems },
  Text: { text },
  TextField: { label: text, text, type: one("shortText", "longText", "number", "date", "obscured") },
  Video: { url: text },
};

export const catalog = {
  type: "object",
  properties: Object.fromEntries(
    Object.entries(components).map(([name, properties]) => [name, { type: "object", properties }]),
  ),
};
