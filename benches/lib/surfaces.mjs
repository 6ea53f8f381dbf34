/** Surfaces for the benchmarks: one column of texts, each bound to a key of its own. */

const ids = (count) => Array.from({ length: count }, (_, index) => `t${index}`);
const value = (index) => `value ${index}`;

const line = (message) => `${JSON.stringify(message)}\n`;

/** GULF: the lines that build the surface, and one line for each update. */
export function gulf(count) {
  const texts = ids(count).map((id, index) => ({
    id,
    componentProperties: { Text: { text: { path: `/v${index}` } } },
  }));
  const root = { id: "root", componentProperties: { Column: { children: { explicitList: ids(count) } } } };
  return {
    start: line({ componentUpdate: { components: [root, ...texts] } }) + line({ beginRendering: { root: "root" } }),
    updates: ids(count).map((_, index) => line({ dataModelUpdate: { path: `/v${index}`, contents: value(index) } })),
  };
}

/** The same for A2UI v0.8, as objects. */
export function v8(count) {
  const texts = ids(count).map((id, index) => ({ id, component: { Text: { text: { path: `/v${index}` } } } }));
  const root = { id: "root", component: { Column: { children: { explicitList: ids(count) } } } };
  const surfaceId = "s";
  return {
    // Children before their parents, as the peer wants it.
    start: [
      { surfaceUpdate: { surfaceId, components: [...texts, root] } },
      { beginRendering: { surfaceId, root: "root" } },
    ],
    updates: ids(count).map((_, index) => ({
      dataModelUpdate: { surfaceId, path: "/", contents: [{ key: `v${index}`, valueString: value(index) }] },
    })),
  };
}

/** The same for A2UI v0.9, as objects. */
export function v9(count) {
  const texts = ids(count).map((id, index) => ({ id, component: "Text", text: { path: `/v${index}` } }));
  const root = { id: "root", component: "Column", children: ids(count) };
  const surfaceId = "s";
  return {
    start: [
      { version: "v0.9", createSurface: { surfaceId, catalogId: "bench" } },
      { version: "v0.9", updateComponents: { surfaceId, components: [root, ...texts] } },
    ],
    updates: ids(count).map((_, index) => ({
      version: "v0.9",
      updateDataModel: { surfaceId, path: `/v${index}`, value: value(index) },
    })),
  };
}

/** What the last text shows in the end. */
export const last = (count) => value(count - 1);

/** A stream of about so many characters: components and data, line by line. */
export function stream(length) {
  const lines = [];
  for (let size = 0, index = 0; size < length; index++) {
    const id = `c${index % 2000}`;
    const text = { literalString: `Text number ${index}, of some length` };
    const next = [
      line({ componentUpdate: { components: [{ id, componentProperties: { Text: { text } } }] } }),
      line({ dataModelUpdate: { path: `/k${index % 2000}`, contents: { name: `name ${index}`, n: index } } }),
    ];
    size += next[0].length + next[1].length;
    lines.push(...next);
  }
  return lines.join("");
}
