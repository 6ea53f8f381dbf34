/** A whole document. */
import { deepFreeze, page } from "../lib/documents.mjs";
import { same } from "../lib/setters.mjs";

const ours = (given) => ({
  role: "ours",
  make: async () => {
    const { PatchStore } = await import("genui-patch");
    const store = new PatchStore();
    return {
      given,
      run(document) {
        store.load("page", document);
        return store.snapshot("page");
      },
      check: (snapshot, document) => same(snapshot.blocks.at(-1).title, document.blocks.at(-1).title),
    };
  },
});

export default {
  name: "load",
  title: "Load a document",
  about: "Another one each time, checked whole, its snapshot frozen. JSON.parse and a deep freeze check nothing.",
  kind: "operation",
  unit: "ms",
  most: 8,
  page: { contenders: ["genui-patch, text", "JSON.parse, deep freeze"] },
  variants: [{ label: "1,000 blocks", blocks: 1000 }],
  quick: { label: "50 blocks", blocks: 50 },
  edits:
    ({ blocks }) =>
    (turn) =>
      page(blocks, turn + 1),
  contenders: {
    "genui-patch, text": ours(JSON.stringify),
    "genui-patch, object": ours((document) => document),
    "JSON.parse, deep freeze": {
      role: "peer",
      make: async () => ({ given: JSON.stringify, run: (text) => deepFreeze(JSON.parse(text)) }),
    },
  },
  // In milliseconds 6 where the peer took 3.
  asked: [
    {
      contender: "genui-patch, text",
      most: 2,
      of: "JSON.parse, deep freeze",
      aim: { most: 4 / 3, of: "JSON.parse, deep freeze" },
      why: "The text is read twice, by JSON.parse for the snapshot and by the module, which checks it against the rules of a page and keeps its own tree.",
    },
  ],
};
