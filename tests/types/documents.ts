/** Documents by name, calls distinguished by `tool`, results that narrow, literals that compile. Compiled, never run. */
import {
  type Action,
  agentTools,
  type Block,
  type CustomTool,
  type DeepReadonly,
  type Field,
  FlowStore,
  type Json,
  NativeCallStream,
  type PageDocument,
  type PatchCall,
  PatchStore,
  parseToolCalls,
  repairToolBlock,
  type ToolBlockEvent,
  ToolBlockStream,
  type ToolCall,
  toolBlockTransform,
  toolDefinitions,
  validateToolBlock,
  Workspace,
} from "genui-patch";
import { useInstance } from "genui-patch/react";

interface Counter {
  state: { params: { count: number; tags: { id: string }[]; label?: string }; runtime: { open: boolean } };
}
interface Documents {
  counter: Counter;
  page: PageDocument;
}

const page: PageDocument = {
  page_key: "survey",
  state: { params: { age: 41 }, runtime: {} },
  layout: { type: "single" },
  blocks: [
    {
      id: "form",
      type: "form",
      bind: "state.params",
      props: { fields: [{ key: "age", label: "Age", type: "number", value: 0, note: "of a catalog" }] },
    },
    { id: "chart", type: "chart" },
  ],
  actions: [{ id: "save", label: "Save", style: "primary", action_type: "apply_patch", patches: [] }],
};
// @ts-expect-error
({ id: "form" }) satisfies Block;
// @ts-expect-error
({ key: 1, type: "text" }) satisfies Field;
// @ts-expect-error
({ id: "save", label: "Save", action_type: "call" }) satisfies Action;

const store = new PatchStore<Documents>();
store.load("page", page);
store.load("page", JSON.stringify(page), { rules: "ui" });
// @ts-expect-error
store.load("counter", page.blocks);
store.load("another", { any: "thing" });
store.snapshot("counter")?.state.params.count satisfies number | undefined;
store.confirmed("page")?.blocks[0]?.props?.fields?.[0]?.label satisfies string | undefined;
store.snapshot("another") satisfies DeepReadonly<Json> | undefined;
store.get("counter", "state.params.count") satisfies number | undefined;
store.get("counter", "state.params.tags.0.id") satisfies string | undefined;
store.get("counter", "state.params.label") satisfies string | undefined;
store.get("counter", 'state.params.tags["a"]') satisfies DeepReadonly<Json> | undefined;
store.get("page", "state.params.age") satisfies DeepReadonly<Json> | undefined;
store.get("page", "layout.type") satisfies string | undefined;
// @ts-expect-error
store.get("counter", "state.params.count") satisfies string | undefined;
const counter = store.snapshot("counter");
// @ts-expect-error
if (counter) counter.state.params.count = 1;
for (const name of store.names()) store.snapshot(name) satisfies DeepReadonly<Json> | undefined;
PatchStore.restore<Documents>("").get("counter", "state.runtime.open") satisfies boolean | undefined;

export function useAll(): void {
  useInstance(store, "counter")?.state.params.count satisfies number | undefined;
  useInstance(store, "counter", "state.params.count") satisfies number | undefined;
  useInstance(store, "counter", (counter) => counter?.state.params.count ?? 0) satisfies number;
  useInstance(store, "page", (page) => page?.blocks.map(({ id }) => id)) satisfies string[] | undefined;
  useInstance(plain, "page") satisfies DeepReadonly<Json> | undefined;
  useInstance(plain, "page", (page?: PageDocument) => page?.blocks.length) satisfies number | undefined;
}

// Without types, documents are Json, and anything may be loaded.
const plain = new PatchStore();
plain.load("page", page);
plain.snapshot("page") satisfies DeepReadonly<Json> | undefined;
plain.get("page", "state.params.age") satisfies DeepReadonly<Json> | undefined;
const wants = (store: PatchStore<Documents>): PatchStore<Documents> => store;
wants(store);

