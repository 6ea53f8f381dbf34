/** The instances that the page begins with. */
import { gallery } from "./gallery";

const meta = (pageKey: string, title?: string, current = 1, total = 1) => ({
  pageKey,
  ...(title !== undefined && { title }),
  step: { current, total },
  status: "idle",
});

/** A document with nothing on it. */
export const blank = (name: string) => ({
  meta: meta(name),
  state: { params: {}, runtime: {} },
  layout: { type: "single" },
  blocks: [],
  actions: [],
});

const demo = {
  meta: meta("demo", "Your visit"),
  state: { params: { name: "Ada Lovelace", guests: 2, plan: "standard", contact: "email" }, runtime: {} },
  layout: { type: "single" },
  blocks: [
    {
      id: "text_block",
      type: "form",
      title: "Reservation",
      bind: "state.params",
      props: {
        columns: 2,
        fields: [
          { label: "Name", key: "name", type: "text" },
          { label: "Guests", key: "guests", type: "number" },
          {
            label: "Table",
            key: "plan",
            type: "select",
            options: [
              { label: "By the window", value: "window" },
              { label: "Anywhere", value: "standard" },
              { label: "Outside", value: "outside" },
            ],
          },
          {
            label: "Confirm by",
            key: "contact",
            type: "radio",
            options: [
              { label: "E-mail", value: "email" },
              { label: "Phone", value: "phone" },
            ],
          },
          { label: "Remember me", key: "remember", type: "checkbox", value: false },
          { label: "Wishes", key: "wishes", type: "textarea" },
        ],
      },
    },
    {
      id: "old_block",
      type: "form",
      title: "Voucher",
      bind: "state.params",
      props: { fields: [{ label: "Voucher code", key: "voucher", type: "text" }] },
    },
  ],
  actions: [
    {
      id: "submit",
      label: "Reserve",
      style: "primary",
      action_type: "apply_patch",
      patches: { "meta.status": "submitted" },
    },
    { id: "later", label: "Later", style: "secondary" },
    {
      id: "discard",
      label: "Discard",
      style: "danger",
      action_type: "apply_patch",
      patches: [
        { op: "clear", path: "state.params" },
        { op: "set", path: "meta.status", value: "idle" },
      ],
    },
  ],
};

const counter = {
  meta: meta("counter", "A counter"),
  state: { params: { count: 7 }, runtime: {} },
  layout: { type: "single" },
  blocks: [
    {
      id: "counter_block",
      type: "form",
      title: "Counter",
      bind: "state.params",
      props: { fields: [{ label: "Count", key: "count", type: "number" }] },
    },
  ],
  actions: [
    {
      id: "more",
      label: "One more",
      style: "primary",
      action_type: "apply_patch",
      patches: [{ op: "increment", path: "state.params.count" }],
    },
    {
      id: "zero",
      label: "Back to 0",
      style: "secondary",
      action_type: "apply_patch",
      handler_type: "set",
      patches: { "state.params.count": 0 },
    },
  ],
};

const wizard = {
  meta: meta("wizard", "Open an account", 1, 3),
  state: { params: { company: "" }, runtime: { stepStatus: "waiting" } },
  layout: { type: "single" },
  blocks: [
    {
      id: "company_block",
      type: "form",
      title: "Your company",
      bind: "state.params",
      props: { fields: [{ label: "Company", key: "company", type: "text" }] },
    },
    {
      id: "progress_block",
      type: "form",
      title: "Progress",
      bind: "state.runtime",
      props: { fields: [{ label: "Step status", key: "stepStatus", type: "tag" }] },
    },
  ],
  actions: [{ id: "next", label: "Next", style: "primary" }],
};

const app = (name: string, title: string) => ({
  page_key: name,
  state: { params: { count: 3, username: "lin", email: "lin@example.com" }, runtime: {} },
  layout: { type: "tabs" },
  blocks: [
    {
      id: "welcome",
      layout: "form",
      title,
      props: {
        fields: [
          { key: "username", type: "text", label: "用户名" },
          { key: "count", type: "number", label: "数量" },
        ],
        actions: [],
      },
    },
    {
      id: "old_block",
      layout: "form",
      title: "旧的块",
      props: { fields: [{ key: "email", type: "text", label: "邮箱" }], actions: [] },
    },
  ],
  actions: [],
});

export const documents: Readonly<Record<string, object>> = {
  demo,
  counter,
  wizard,
  my_app: app("my_app", "欢迎"),
  old_app: app("old_app", "旧应用"),
  gallery,
};
