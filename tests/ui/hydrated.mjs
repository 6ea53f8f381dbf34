// Hydrates server-rendered markup with React.
import { createElement as h, StrictMode } from "react";
import { hydrateRoot } from "react-dom/client";
import { stories } from "./stories.mjs";

const all = await stories();
globalThis.propsOf = (name) => all[name].props;
const tree = h(
  StrictMode,
  null,
  Object.entries(all).map(([key, story]) => h("section", { key, id: key }, story)),
);
hydrateRoot(document.querySelector("main"), tree, {
  onRecoverableError: (error) => console.error(`hydration: ${error}`),
});
globalThis.isHydrated = true;