// A call literal has the type of a call.
const literal = { instance_name: "page", patches: [{ op: "set", path: "state.params.age", value: 42 }] };
plain.apply(literal);
store.propose(literal);
literal satisfies PatchCall;
const result = plain.applyOptimistic(literal);
if (result.status === "success") result.revision satisfies number;
else result.error.solution satisfies string;
result.error?.code satisfies string | undefined;
const proposal = plain.propose(literal);
if (proposal.error) proposal.error.code satisfies string;
else proposal.diff satisfies object[];

// Calls, distinguished by their tool.
export function take(call: ToolCall<never>): string | undefined {
  switch (call.tool) {
    case "write_file":
      return call.content satisfies string;
    case "edit_file":
      return call.search_replace.old_string satisfies string;
    case "delete_file":
      call satisfies { path: string };
      // @ts-expect-error
      call.content satisfies string;
      return call.path;
  }
}
const events: ToolBlockEvent<never>[] = new ToolBlockStream().push("");
for (const event of events) if (event.type === "json-tool-block" && event.call) take(event.call);
const own = validateToolBlock("", { tools: [{ name: "run", fields: { command: "string" } }] });
if (own.call?.tool === "run") own.call.args.command satisfies Json | undefined;
else if (own.call) take(own.call);
// @ts-expect-error
own.call?.tool === "walk";
const tools: CustomTool[] = [];
const loose: ToolCall | undefined = validateToolBlock("", { tools }).call;
if (loose?.tool === "write_file") loose.content satisfies string | undefined;
parseToolCalls("").calls[0] satisfies ToolCall<never> | undefined;
repairToolBlock("").report.call satisfies ToolCall<never> | undefined;
new NativeCallStream({ format: "anthropic" }).end() satisfies ToolBlockEvent<never>[];

const flow = new FlowStore();
const files = Workspace.memory();
const agent = agentTools({
  store,
  files,
  flow,
  approve: ({ tool, target }) => tool === "delete_file" || target === "page",
});
// @ts-expect-error
agentTools({ stores: store });
// @ts-expect-error
agentTools({ store, approve: "sometimes" });
agent.definitions("openai").map(({ function: { name } }) => name) satisfies string[];
agent.definitions("openai", { api: "responses" }).map(({ name }) => name) satisfies string[];
agent.definitions("anthropic")[0]?.input_schema.type satisfies "object" | undefined;
Object.values(agent.definitions("ai-sdk"))[0]?.description satisfies string | undefined;
toolDefinitions("ui", "mcp")[0]?.inputSchema.properties satisfies object | undefined;
for (const format of ["mcp", "openai", "anthropic", "gemini"] as const) {
  new ToolBlockStream({ tools: agent.definitions(format) });
  validateToolBlock("", { tools: toolDefinitions("ui", format) });
}
new ReadableStream<string>().pipeThrough(toolBlockTransform({ tools: agent.blocks, contentDeltas: true }));

export async function run(event: ToolBlockEvent, signal: AbortSignal): Promise<object[]> {
  const results = await agent.executeBlock(event, { signal });
  await agent.execute({ name: "patch_ui_state", arguments: "{}" }, { signal });
  await agent.execute({ tool: "write_file", path: "a", content: "" });
  await agent.execute({ id: "c", type: "function", function: { name: "updateNode", arguments: "{}" } });
  await agent.execute({ toolCallId: "c", toolName: "updateNode", input: {} });
  // @ts-expect-error
  await agent.execute({ arguments: {} });
  for (const result of results) {
    switch (result.status) {
      case "success":
        result.result satisfies object;
        break;
      case "pending":
        result.proposal.id satisfies string;
        if (result.proposal.kind === "file") result.proposal.diff[0]?.lines satisfies object[] | undefined;
        break;
      case "error":
        result.error.solution satisfies string;
        break;
    }
  }
  return agent.reply(results, "openai");
}
agent.calls().map(({ status, result }) => [status, result?.tool]) satisfies unknown[];
const answer = flow.callTool("updateNode", {});
if ("pending_confirmation" in answer) answer.pending_confirmation.proposalId satisfies string;
else if ("updated" in answer) answer.node.id satisfies string;
else answer.error.code satisfies string;
store.propose({ id: "once", ...literal });
