/** For tests of React: the page's DOM, and in Node happy-dom. Import this before react-dom. */
if (globalThis.document === undefined) {
  const { Window } = await import("happy-dom");
  const window = new Window();
  globalThis.window = window;
  globalThis.document = window.document;
  globalThis.navigator ??= window.navigator;
}
globalThis.IS_REACT_ACT_ENVIRONMENT = true;

const React = await import("react");
const { createRoot } = await import("react-dom/client");
const roots = new Set();

/** Runs a function and waits until React has rendered its effects. */
export const act = (run) =>
  React.act(async () => {
    await run();
  });

/** Renders a tree into an element of its own; `show` renders another one in its place. */
export async function mount(tree) {
  const element = document.createElement("main");
  const root = createRoot(element);
  roots.add(root);
  const show = (next) => act(() => root.render(next));
  await show(tree);
  return Object.assign(element, { show });
}

export async function unmountAll() {
  for (const root of roots) await act(() => root.unmount());
  roots.clear();
}
