// docs/vocabulary.md, generated from the core's vocabulary. To regenerate it: node tests/support/vocabulary.mjs
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { examples, shapes, words } from "../../dist/generated/vocabulary.js";

export const file = fileURLToPath(new URL("../../docs/vocabulary.md", import.meta.url));

const LISTS = [
  ["blocks", "Blocks", "Block"],
  ["fields", "Fields", "Field"],
  ["actions", "Actions", "Action"],
  ["layouts", "Layouts", "Layout"],
];

const code = (text) => `\`${text}\``;
const cell = (text) => text.replaceAll("|", "\\|");

function properties(name) {
  const shape = shapes.find((own) => own.name === name);
  const rows = shape.properties.map(({ name, type, types, required, need, default: otherwise, english }) => {
    const plain = type.replace(/^Word<(\w+)>$/, "$1").replaceAll("`", "");
    const notes = [
      types.length > 0 ? `for ${types.map(code).join(", ")}` : "",
      need || (required ? "always there" : ""),
      otherwise === "" ? "" : `default ${code(otherwise)}`,
    ];
    return `| ${code(name)} | ${cell(code(plain))} | ${cell(english)} | ${cell(notes.filter((note) => note).join("; "))} |`;
  });
  return ["| property | type | | |", "|---|---|---|---|", ...rows].join("\n");
}

function types(list) {
  const rows = words[list].map(({ name, english }) => {
    const example = examples[list][name];
    return `| ${code(name)} | ${cell(english)} | ${example ? cell(code(JSON.stringify(example))) : ""} |`;
  });
  return ["| type | | example |", "|---|---|---|", ...rows].join("\n");
}

const names = (list) => words[list].map(({ name, english }) => `${code(name)} (${english})`).join(", ");

export function render() {
  const parts = LISTS.map(([list, title, shape]) => `## ${title}\n\n${types(list)}\n\n${properties(shape)}`);
  const groups = [
    ["What is in a block", "BlockProps"],
    ["Tabs and panels", "Panel"],
    ["Options", "FieldOption"],
    ["Columns of a table", "TableColumn"],
  ].map(([title, shape]) => `## ${title}\n\n${properties(shape)}`);
  return `# The vocabulary of a page

What a page under the rules \`"ui"\` is made of. The core's table of it, \`src/patch/rules/vocabulary.rs\`, is the source of
the structure rules, of warnings, of the types \`PageDocument\`, \`Block\`, \`Field\` and \`Action\`, of \`pagePrompt\` and of
this page. A host adds types of its own in its [catalog](page.md#a-catalog). Properties that are not named here are kept as they
are written.

## The document

${properties("PageDocument")}

\`meta\`:

${properties("PageMeta")}

\`status\` is one of ${names("statuses")}.

${parts.join("\n\n")}

\`style\` is one of ${names("styles")}.

${groups.join("\n\n")}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(file, render());
