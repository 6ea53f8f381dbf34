/** Helpers for tests of surfaces: messages of the three protocols, streams, and a short form of a tree. */
import assert from "node:assert/strict";
import { SurfaceStream } from "genui-patch";

export const component = (id, type, props = {}, more = {}) => ({ id, ...more, componentProperties: { [type]: props } });
export const components = (...list) => ({ componentUpdate: { components: list } });
export const data = (path, contents) => ({ dataModelUpdate: { ...(path !== undefined && { path }), contents } });
export const render = (root, styles) => ({ beginRendering: { root, ...(styles && { styles }) } });
export const text = (path) => ({ text: { path } });
export const list = (...ids) => ({ children: { explicitList: ids } });
export const template = (componentId, dataBinding) => ({ children: { template: { componentId, dataBinding } } });

/** Messages of A2UI v0.9, for the surface `s`. */
export const v9 = {
  create: (more) => ({ version: "v0.9", createSurface: { surfaceId: "s", catalogId: "c", ...more } }),
  components: (...components) => ({ version: "v0.9", updateComponents: { surfaceId: "s", components } }),
  data: (path, value) => ({ version: "v0.9", updateDataModel: { surfaceId: "s", path, value } }),
  delete: () => ({ version: "v0.9", deleteSurface: { surfaceId: "s" } }),
};

export const lines = (messages) => messages.map((message) => `${JSON.stringify(message)}\n`).join("");

export function open(messages = [], options = {}) {
  const surfaces = new SurfaceStream({ locale: "en-US", timeZone: "UTC", ...options });
  const events = surfaces.push(lines(messages));
  return { surfaces, events, push: (...more) => surfaces.push(lines(more)) };
}

export const diagnostics = (events) => events.filter((event) => event.type === "diagnostic");
export const codes = (events) => diagnostics(events).map((event) => event.code);

/** A tree as a nested list: `[id, props, ...children]`, with the state of nodes that are not ready. */
export function sketch({ id, state, props, children }) {
  const { action, ...shown } = props;
  return [state === "ready" ? id : `${id} (${state})`, shown, ...children.map(sketch)];
}

export function assertTree(surfaces, id, expected) {
  assert.deepEqual(sketch(surfaces.tree(id)), expected);
}

export function* nodesOf(node) {
  if (node === undefined) return;
  yield node;
  for (const child of node.children) yield* nodesOf(child);
}

/** The nodes that are not the same object in two trees, by id. */
export function renewed(before, after) {
  const known = new Set(nodesOf(before));
  return [...nodesOf(after)].filter((node) => !known.has(node)).map(({ id }) => id);
}

/** The whole visible state of a stream. */
export const seen = (surfaces) =>
  surfaces.ids().map((id) => ({
    id,
    tree: surfaces.tree(id),
    data: surfaces.dataModel(id),
    components: surfaces.components(id),
    info: surfaces.info(id),
  }));
