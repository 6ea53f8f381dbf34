// The descriptions of changes that users read: `describeChanges`, row by row.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chineseChangeWords, describeChanges, PatchStore } from "genui-patch";

const page = {
  state: { params: { city: "paris", count: 1, contact: { email: "" }, list: [1, 2] }, runtime: {} },
  layout: { type: "single" },
  blocks: [
    {
      id: "crm",
      type: "tabs",
      props: {
        tabs: [
          { id: "people", title: "Contacts", fields: [{ key: "phone", type: "text", label: "Phone" }] },
          { id: "deals", title: "Deals", fields: [] },
        ],
      },
    },
    {
      id: "form",
      type: "form",
      title: "Trip",
      props: {
        fields: [
          {
            key: "city",
            type: "select",
            label: "City",
            options: [
              { value: "paris", label: "Paris" },
              { value: "rome", label: "Rome" },
            ],
          },
          { key: "ready", type: "checkbox", label: "Ready" },
        ],
        actions: [{ id: "go", label: "Go", style: "primary" }],
      },
    },
    {
      id: "mail",
      type: "form",
      title: "Mail",
      bind: "state.params.contact",
      props: { fields: [{ key: "email", type: "text", label: "Email" }] },
    },
  ],
  actions: [],
};

/** The description of a call's changes. */
function described(patches, words) {
  const store = new PatchStore();
  store.load("page", page);
  const proposal = store.propose({ instance_name: "page", patches });
  assert.equal(proposal.error, undefined);
  return describeChanges(proposal.diff, store.confirmed("page"), words);
}

const rows = [
  ['blocks["crm"].props.tabs.0.title', "People", "Contacts: title “People” instead of “Contacts”"],
  ["state.params.city", "rome", "Trip › City: “Rome” instead of “Paris”"],
  ["state.params.ready", true, "Trip › Ready: yes"],
  ["state.params.contact.email", "a@b.c", "Mail › Email: “a@b.c”"],
  ["state.params.city", "", "Trip › City: cleared, was “Paris”"],
  ["state.params.count", 2, "count: 2 instead of 1"],
  ["state.params.list.1", 5, "list › 2: 5 instead of 2"],
  ['blocks["form"].title', "Journey", "Trip: title “Journey” instead of “Trip”"],
  [
    'blocks["form"].props.fields["city"].options["rome"].label',
    "Roma",
    "Trip › City › Rome: label “Roma” instead of “Rome”",
  ],
  ['blocks["form"].props.actions["go"].disabled', true, "Trip › Go: disabled yes"],
  ["layout.type", "grid", "layout › type: “grid” instead of “single”"],
];
for (const [path, value, text] of rows) {
  test(text, () =>
    assert.deepEqual(
      described([{ op: "set", path, value }]).map((one) => one.text),
      [text],
    ),
  );
}

test("items come, go and move, under the names of what they are in", () => {
  const texts = (...patches) => described(patches).map(({ text }) => text);
  const phone = { key: "fax", type: "text", label: "Fax" };
  assert.deepEqual(texts({ op: "add", path: 'blocks["form"].props.fields', value: phone }), ["Trip: new field “Fax”"]);
  assert.deepEqual(texts({ op: "remove", path: 'blocks["mail"]' }), ["block “Mail” removed"]);
  assert.deepEqual(texts({ op: "remove", path: 'blocks["crm"].props.tabs["deals"]' }), ["crm: tab “Deals” removed"]);
  assert.deepEqual(texts({ op: "add", path: "state.params.list", value: 3 }), ["list: new entry 3"]);
  assert.deepEqual(texts({ op: "remove", path: "state.params.count" }), ["count: cleared, was 1"]);
  assert.deepEqual(texts({ op: "add", path: 'blocks["form"].props.fields.0', value: phone }), [
    "Trip: new field “Fax”",
  ]);
  assert.deepEqual(texts({ op: "move", path: 'blocks["crm"]', to: 2 }), ["block “crm” moved to position 3"]);
  assert.deepEqual(texts({ op: "move", path: 'blocks["mail"]', to: { before: "crm" } }), [
    "block “Mail” moved to position 1",
  ]);
  const [form, ...others] = page.blocks;
  assert.deepEqual(texts({ op: "set", path: "blocks", value: [...others, form] }), ["block “crm” moved to position 3"]);
});

test("a place is named as it is when its change is made", () => {
  const changes = [
    { kind: "remove", path: ["blocks", 0] },
    { kind: "set", path: ["blocks", 0, "title"], value: "Journey" },
    { kind: "insert", path: ["blocks", 2], value: { id: "new", title: "New", type: "form" } },
    { kind: "set", path: ["blocks", 2, "description"], value: "Hints" },
  ];
  const before = structuredClone(page);
  assert.deepEqual(
    describeChanges(changes, page).map(({ text }) => text),
    ["block “crm” removed", "Trip: title “Journey” instead of “Trip”", "new block “New”", "New: description “Hints”"],
  );
  assert.deepEqual(page, before);
});

test("parts beside the sentence: labels, property, both values, path", () => {
  const [one] = described([{ op: "set", path: 'blocks["crm"].props.tabs.0.title', value: "People" }]);
  assert.deepEqual(one, {
    kind: "set",
    labels: ["Contacts"],
    property: "title",
    before: "Contacts",
    after: "People",
    text: "Contacts: title “People” instead of “Contacts”",
    path: ["blocks", 0, "props", "tabs", 0, "title"],
  });
});

test("whole pages, long values, other languages, documents that are no pages", () => {
  const text = (...args) => describeChanges(...args)[0].text;
  assert.equal(text([{ kind: "set", path: [], value: {} }]), "New page");
  assert.equal(text([{ kind: "set", path: [], value: {}, before: { a: 1 } }]), "The whole page is replaced");
  assert.equal(text([{ kind: "remove", path: [], before: {} }]), "The page is deleted");
  const long = text([{ kind: "set", path: ["title"], value: "x".repeat(500) }]);
  assert.match(long, /^title: “x{120}… \(500 characters\)”$/);
  assert.equal(text([{ kind: "set", path: ["a", "b"], value: null, before: 1 }]), "a › b: cleared, was 1");
  const [chinese] = described([{ op: "set", path: 'blocks["form"].title', value: "旅程" }], chineseChangeWords);
  assert.equal(chinese.text, "Trip: title “Trip” 改为 “旅程”");
});
