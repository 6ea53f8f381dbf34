// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the templates of documents are data
/** Patch calls to pick from, in both dialects, and some that are refused for good reasons. */

import type { Plain } from "../words/words";

export interface Example {
  title: Plain;
  call: object | string;
  /** The instance that it makes, which must not be there yet. */
  creates?: string;
  /** The instance that it deletes. */
  deletes?: string;
}

export interface ExampleGroup {
  label: Plain;
  /** Whether its calls are there to be refused. */
  refused?: true;
  examples: readonly Example[];
}

const empty = { id: "welcome", layout: "form", title: "欢迎", props: { fields: [], actions: [] } };
const field = (label: string, key: string) => ({ label, key, type: "text" });
const form = (id: string, ...fields: object[]) => ({ id, type: "form", bind: "state.params", props: { fields } });

const instanceId: ExampleGroup = {
  label: "With instanceId",
  examples: [
    {
      title: "Update State",
      call: { instanceId: "counter", patches: [{ op: "set", path: "state.params.count", value: 42 }] },
    },
    {
      title: "Add New Block",
      call: {
        instanceId: "demo",
        patches: [{ op: "add", path: "blocks+", value: form("new_block", field("Field", "field1")) }],
      },
    },
    {
      title: "Replace Block by ID",
      call: {
        instanceId: "demo",
        patches: [
          {
            op: "set",
            path: 'blocks["text_block"]',
            value: form("text_block", field("Updated Field", "updatedField")),
          },
        ],
      },
    },
    {
      title: "Remove Block",
      call: { instanceId: "demo", patches: [{ op: "remove", path: 'blocks-"old_block"' }] },
    },
    {
      title: "Replace All Blocks",
      call: {
        instanceId: "demo",
        patches: [{ op: "replace", path: "blocks", value: [form("block1"), form("block2")] }],
      },
    },
    {
      title: "Multi-Step Update",
      call: {
        instanceId: "wizard",
        patches: [
          { op: "set", path: "meta.step", value: { current: 2, total: 3 } },
          { op: "set", path: "state.runtime.stepStatus", value: "in_progress" },
        ],
      },
    },
    {
      title: "Create Instance",
      creates: "my_instance",
      call: {
        instanceId: "__CREATE__",
        newInstanceId: "my_instance",
        patches: [
          {
            op: "set",
            path: "meta",
            value: { pageKey: "my_instance", step: { current: 1, total: 1 }, status: "idle" },
          },
          { op: "set", path: "state", value: { params: {}, runtime: {} } },
          { op: "set", path: "blocks", value: [] },
          { op: "set", path: "actions", value: [] },
        ],
      },
    },
    {
      title: "Delete Instance",
      deletes: "my_instance",
      call: { instanceId: "__DELETE__", targetInstanceId: "my_instance", patches: [] },
    },
  ],
};

const instanceName: ExampleGroup = {
  label: "With instance_name",
  examples: [
    {
      title: "创建新实例 · Create an instance",
      creates: "my_app",
      call: {
        instance_name: "__CREATE__",
        new_instance_name: "my_app",
        patches: [
          { op: "set", path: "page_key", value: "my_app" },
          { op: "set", path: "state", value: { params: {}, runtime: {} } },
          { op: "set", path: "layout", value: { type: "tabs" } },
          { op: "set", path: "blocks", value: [empty] },
          { op: "set", path: "actions", value: [] },
        ],
      },
    },
    {
      title: "删除实例 · Delete an instance",
      call: { instance_name: "__DELETE__", target_instance_name: "old_app" },
    },
    {
      title: "更新状态 · Update the state",
      call: {
        instance_name: "my_app",
        patches: [
          { op: "set", path: "state.params.count", value: 42 },
          { op: "set", path: "state.runtime.timestamp", value: "2026-02-09 15:30:45" },
        ],
      },
    },
    {
      title: "添加字段 · Set the fields",
      call: {
        instance_name: "my_app",
        patches: [
          {
            op: "set",
            path: "blocks.0.props.fields",
            value: [
              { key: "username", type: "text", label: "用户名", value: "${state.params.username}" },
              { key: "email", type: "text", label: "邮箱", value: "${state.params.email}" },
            ],
          },
        ],
      },
    },
    {
      title: "添加操作 · Set the actions",
      call: {
        instance_name: "my_app",
        patches: [
          {
            op: "set",
            path: "blocks.0.props.actions",
            value: [
              {
                id: "save",
                label: "保存",
                style: "primary",
                action_type: "apply_patch",
                handler_type: "set",
                patches: { "state.params.saved": true },
              },
            ],
          },
        ],
      },
    },
    {
      title: "添加块 · Add a block",
      call: {
        instance_name: "my_app",
        patches: [
          {
            op: "add",
            path: "blocks",
            value: { id: "settings", layout: "form", title: "设置", props: { fields: [], actions: [] } },
          },
        ],
      },
    },
    {
      title: "删除块 · Remove a block",
      call: { instance_name: "my_app", patches: [{ op: "remove", path: "blocks", value: { id: "old_block" } }] },
    },
    {
      title: "批量操作 · Several at once",
      call: {
        instance_name: "my_app",
        patches: [
          { op: "set", path: "state.params.count", value: 0 },
          { op: "set", path: "state.params.username", value: "" },
          { op: "set", path: "state.params.email", value: "" },
          { op: "set", path: "blocks.0.props.fields", value: [] },
          { op: "set", path: "blocks.0.props.actions", value: [] },
        ],
      },
    },
  ],
};

const refused: ExampleGroup = {
  label: "Refused",
  refused: true,
  examples: [
    {
      title: "No such block",
      call: { instanceId: "demo", patches: [{ op: "remove", path: 'blocks-"text_blok"' }] },
    },
    {
      title: "The second patch fails, so nothing happens",
      call: {
        instanceId: "demo",
        patches: [
          { op: "set", path: "state.params.name", value: "Never seen" },
          { op: "add", path: "blocks+", value: { id: "chart", type: "chart", props: {} } },
        ],
      },
    },
    {
      title: "An id that is taken",
      call: { instanceId: "demo", patches: [{ op: "add", path: "blocks+", value: form("text_block") }] },
    },
    {
      title: "A page key is for good",
      call: { instanceId: "demo", patches: [{ op: "set", path: "meta.pageKey", value: "other" }] },
    },
    {
      title: "Into the prototype",
      call: { instanceId: "demo", patches: [{ op: "set", path: "state.params.__proto__.admin", value: true }] },
    },
    {
      title: "The path of another tool",
      call: { instanceId: "demo", patches: [{ op: "add", path: "blocks/-", value: form("more") }] },
    },
    {
      title: "No such instance",
      call: { instanceId: "dmeo", patches: [{ op: "set", path: "state.params.name", value: "x" }] },
    },
    {
      title: "Not JSON",
      call: '{\n  "instanceId": "demo",\n  "patches": [{ "op": "set", "path": "state.params.name", "value": "x" },]\n}',
    },
  ],
};

export const exampleGroups: readonly ExampleGroup[] = [instanceId, instanceName, refused];
