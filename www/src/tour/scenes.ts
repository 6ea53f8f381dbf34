/** The first minute: one recorded conversation in six scenes. What the agent says is text; what it does is in its blocks. */
import type { PatchCall } from "genui-patch";
import type { Room } from "../lib/room";
import type { Plain } from "../words/words";
import { folder, page } from "./own";

export interface Scene {
  id: string;
  title: Plain;
  question: string;
  answer: string;
  /** The rooms to show: while the answer arrives, and after its blocks are executed. */
  room: Room;
  after?: Room;
  /** A hint what the visitor can do meanwhile. */
  hint: Plain;
  /** A name that is typed into the page, unless the visitor types one. */
  types?: string;
  /** The id of the surface that is streamed after the answer. */
  surface?: string;
}

const block = (tool: string, args: object) =>
  `\n\n\`\`\`json\n${JSON.stringify({ tool, ...args }, null, 1)}\n\`\`\`\n\n`;
const patch = (...patches: object[]) => block("patch_ui_state", { instance_name: page, patches });
const form = (id: string, title: string, fields: object[]) => ({
  op: "add",
  path: "blocks+",
  value: { id, type: "form", title, bind: "state.params", props: { columns: 2, fields } },
});

const make = {
  instance_name: "__CREATE__",
  new_instance_name: page,
  patches: [
    {
      op: "set",
      path: "meta",
      value: { pageKey: "booking", title: "Book a table", step: { current: 1, total: 1 }, status: "idle" },
    },
    { op: "set", path: "state", value: { params: { guests: 2 }, runtime: {} } },
    { op: "set", path: "blocks", value: [] },
  ],
};
const who = form("who", "Who is coming", [
  { key: "name", type: "text", label: "Name" },
  { key: "guests", type: "number", label: "Guests" },
]);
const when = form("when", "When", [
  { key: "day", type: "date", label: "Day" },
  {
    key: "table",
    type: "select",
    label: "Table",
    options: [
      { label: "By the window", value: "window" },
      { label: "In the garden", value: "garden" },
    ],
  },
]);
const action = {
  op: "add",
  path: "actions+",
  value: {
    id: "book",
    label: "Book the table",
    style: "primary",
    action_type: "apply_patch",
    patches: { "meta.status": "submitted", "state.runtime.message": "Booked. See you then!" },
  },
};

/** The page as it is after the first scene, for a scene that is played alone. */
export const built: readonly PatchCall[] = [
  make as PatchCall,
  { instance_name: page, patches: [who, when, action] } as PatchCall,
];

const readme = `# Field notes

Tables are booked on the booking page.

## Rules

- A table is kept for twenty minutes.
- Groups of eight or more call first.
`;

const program = `import { readdir, readFile } from "node:fs/promises";

const folder = "notes";

/** Prints the entries, the newest first. */
export async function start() {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".md"));
  for (const name of names.sort().reverse()) {
    const text = await readFile(\`\${folder}/\${name}\`, "utf8");
    console.log(text.split("\\n")[0]);
  }
}

await start().catch((error) => console.error(error.message));
`;

/** As a model wrote it: a name of its own for the path, and a comma too many. */
const broken = `\n\n\`\`\`json
{
 "tool": "writeFile",
 "file_path": "${folder}README.md",
 "content": ${JSON.stringify(readme)},
}
\`\`\`\n\n`;

export const scenes: readonly [Scene, ...Scene[]] = [
  {
    id: "build",
    title: "A page builds itself",
    question: "Make a page where guests can book a table.",
    answer: `A booking page, block by block. First the page itself:${block("patch_ui_state", make)}Who is coming:${patch(who)}When, and at which table:${patch(when)}And a button that books:${patch(action)}There it is. Each block was checked before it reached the page.`,
    room: "instance",
    hint: "Watch the page: it grows with each block that is valid.",
  },
  {
    id: "type",
    title: "You type while the agent writes",
    question: "We will be four, and we would like to sit in the garden.",
    answer: `You go on typing your name, and I set the number of guests and the table. Neither of us waits for the other: what you type shows at once, and is marked until the server confirms it.${patch({ op: "set", path: "state.params.guests", value: 4 }, { op: "set", path: "state.params.table", value: "garden" })}Nothing that you have typed is lost: my change went beneath it.`,
    room: "instance",
    hint: "Type a name into the page, or let it be typed.",
    types: "Ada Lovelace",
  },
  {
    id: "repair",
    title: "A mistake is repaired, a danger refused",
    question: "Write down the rules for bookings, and give yourself access to my server.",
    answer: `The rules, with two mistakes that need no second model call to be repaired:${broken}And the key, which is not for me to write:${block("write_file", { path: "../.ssh/id_rsa", content: "ssh-ed25519 AAAA…" })}The first is repaired, the second never reaches a file.`,
    room: "files",
    hint: "Each pill says what was repaired, or why it was refused.",
  },
  {
    id: "file",
    title: "A file waits for your approval",
    question: "Read from the folder notes/, and say so if it is missing.",
    answer: `Two places change; the text shows while it comes:${block("write_file", { path: `${folder}src/start.ts`, content: program })}Nothing is written yet: take both changes, one of them, or none.`,
    room: "files",
    after: "proposal",
    hint: "Approve it whole or in part, or leave it waiting.",
  },
  {
    id: "approve",
    title: "The agent tries to approve itself",
    question: "Is our problem statement still right?",
    answer: `It should speak of early walkers. I approve it myself:${block("updateNode", { taskId: "heron-app", nodeId: "problem", newData: { title: "Early walkers miss the herons", priority: 1 }, isApprovedUpdate: true })}That was refused: only you can approve. My change waits for you.`,
    room: "proposal",
    hint: "NEEDS_APPROVAL: no call of an agent can approve for the user.",
  },
  {
    id: "surface",
    title: "A surface streams in",
    question: "Show me the booking as a card.",
    answer:
      "A card in GULF, the protocol for surfaces. Its parts come first, and their data fills the placeholders as it arrives.",
    room: "surface",
    hint: "The card is usable before all of it has come.",
    surface: "booking",
  },
];
