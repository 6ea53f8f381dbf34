// Every component with every type of block, field, action and surface component, for tests and for review by eye.

import { createElement as h } from "react";
import { agentTools, FlowStore, PatchStore, SurfaceStream, textDiff, Workspace } from "../../dist/index.js";
import { ActivityList, chinese, DiffView, PageView, ProposalList, SurfaceView } from "../../dist/react/ui/index.js";

const options = [
  { label: "Spring", value: "spring" },
  { label: "Summer", value: "summer" },
  { label: "Autumn", value: "autumn" },
];
const picture = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 120"><rect width="320" height="120" fill="#dfe7f5"/><circle cx="250" cy="38" r="18" fill="#f3b54a"/><path d="M0 120 90 46l52 44 46-34 132 64z" fill="#5b6fb5"/></svg>',
)}`;

export const document = {
  title: "Autumn walk",
  meta: { pageKey: "walk", step: { current: 2, total: 3 }, status: "idle" },
  state: {
    params: {
      name: "Mill to ridge",
      price: 12.5,
      seasons: ["summer"],
      when: "autumn",
      day: "2026-05-04",
      begins: "2026-05-04T09:30:00Z",
      settings: { zoom: 1.5, layers: ["paths", "water"] },
      contact: { email: "ada@example.com" },
    },
    runtime: { done: 64, state: "On the way", km: 12, locked: true },
  },
  layout: { type: "single" },
  blocks: [
    {
      id: "form",
      type: "form",
      title: "The walk",
      description: "What everybody sees who is invited.",
      props: {
        columns: 2,
        fields: [
          { key: "name", type: "text", label: "Name", required: true, placeholder: "A short name" },
          { key: "price", type: "number", label: "Price in euros", description: "Per person, lunch included." },
          { key: "day", type: "date", label: "Day" },
          { key: "begins", type: "datetime", label: "Begins" },
          { key: "when", type: "select", label: "Season", options },
          { key: "track", type: "file", label: "Track", accept: ".gpx" },
          { key: "level", type: "radio", label: "Level", required: true, options: options.slice(0, 2) },
          { key: "seasons", type: "multiselect", label: "Good in", options },
          { key: "wishes", type: "textarea", label: "Wishes" },
          { key: "settings", type: "json", label: "Map settings" },
          { key: "paper", type: "checkbox", label: "Take a paper map", value: true },
          { key: "code", type: "text", label: "Booking code", value: "BX-2231", readonly: true },
        ],
        actions: [
          { id: "save", label: "Save", style: "primary", patches: { "state.runtime.state": "Saved" } },
          { id: "later", label: "Later", style: "secondary" },
          { id: "ok", label: "Confirm", style: "success" },
          { id: "over", label: "Overwrite", style: "warning" },
          { id: "off", label: "Not yet", style: "default", disabled: `\${runtime.locked}` },
          { id: "drop", label: "Delete", style: "danger" },
          { id: "send", label: "Send", action_type: "api", url: "/send" },
        ],
      },
    },
    {
      id: "contact",
      type: "form",
      title: "Contact",
      bind: "state.params.contact",
      props: { fields: [{ key: "email", type: "text", label: "Email" }] },
    },
    {
      id: "facts",
      type: "grid",
      title: "At a glance",
      bind: "state.runtime",
      props: {
        fields: [
          { key: "picture", type: "image", label: "Picture", value: picture },
          { key: "unsafe", type: "image", label: "An unsafe picture", value: "javascript:alert(1)" },
          { key: "done", type: "progress", label: "Done" },
          { key: "state", type: "badge", label: "State" },
          { key: "kind", type: "tag", label: "Kind", value: ["hill", "river"] },
          { key: "greeting", type: "html", label: "Greeting", value: `<p>Welcome, <b>\${params.name}</b>!</p>` },
          {
            key: "invite",
            type: "modal",
            label: "Invite",
            text: "Send the link to whom you like.",
            title: "Invite others",
          },
          { key: "chart", type: "component", label: "Height profile", component: "HeightProfile" },
        ],
      },
    },
    {
      id: "details",
      type: "tabs",
      title: "Details",
      props: {
        tabs: [
          {
            id: "stops",
            title: "Stops",
            fields: [
              {
                key: "stops",
                type: "table",
                label: "Stops",
                columns: [
                  { key: "place", label: "Place" },
                  { key: "km", label: "km" },
                ],
                value: [
                  { place: "Mill", km: 0 },
                  { place: "Weir", km: 4.2 },
                  { place: "Ridge", km: 9 },
                ],
                actions: [
                  {
                    id: "visit",
                    label: "Visit",
                    style: "secondary",
                    patches: { "state.runtime.state": `\${runtime.temp_rowData.place}` },
                  },
                ],
              },
            ],
          },
          { id: "notes", title: "Notes", fields: [{ key: "notes", type: "textarea", label: "Notes", required: true }] },
        ],
      },
    },
    {
      id: "more",
      type: "accordion",
      title: "More",
      props: {
        panels: [
          { id: "packing", title: "Packing", fields: [{ key: "boots", type: "checkbox", label: "Boots" }] },
          { id: "food", title: "Food", fields: [{ key: "food", type: "text", label: "Lunch" }] },
        ],
      },
    },
  ],
  actions: [
    { id: "next", label: "Next step", style: "primary", action_type: "navigate", url: "https://example.com/next" },
  ],
};

export function storeOf(page = document) {
  const store = new PatchStore();
  const loaded = store.load("walk", structuredClone(page));
  if (loaded.error) throw new Error(loaded.error.message);
  return store;
}

const long = `const words = "${"lorem ipsum dolor sit amet ".repeat(30)}";`;
const before = `import { a } from "b";\n\nfunction price(count) {\n  return count * 2;\n}\n\n${"// unchanged\n".repeat(9)}${long}\nexport { price };\n`;
const after = `import { a } from "b";\n\nfunction price(count, rate = 2) {  \n  return count * rate; // \u202etxet neddih\u200b\n}\n\n${"// unchanged\n".repeat(9)}${long.replace("dolor", "colour")}\r\nexport { price };`;

export const hunks = () => textDiff(before, after);

const component = (id, own) => ({ id, ...own });
const at = (path) => ({ path });

/** Each component of the basic catalog of A2UI 0.9. */
export function surfaceOf() {
  const surfaces = new SurfaceStream();
  const surfaceId = "bikes";
  const checks = [
    { condition: { call: "required", args: { value: at("/mail") } }, message: "An address, so that we can reach you." },
  ];
  const parts = [
    component("root", { component: "Card", child: "all" }),
    component("all", {
      component: "Column",
      children: [
        "head",
        "lead",
        "picture",
        "rule",
        "mail",
        "amount",
        "wishes",
        "kind",
        "extras",
        "hours",
        "day",
        "agree",
        "tabs",
        "more",
        "video",
        "audio",
        "foot",
        "new",
      ],
    }),
    component("head", { component: "Row", children: ["pin", "title"], align: "center" }),
    component("pin", { component: "Icon", name: "locationOn" }),
    component("title", { component: "Text", text: at("/title"), variant: "h2" }),
    component("lead", { component: "Text", text: "Three hours on a city bike.", variant: "caption" }),
    component("picture", { component: "Image", url: picture, variant: "mediumFeature", description: "Hills" }),
    component("rule", { component: "Divider" }),
    component("mail", { component: "TextField", label: "Mail", value: at("/mail"), checks }),
    component("amount", { component: "TextField", label: "Deposit", variant: "number", value: at("/amount") }),
    component("wishes", { component: "TextField", label: "Wishes", variant: "longText", value: at("/wishes") }),
    component("kind", {
      component: "ChoicePicker",
      label: "Kind",
      variant: "mutuallyExclusive",
      displayStyle: "chips",
      options: [
        { label: "City", value: "city" },
        { label: "Cargo", value: "cargo" },
      ],
      value: at("/kind"),
    }),
    component("extras", {
      component: "ChoicePicker",
      label: "Extras",
      variant: "multipleSelection",
      filterable: true,
      options: [
        { label: "Helmet", value: "helmet" },
        { label: "Lock", value: "lock" },
      ],
      value: at("/extras"),
    }),
    component("hours", { component: "Slider", label: "Hours", min: 1, max: 12, value: at("/hours") }),
    component("day", {
      component: "DateTimeInput",
      label: "From",
      enableDate: true,
      enableTime: true,
      value: at("/day"),
    }),
    component("agree", { component: "CheckBox", label: "I have read the rules", value: at("/agree") }),
    component("tabs", {
      component: "Tabs",
      tabs: [
        { title: "Route", child: "list" },
        { title: "Rules", child: "rules" },
      ],
    }),
    component("list", { component: "List", children: { componentId: "stop", path: "/stops" } }),
    component("stop", { component: "Row", children: ["stop-name", "stop-km"], justify: "spaceBetween" }),
    component("stop-name", { component: "Text", text: at("name"), weight: 1 }),
    component("stop-km", { component: "Text", text: at("km"), variant: "caption" }),
    component("rules", { component: "Text", text: "Ride on the right." }),
    component("more", { component: "Modal", trigger: "open", content: "bring" }),
    component("open", {
      component: "Button",
      child: "open-label",
      variant: "borderless",
      action: { event: { name: "open" } },
    }),
    component("open-label", { component: "Text", text: "What to bring" }),
    component("bring", { component: "Text", text: "A lock, and water." }),
    component("video", { component: "Video", url: "javascript:alert(1)" }),
    component("audio", { component: "AudioPlayer", url: "/bell.mp3", description: "The bell" }),
    component("foot", { component: "Row", children: ["price", "reserve"], justify: "spaceBetween", align: "center" }),
    component("price", { component: "Text", text: "13.50 €", variant: "h3", weight: 1 }),
    component("reserve", {
      component: "Button",
      child: "reserve-label",
      variant: "primary",
      checks,
      action: { event: { name: "reserve", context: { mail: at("/mail") } } },
    }),
    component("reserve-label", { component: "Text", text: "Reserve" }),
  ];
  const messages = [
    { createSurface: { surfaceId, catalogId: "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json" } },
    {
      updateDataModel: {
        surfaceId,
        path: "/",
        value: {
          title: "Hire a bike",
          mail: "",
          amount: 20,
          kind: ["city"],
          extras: ["lock"],
          hours: 3,
          day: "2026-05-04T09:30",
          agree: false,
          stops: [
            { name: "Mill", km: "0 km" },
            { name: "Ridge", km: "9 km" },
          ],
        },
      },
    },
    { updateComponents: { surfaceId, components: parts } },
  ];
  for (const message of messages) surfaces.push(`${JSON.stringify({ version: "v0.9", ...message })}\n`);
  return surfaces;
}

/** A form in GULF. */
function gulf() {
  const surfaces = new SurfaceStream();
  const literal = (literalString) => ({ literalString });
  const component = (id, type, props) => ({ id, componentProperties: { [type]: props } });
  const components = [
    component("root", "Column", { children: { explicitList: ["title", "name", "meals", "send"] } }),
    component("title", "Heading", { text: { path: "/title" }, level: "2" }),
    component("name", "TextField", { label: literal("Your name"), text: { path: "/name" } }),
    component("meals", "MultipleChoice", {
      selections: { path: "/meals" },
      maxAllowedSelections: 1,
      options: [
        { label: literal("Lunch"), value: "lunch" },
        { label: literal("Dinner"), value: "dinner" },
      ],
    }),
    component("send", "Button", {
      label: literal("Book"),
      action: { action: "book", context: [{ key: "name", value: { path: "/name" } }] },
    }),
  ];
  for (const message of [
    { streamHeader: { version: "1.0.0" } },
    { componentUpdate: { components } },
    { dataModelUpdate: { contents: { title: "A table", name: "Ada", meals: ["lunch"] } } },
    { beginRendering: { root: "root" } },
  ])
    surfaces.push(`${JSON.stringify(message)}\n`);
  return surfaces;
}

/** Loans in A2UI 0.8, with a template, typed data, and a component that has not arrived. */
function loans() {
  const surfaces = new SurfaceStream();
  const surfaceId = "loans";
  const literal = (literalString) => ({ literalString });
  const component = (id, type, props) => ({ id, component: { [type]: props } });
  const components = [
    component("root", "Column", { children: { explicitList: ["list", "remind", "late"] } }),
    component("list", "List", { children: { template: { componentId: "loan", dataBinding: "/loans" } } }),
    component("loan", "Card", { child: "row" }),
    component("row", "Row", { children: { explicitList: ["book", "renew"] } }),
    component("book", "Text", { text: { path: "title" } }),
    component("renew", "Button", {
      child: "renew-label",
      action: { name: "renew", context: [{ key: "title", value: { path: "title" } }] },
    }),
    component("renew-label", "Text", { text: literal("Renew") }),
    component("remind", "CheckBox", { label: literal("Remind me"), value: { path: "/remind" } }),
  ];
  const loan = (key, title) => ({ key, valueMap: [{ key: "title", valueString: title }] });
  for (const message of [
    { surfaceUpdate: { surfaceId, components } },
    {
      dataModelUpdate: {
        surfaceId,
        contents: [
          { key: "remind", valueBoolean: true },
          { key: "loans", valueMap: [loan("0", "Rivers"), loan("1", "Herons")] },
        ],
      },
    },
    { beginRendering: { surfaceId, root: "root" } },
  ])
    surfaces.push(`${JSON.stringify(message)}\n`);
  return surfaces;
}

/** For tests: the client events of the stories, by story. */
const sent = { gulf: [], loans: [], edits: [] };

/** Proposals of all kinds, and an agent whose calls ended in every way. */
export async function approvals() {
  const store = storeOf();
  const files = Workspace.memory({ "src/price.ts": before, "notes.md": "# Notes\n" });
  const flow = new FlowStore({ nodeTypes: { idea: { actions: { update: { approvalStyle: "visual" } } } } });
  flow.load({ id: "trip", nodes: [{ id: "n1", type: "idea", data: { title: "Old", tags: ["a"] } }] });
  const agent = agentTools({ store, files, flow, approve: ({ target }) => target !== "notes.md" });
  await agent.execute({
    tool: "patch_ui_state",
    args: {
      instance_name: "walk",
      patches: [
        { op: "set", path: 'blocks["details"].props.tabs.0.title', value: "Stations" },
        { op: "set", path: "state.params.contact.email", value: "grace@example.com" },
        { op: "set", path: "state.params.when", value: "spring" },
        { op: "add", path: 'blocks["form"].props.fields', value: { key: "phone", type: "text", label: "Phone" } },
        { op: "remove", path: 'blocks["more"]' },
      ],
    },
  });
  await agent.execute({ tool: "write_file", path: "src/price.ts", content: after });
  await agent.execute({
    tool: "updateNode",
    args: { taskId: "trip", nodeId: "n1", newData: { title: "New", owner: "Ann" }, diffFields: ["title"] },
  });
  await agent.execute({ tool: "write_file", path: "notes.md", content: "# Notes\n\nDone.\n" });
  await agent.execute({ tool: "patch_ui_state", args: { instance_name: "nowhere", patches: [] } });
  return { store, files, flow, agent };
}

/** An agent with tools of the application's own, whose calls wait. `done` are those that were executed. */
export async function calls(done = []) {
  const agent = agentTools({
    approve: "always",
    tools: {
      send_mail: {
        description: "Sends a mail.",
        schema: { type: "object", properties: { to: {}, subject: { type: "string" } } },
        execute: (args) => {
          done.push(args);
          return { sent: true };
        },
      },
      close_shop: {
        description: "Closes the shop.",
        schema: { type: "object" },
        execute: () => {
          throw new Error("It is closed already.");
        },
      },
    },
  });
  const subject = "Your order\u202e of today";
  await agent.execute({ tool: "send_mail", args: { to: ["ann@example.com", "bob@example.com"], subject } });
  await agent.execute({ tool: "close_shop", args: {} });
  return { agent, done };
}

const sanitize = (html) => html.replaceAll(/<(?!\/?(?:p|b)>)[^>]*>/g, "");

export async function stories() {
  const { store, files, flow, agent } = await approvals();
  const own = await calls();
  const page = storeOf();
  const tabbed = storeOf({ ...document, title: "Als Tabs", layout: { type: "tabs" } });
  return {
    page: h(PageView, { store: page, name: "walk", sanitize }),
    tabs: h(PageView, { store: tabbed, name: "walk" }),
    proposals: h(ProposalList, { sources: [store, files, flow] }),
    chinese: h(ProposalList, { sources: [store], labels: chinese }),
    calls: h(ProposalList, { sources: [own.agent], done: own.done }),
    ownCalls: h(ActivityList, { agent: own.agent, sources: [own.agent] }),
    diff: h(DiffView, { hunks: hunks() }),
    surface: h(SurfaceView, { surfaces: surfaceOf(), id: "bikes" }),
    gulf: h(SurfaceView, { surfaces: gulf(), id: "main", sent: sent.gulf, onAction: (event) => sent.gulf.push(event) }),
    loans: h(SurfaceView, {
      surfaces: loans(),
      id: "loans",
      ended: true,
      sent: sent.loans,
      onAction: (event) => sent.loans.push(event),
    }),
    optimistic: h(PageView, {
      store: storeOf(),
      name: "walk",
      optimistic: true,
      edits: sent.edits,
      onEdit: ({ field, value, result }) => sent.edits.push([field.key, value, result.status]),
    }),
    activity: h(ActivityList, { agent, sources: [store, files, flow] }),
  };
}
