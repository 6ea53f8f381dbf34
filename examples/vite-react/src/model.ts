/**
 * The model. Without a key a script plays one; a real one is three lines:
 *
 *   export const send: SendMessages = (messages, tools, { signal }) =>
 *     fetch("/api/chat", { method: "POST", signal, body: JSON.stringify({ messages, tools, stream: true }) });
 */
import { scriptedModel } from "genui-patch/testing";

const contact = [
  { key: "name", label: "Name", type: "text" },
  { key: "budget", label: "Budget", type: "number" },
  {
    key: "stage",
    label: "Stage",
    type: "select",
    options: [
      { label: "New", value: "new" },
      { label: "Won", value: "won" },
    ],
  },
];
const columns = [
  { key: "name", label: "Name" },
  { key: "budget", label: "Budget" },
];
const rows = [
  { id: "ada", name: "Ada", budget: 1200 },
  { id: "bob", name: "Bob", budget: 800 },
];
const tabs = [
  { id: "new", title: "New contact", fields: contact },
  { id: "all", title: "All contacts", fields: [{ key: "contacts", label: "Contacts", type: "table", columns }] },
];
const patches = [
  { op: "set", path: "state.params.contacts", value: rows },
  { op: "add", path: "blocks+", value: { id: "contacts", type: "tabs", props: { title: "Contacts", tabs } } },
  { op: "add", path: "blocks+", value: { id: "sales", type: "chart", props: { title: "Sales", values: [3, 5, 8] } } },
];
const notes = {
  path: "notes.md",
  search_replace: { old_string: "Bob: new", new_string: "Bob: called, wants an offer" },
};

export const send = scriptedModel(
  [
    {
      text: "I build the page. ",
      calls: [
        { name: "patch_ui_state", arguments: { instance_name: "__CREATE__", new_instance_name: "crm", patches } },
      ],
    },
    { text: "I update your notes. ", calls: [{ name: "edit_file", arguments: notes }] },
    "The page is ready. Please look at the change of notes.md.",
  ],
  { delay: 10 },
);
