/** A stream with faults: each costs its own line, never those after it. */
const component = (id: string, type: string, properties: object) => ({
  id,
  componentProperties: { [type]: properties },
});
const text = (id: string, literalString: string) => component(id, "Text", { text: { literalString } });
const components = (...some: object[]) => ({ componentUpdate: { components: some } });

export const faults = [
  { streamHeader: { version: "1.0.0" } },
  components(
    component("root", "Column", { children: { explicitList: ["one", "late", "gauge", "loop", "unsafe", "last"] } }),
    text("one", "The next line of the stream is no JSON: it is reported, and the one after it counts."),
  ),
  '{"componentUpdate": {"components": [{"id": "one", "componentProperties": }',
  { beginRendering: { root: "root" } },
  components(component("gauge", "Gauge", { value: { literalNumber: 3 } })),
  components(
    component("loop", "Card", { child: "inner" }),
    component("inner", "Card", { child: "loop" }),
    component("unsafe", "Image", { url: { literalString: "javascript:alert(1)" } }),
  ),
  { unknownMessage: { really: true } },
  components(text("last", "The component “late” never arrives: its place is kept.")),
];
