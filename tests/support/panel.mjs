/** The chat panel of docs/agent.md, and a scripted model for it. */
import { listings } from "./docs.mjs";

export const panel = () => listings("agent").find(({ code }) => code.includes("function Panel(")).code;

const block = (call) => `\`\`\`json\n${JSON.stringify(call)}\n\`\`\`\n`;

/** The model's answers, one per round. */
const ROUNDS = [
  `A page with a form.\n${block({
    tool: "patch_ui_state",
    instance_name: "__CREATE__",
    new_instance_name: "survey",
    patches: [{ op: "add", path: "blocks+", value: { id: "form", type: "form", props: { fields: [] } } }],
  })}${block({
    tool: "patch_ui_state",
    instance_name: "survey",
    patches: [
      { op: "add", path: 'blocks["form"].props.fields', value: { key: "age", label: "Your age", type: "number" } },
    ],
  })}`,
  `Now the rest.\n${block({ tool: "write_file", path: "notes.md", content: "# Survey\n" })}${block({
    tool: "updateNode",
    taskId: "t",
    nodeId: "n",
    newData: { title: "Ask for the age" },
  })}${block({ tool: "write_file", path: "../../etc/passwd", content: "" })}\`\`\`json\n{"tool": "write_file", "path": "a.txt", "content": }\n\`\`\`\n`,
  "Done.",
  "Good.",
];

/** The model's answer to a conversation. */
export const answer = (messages) =>
  ROUNDS[messages.filter(({ role }) => role === "assistant").length] ?? "Nothing more.";
