/** Random patch calls for the page of store.mjs: most of them apply, many do not. */

/** The arguments of each operation, as [path, rest of the patch]; `value` fills in the values. */
const fitting = {
  set: [
    ["state.params.n"],
    ["state.params.o.k"],
    ["state.params.new.deep.er"],
    ["state.params.l.0"],
    ["state.params.l[2]"],
    ['state.params.l["a"].deep'],
    ["/state/runtime/x~1y"],
    ['blocks["a"].title'],
    ["blocks.1.note"],
    ['state.params["2"]'],
    ["state.runtime"],
    ["layout", { value: { type: "grid", columns: 2 } }],
    ["meta.status", { value: "submitted" }],
    ["blocks-0", { value: { id: "a", type: "grid", props: { fields: [] } } }],
  ],
  add: [
    ["state.params.l+"],
    ["state.params.l", { items: [1, { id: "z" }] }],
    ["blocks+", { value: { id: "new", type: "tabs" } }],
    ["blocks", { items: [{ id: "i1", type: "tabs" }] }],
    ["actions+", { value: { id: "more", label: "More", style: "danger" } }],
    ["blocks.0.props.fields+", { value: { key: "f", label: "F", type: "text" } }],
    ["state.params.l.0"],
    ["state.params.l.2", { items: [{ id: "y" }, [], 3] }],
    ["/state/params/l/-"],
    ["blocks.1", { value: { id: "new", type: "tabs" } }],
    ["blocks.0.props.fields.0", { value: { key: "g", label: "G", type: "text" } }],
  ],
  replace: [
    ["state.params.s"],
    ["state.params.o"],
    ["blocks", { value: [{ id: "a", type: "tabs", title: "again" }] }],
    ["actions", { value: [] }],
  ],
  remove: [
    ["state.params.o.2"],
    ["state.params.o.inner"],
    ["state.params.l.0"],
    ['blocks-"b"'],
    ['blocks["new"]'],
    ["blocks", { value: { id: "a" } }],
    ['blocks["a"].props.fields-"n"'],
    ["actions.0"],
  ],
  move: [
    ["state.params.l.0", { to: 1 }],
    ['state.params.l["a"]', { to: 0 }],
    ["state.params.l.1", { to: { before: "a" } }],
    ['blocks["b"]', { to: 0 }],
    ["blocks.0", { to: { after: "b" } }],
    ["actions.0", { to: 0 }],
  ],
  clear: [["state.params"], ["state.runtime"], ["state.params.l"], ["state"], ["actions"], ["state.params.o"]],
  create: [[undefined]],
  delete: [[undefined]],
  increment: [["state.params.n"], ["state.params.n", { value: 0.1 }], ["state.runtime.count", { value: -3 }]],
  decrement: [["state.params.n"], ["state.params.n", { value: 2 ** 53 }]],
  toggle: [["state.params.flag"], ["state.runtime.open"]],
  merge: [
    ["state.params.o", { value: { k: 2, 10: "ten", more: [] } }],
    ["state.params", { value: JSON.parse('{"__proto__":{"x":1},"s":"y"}') }],
    ['blocks["b"]', { value: { title: "T" } }],
  ],
  append_to_list: [["state.params.l"], ["state.runtime.log"], ["state.params.l", { items: [{ id: "a" }, null] }]],
  prepend_to_list: [["state.params.l"], ["state.params.l", { items: [{ id: "p" }, "q"] }]],
  remove_from_list: [
    ["state.params.l", { value: 1 }],
    ["state.params.l", { value: { key: "id", value: "a" } }],
    ["state.params.l", { value: 2, all: true }],
  ],
  remove_last: [["state.params.l"], ["state.runtime.log"]],
  update_list_item: [
    ["state.params.l", { value: { key: "id", value: "a", updates: { z: 1, 3: "three" } } }],
    ["state.params.l", { index: 0, value: { updated: true } }],
  ],
  filter_list: [
    ["state.params.l", { value: { key: "id", operator: "==", value: "a" } }],
    ["state.params.l", { value: { key: "id", operator: "!=", value: "p" } }],
  ],
  clear_all_params: [[undefined], ["state.params"]],
};

export const operations = Object.keys(fitting);

const anywhere = [...new Set(Object.values(fitting).flatMap((list) => list.map(([path]) => path)))].filter(Boolean);
const nowhere = ["nope", "state.params.s.x", 'blocks["zz"].title', "blocks-0.x", "state.params.l.99", "blocks.a", ""];

/** Texts that cross the boundary in each of its encodings. */
export const texts = [
  "",
  "x",
  "é",
  "日本語",
  "😀 and 👩‍👩‍👧",
  "\ud83d",
  "\ude00 lone",
  'quote " \\ / \n \u2028 \u0000 \u007f',
  "-0",
  "\\ud800",
  "long ".repeat(200),
];

/** Keys by which an object is distinguished from a record. */
const keys = ["a", "b", "10", "2", "__proto__", "constructor", "toString", "length", "with.dot", "😀", "", "id", "key"];

const numbers = [0, -0, 1, -1, 0.1, 1e21, 1e-7, 2 ** 53, 2 ** 53 + 2, -1.5e300, 5e-324, 123456789.125];

/** A random value that JSON can represent, at most `depth` deep. */
export function value(rng, depth = 3) {
  const kind = rng.below(depth > 0 ? 8 : 5);
  if (kind < 1) return rng.pick([null, true, false]);
  if (kind < 3) return rng.pick(numbers);
  if (kind < 5) return rng.pick(texts);
  if (kind < 6) return rng.list(3, () => value(rng, depth - 1));
  // fromEntries makes own keys of all names.
  return Object.fromEntries(rng.list(4, () => [rng.pick(keys), value(rng, depth - 1)]));
}

function patch(rng) {
  const op = rng.pick(operations);
  if (rng.chance(0.06)) return { op, path: rng.pick(nowhere), value: value(rng) };
  if (rng.chance(0.08)) return { op, path: rng.pick(anywhere), value: value(rng) };
  const [path, rest] = rng.pick(fitting[op]);
  const needsValue = ["set", "add", "replace", "append_to_list", "prepend_to_list"].includes(op);
  const condition = rng.chance(0.05) ? { condition: rng.pick(["state.params.n == 1", "!state.params.s", "(("]) } : {};
  return {
    op,
    ...(path !== undefined && { path }),
    ...(needsValue && rest === undefined && { value: value(rng) }),
    ...rest,
    ...condition,
  };
}

/** A random call. The names are those of `page`, `other` and `third`; the first one exists most often. */
export function call(rng) {
  const kind = rng.below(20);
  const name = rng.chance(0.8) ? "page" : rng.pick(["other", "third"]);
  if (kind === 0) {
    const value = rng.chance(0.5) ? undefined : { page_key: name, state: { params: {}, runtime: {} } };
    const patches = value === undefined ? rng.list(2, () => patch(rng)) : [{ op: "create", value }];
    return { instance_name: "__CREATE__", new_instance_name: name, patches };
  }
  if (kind === 1) {
    const patches = rng.chance(0.5) ? [] : [{ op: "delete" }];
    return { instance_name: "__DELETE__", target_instance_name: rng.pick(["other", "third"]), patches };
  }
  const patches = rng.list(4, () => patch(rng));
  return rng.chance(0.2) ? { instanceId: name, patches } : { instance_name: name, patches };
}
