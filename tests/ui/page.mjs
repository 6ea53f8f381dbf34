// The story page. `?story=page` shows one story, `&theme=dark` its theme, `&dir=rtl` its direction.
import { createElement as h } from "react";
import { createRoot } from "react-dom/client";
import { stories } from "./stories.mjs";

const wanted = new URLSearchParams(location.search);
const root = document.documentElement;
root.dataset.theme = wanted.get("theme") ?? "light";
root.dir = wanted.get("dir") ?? "ltr";
const all = await stories();
/** For tests: the props of a story, including its stores. */
globalThis.propsOf = (name) => all[name].props;
const shown = Object.entries(all).filter(([name]) => wanted.get("story") === null || wanted.get("story") === name);
createRoot(document.querySelector("main")).render(shown.map(([key, story]) => h("section", { key, id: key }, story)));
