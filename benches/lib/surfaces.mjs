/** Surfaces for the benchmarks: one column of texts, each bound to a key of its own. */
import { random } from "../../tests/support/random.mjs";
import { object, sentence } from "./content.mjs";

const ids = (count) => Array.from({ length: count }, (_, index) => `t${index}`);

const line = (message) => `${JSON.stringify(message)}\n`;

/** The same number of texts, and the order in which they arrive. */
export function updates(count, turn) {
  const rng = random(turn + 1);
  const order = ids(count).map((_, index) => index);
  for (let place = count - 1; place > 0; place--) {
    const other = rng.below(place + 1);
    [order[place], order[other]] = [order[other], order[place]];
  }
  return { values: order.map(() => sentence(rng)), order };
}

const each = ({ values, order }, message) => ({
  updates: order.map((index) => message(index, values[index])),
  last: order.at(-1),
});

/** GULF: the lines that build the surface, and one line for each update. */
export function gulf(wanted) {
  const all = ids(wanted.values.length);
  const texts = all.map((id, index) => ({ id, componentProperties: { Text: { text: { path: `/v${index}` } } } }));
  const root = { id: "root", componentProperties: { Column: { children: { explicitList: all } } } };
  return {
    start: line({ componentUpdate: { components: [root, ...texts] } }) + line({ beginRendering: { root: "root" } }),
    ...each(wanted, (index, contents) => line({ dataModelUpdate: { path: `/v${index}`, contents } })),
  };
}

/** The same for A2UI v0.9, as objects. */
export function v9(wanted) {
  const all = ids(wanted.values.length);
  const texts = all.map((id, index) => ({ id, component: "Text", text: { path: `/v${index}` } }));
  const root = { id: "root", component: "Column", children: all };
  const surfaceId = "s";
  return {
    start: [
      { version: "v0.9", createSurface: { surfaceId, catalogId: "bench" } },
      { version: "v0.9", updateComponents: { surfaceId, components: [root, ...texts] } },
    ],
    ...each(wanted, (index, value) => ({
      version: "v0.9",
      updateDataModel: { surfaceId, path: `/v${index}`, value },
    })),
  };
}

/** A stream of about so many characters: components and data, line by line. */
export function stream(length, turn) {
  const rng = random(turn + 1);
  const lines = [];
  for (let size = 0; size < length; ) {
    const text = { literalString: sentence(rng) };
    const component = { id: `c${rng.below(2000)}`, componentProperties: { Text: { text } } };
    const next = [
      line({ componentUpdate: { components: [component] } }),
      line({ dataModelUpdate: { path: `/k${rng.below(2000)}`, contents: object(rng) } }),
    ];
    size += next[0].length + next[1].length;
    lines.push(...next);
  }
  return lines.join("");
}
