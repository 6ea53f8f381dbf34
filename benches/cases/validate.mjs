/** A finished tool block. */
import { fenced, writeFile } from "../lib/content.mjs";
import { same } from "../lib/setters.mjs";

const LENGTH = 3900;
const schema = {
  type: "object",
  properties: { tool: { enum: ["write_file"] }, path: { type: "string", minLength: 1 }, content: { type: "string" } },
  required: ["tool", "path", "content"],
};

export default {
  name: "validate",
  title: "Validate a 4 KB block, one shot",
  about:
    "The whole report: positions, the checked path, the call. JSON.parse with Ajv finds no fence, checks no path and gives " +
    "no positions of what is wrong.",
  kind: "operation",
  unit: "µs",
  most: 512,
  page: { contenders: ["genui-patch", "JSON.parse + Ajv"] },
  variants: [{ label: "4 KB", turns: 4000 }],
  edits: () => (turn) => writeFile(LENGTH, turn),
  contenders: {
    "genui-patch": {
      role: "ours",
      make: async () => {
        const { validateToolBlock } = await import("genui-patch");
        return {
          given: fenced,
          run: (text) => validateToolBlock(text),
          check: (report, json) => same(report.call.content, JSON.parse(json).content),
        };
      },
    },
    "JSON.parse + Ajv": {
      role: "peer",
      make: async () => {
        const ajv = await import("ajv");
        // A bundler has what CommonJS exports under `default` alone.
        const { Ajv } = ajv.Ajv ? ajv : ajv.default;
        const validate = new Ajv().compile(schema);
        return {
          run(text) {
            const value = JSON.parse(text);
            return validate(value) && value;
          },
          check: (value, json) => same(value.content, JSON.parse(json).content),
        };
      },
    },
    "JSON.parse alone": { role: "floor", make: async () => ({ run: (text) => JSON.parse(text) }) },
  },
  asked: [
    {
      contender: "genui-patch",
      most: 15,
      aim: { most: 8 },
      why: "JSON.parse, encoding the text for the module and checking its UTF-8 take 15 µs by themselves; the module then reads the text once more, for its end and for positions.",
    },
  ],
};
