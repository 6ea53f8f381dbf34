/** What the cases work on. Made by rule, so that every run and every process sees the same. */

const block = (place) => ({
  id: `block_${place}`,
  type: "form",
  bind: "state.params",
  title: `Block number ${place}`,
  props: {
    fields: [
      { key: `name_${place}`, label: "Name", type: "text", value: "" },
      { key: `count_${place}`, label: "Count", type: "number", value: place },
      { key: `notes_${place}`, label: "Notes", type: "textarea", description: "Whatever else there is to say" },
    ],
  },
});

/** A page with so many blocks: about 380 bytes of JSON each. */
export function page(blocks) {
  const params = { count: 0, name: "Ann" };
  const flags = {};
  for (let place = 0; place < 10; place++) {
    params[`p${place}`] = `value ${place}`;
    flags[`f${place}`] = false;
  }
  return {
    meta: { pageKey: "page", step: { current: 1, total: 3 }, status: "idle" },
    state: { params, runtime: { log: [], flags } },
    layout: { type: "single" },
    blocks: Array.from({ length: blocks }, (_, place) => block(place)),
    actions: [{ id: "submit", label: "Submit", style: "primary" }],
  };
}

/** The places of 100 blocks, spread over the page in no order. */
export function spread(blocks) {
  return Array.from({ length: 100 }, (_, place) => (place * 7919 + 13) % blocks);
}

/** Source code of so many UTF-16 units, with what has to be escaped and what is not ASCII. */
export function code(length) {
  const lines = [];
  for (let place = 0, size = 0; size < length; place++) {
    const line = `\texport const value_${place} = compute("key ${place}", { naïve: ${place % 7}, note: 'a "b" \\d' }); // → ${place}\n`;
    lines.push(line);
    size += line.length;
  }
  return lines.join("").slice(0, length);
}

/** The arguments of a write_file call with so much content. */
export const writeFile = (length) => JSON.stringify({ tool: "write_file", path: "src/app.ts", content: code(length) });

export const fenced = (json) => `\`\`\`json\n${json}\n\`\`\`\n`;

/** A text in pieces of so many units. */
export function pieces(text, size) {
  const list = [];
  for (let at = 0; at < text.length; at += size) list.push(text.slice(at, at + size));
  return list;
}

export function deepFreeze(value) {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
