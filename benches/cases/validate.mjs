/** A finished tool block. */
import { fenced, writeFile } from "../lib/documents.mjs";
import { same } from "../lib/setters.mjs";

export default {
  name: "validate",
  title: "Validate a 4 KB block, one shot",
  about:
    "The whole report: positions, the checked path, the call. JSON.parse alone finds no fence, checks no field and " +
    "gives no positions: it is the floor, not a peer.",
  kind: "operation",
  unit: "µs",
  browser: false,
  variants: [{ label: "4 KB", length: 3900 }],
  contenders: {
    "genui-patch": {
      role: "ours",
      make: async ({ length }) => {
        const { validateToolBlock } = await import("genui-patch");
        const text = fenced(writeFile(length));
        same(validateToolBlock(text).isValid, true);
        return { run: () => validateToolBlock(text) };
      },
    },
    "JSON.parse alone": {
      role: "floor",
      make: ({ length }) => {
        const text = writeFile(length);
        return { run: () => JSON.parse(text) };
      },
    },
  },
  targets: [{ contender: "genui-patch", most: 8 }],
};
