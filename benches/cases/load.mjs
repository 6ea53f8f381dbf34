/** A whole document. */
import { deepFreeze, page } from "../lib/documents.mjs";
import { same } from "../lib/setters.mjs";

function ours(give) {
  return async ({ blocks }) => {
    const { PatchStore } = await import("genui-patch");
    const store = new PatchStore();
    const document = give(blocks);
    return {
      run: () => store.load("page", document),
      check: () => same(store.snapshot("page").blocks.length, blocks),
    };
  };
}

export default {
  name: "load",
  title: "Load a document",
  about: "Checked whole, its snapshot frozen. JSON.parse and a deep freeze check nothing.",
  kind: "operation",
  unit: "ms",
  browser: false,
  variants: [{ label: "1,000 blocks", blocks: 1000 }],
  contenders: {
    "genui-patch, text": { role: "ours", make: ours((blocks) => JSON.stringify(page(blocks))) },
    "genui-patch, object": { role: "ours", make: ours(page) },
    "JSON.parse, deep freeze": {
      role: "floor",
      make: ({ blocks }) => {
        const text = JSON.stringify(page(blocks));
        return { run: () => deepFreeze(JSON.parse(text)) };
      },
    },
  },
  targets: [],
};
