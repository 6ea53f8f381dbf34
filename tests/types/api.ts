/** The public types. This file is compiled and never run; a line after @ts-expect-error must not compile. */
import {
  A2uiWriter,
  type ApprovalState,
  type Author,
  a2uiCatalog,
  a2uiSystemPrompt,
  a2uiTools,
  approvalState,
  type Change,
  type CustomTool,
  correctA2ui,
  correctionPrompt,
  correctToolBlock,
  type DeepReadonly,
  type Fix,
  FlowStore,
  fromJsonPatch,
  type Generate,
  GulfWriter,
  gulfFlow,
  gulfSystemPrompt,
  type HistoryEntry,
  type Json,
  type JsonDiff,
  jsonDiff,
  type Limits,
  type OptimisticResult,
  type PatchError,
  type PatchErrorCode,
  type PatchProposal,
  type PatchResult,
  PatchStore,
  type PendingCall,
  type PendingConfirmation,
  type Proposal,
  pagePrompt,
  parsePartialJson,
  preload,
  repairJson,
  repairToolBlock,
  type ServerMessage,
  type ShownChange,
  type SurfaceEvent,
  type SurfaceNode,
  SurfaceStream,
  type ToolBlockEvent,
  type ToolBlockRepair,
  ToolBlockStream,
  type ToolFormat,
  toJsonPatch,
  toolBlockTransform,
  toolDefinitions,
  type UndoOptions,
  validateA2ui,
  version,
} from "genui-patch";
import { initBlocks, initStore, type WasmSource } from "genui-patch/slim";

version satisfies string;
preload() satisfies Promise<void>;
initStore() satisfies Promise<void>;
initBlocks(fetch("blocks.wasm")) satisfies Promise<void>;
initBlocks(new Uint8Array() satisfies WasmSource) satisfies Promise<void>;
// @ts-expect-error
initStore(null);

toolDefinitions("ui", "anthropic" satisfies ToolFormat) satisfies object[];
toolDefinitions("ui", "mcp").map(({ name }) => name) satisfies string[];
toolDefinitions("ui", "openai").map((tool) => tool.function.name) satisfies string[];
// @ts-expect-error
toolDefinitions("ui", "openai", { api: "responses" })[0]?.function;
// @ts-expect-error
toolDefinitions("ui", "xml");
// @ts-expect-error
toolDefinitions("ui", "openai", { api: "batch" });

const store = new PatchStore();
store.applyJsonPatch("a", [{ op: "move", from: "/a", path: "/b" }]) satisfies PatchResult;
// @ts-expect-error
store.applyJsonPatch("a", [{ op: "move", path: "/b" }]);
const literal = { instance_name: "a", patches: [{ op: "set", path: "state.params.n", value: 1 }] };
store.apply(literal).error?.code satisfies PatchErrorCode | undefined;
store.callTool("get_schema", literal).error?.solution satisfies string | undefined;
store.runAction("a", "go").call?.patches satisfies object | undefined;
store.propose(literal).error?.message satisfies string | undefined;
store.applyOptimistic({ instance_name: "a" }).pendingId satisfies string | undefined;
store.setBoolean("a", "b", true, { optimistic: true }) satisfies OptimisticResult;
// @ts-expect-error
store.setNumber("a", "b", 1, { later: true });
store.confirm("id") satisfies PatchResult;
store.reject("id", "no") satisfies PatchResult;
store.receive({ type: "patch", instance_name: "a", patch: { "state.params.n": 1 } }) satisfies PatchResult;
store.receive({ type: "STATE_DELTA", delta: [] } satisfies ServerMessage, { instance: "a" });
store.pending("a") satisfies PendingCall[];
store.sent("id");
store.confirmed("a") satisfies DeepReadonly<Json> | undefined;
store.batch(() => store.apply("{}"));
store.subscribe((event) => {
  event.type satisfies "change" | "create" | "delete" | "active" | "highlight" | "pending" | "proposal";
  event.origin satisfies "apply" | "optimistic" | "receive" | "confirm" | "reject" | "load" | "approve";
  event.highlight satisfies string[] | undefined;
  event.author satisfies Author;
});
store.apply("{}", { author: { kind: "agent", id: "writer" }, group: "turn-1" }) satisfies PatchResult;
// @ts-expect-error
store.apply("{}", { author: { kind: "robot" } });
store.history("a") satisfies HistoryEntry[];
store.undo("a", { author: "user", group: "turn-1", force: true, optimistic: false }).pendingId satisfies
  | string
  | undefined;
store.redo("a", { author: { kind: "agent" } } satisfies UndoOptions).error?.places satisfies string[] | undefined;
store.canUndo("a") satisfies boolean;
store.authors("a")["b.c"]?.kind satisfies Author["kind"] | undefined;
new PatchStore({ clientId: "me", limits: { maxPending: 5 } });
fromJsonPatch(toJsonPatch([{ kind: "remove", path: ["a", 0] }]), {}) satisfies Change[];
const tools = [
  { name: "run_tests", aliases: ["test"], fields: { suite: "string", watch: { kind: "boolean", optional: true } } },
  { name: "plan", schema: { type: "object", properties: { n: { type: ["number", "null"], enum: [1, null] } } } },
] as const satisfies readonly CustomTool[];
// @ts-expect-error
({ name: "a", fields: { x: "text" } }) satisfies CustomTool;
correctionPrompt("", ["error"], { tools }).temperature satisfies 0.1;
const generate: Generate = async ({ system, prompt, temperature, signal }) => {
  signal satisfies AbortSignal | undefined;
  return `${system}${prompt}${temperature}`;
};
correctToolBlock("", { generate, maxAttempts: 2, tools, signal: AbortSignal.timeout(1) }) satisfies Promise<{
  corrected: boolean;
  by?: "repair" | "model";
  content: string;
  attempts: number;
}>;
// @ts-expect-error
correctToolBlock("", {});
// @ts-expect-error
correctToolBlock("", { generate: () => ({ text: "" }) });
new ReadableStream<string>().pipeThrough(
  toolBlockTransform({ generate, contentDeltas: true }),
) satisfies ReadableStream<ToolBlockEvent>;

jsonDiff({}, {}) satisfies JsonDiff;
jsonDiff({}, {}, { depth: "deep" }) satisfies Change[];
// @ts-expect-error
jsonDiff({}, {}, { depth: "all" });
const proposal = store.propose({ instance_name: "page", patches: [] });
if (proposal.status === "error") {
  proposal.error satisfies PatchError;
} else {
  proposal satisfies PatchProposal;
  approvalState(proposal) satisfies ApprovalState | undefined;
  const answer = store.approve(proposal.id, {
    paths: ["state.params.n", ["blocks", 0]],
    edits: { "state.params.s": "x" },
  });
  if (answer.status === "success") answer.changes satisfies Change[];
  else answer.error.code satisfies PatchErrorCode;
}
// @ts-expect-error
store.approve("id", { fields: ["n"] });
const flow = new FlowStore({
  nodeTypes: { idea: { actions: { update: { approvalStyle: "visual" } } } },
  displayLanguage: "pt",
});
// A registry that was read from a JSON file has its styles as strings.
new FlowStore({ nodeTypes: { idea: { actions: { update: { approvalStyle: "visual" as string } } } } });
// @ts-expect-error
new FlowStore({ nodeTypes: { idea: { actions: { update: { approvalStyle: 1 } } } } });
flow.load({ id: "t", nodes: [{ id: "n", type: "idea", data: {} }] }).status satisfies "success" | "error";
const updated = flow.updateNode({ taskId: "t", nodeId: "n", newData: { title: "T" } });
if ("pending_confirmation" in updated) {
  updated.pending_confirmation satisfies PendingConfirmation;
  const settled = flow.approve(updated.pending_confirmation.proposalId, { fields: ["title"], edits: { title: "U" } });
  if ("updated" in settled) settled.node.data.title satisfies unknown;
}
for (const each of [...flow.proposals(), ...store.proposals()] satisfies Proposal[]) {
  if (each.kind === "node") each.diff satisfies JsonDiff;
  else each.diff satisfies ShownChange[];
}

const surfaces = new SurfaceStream({ partial: true, functions: { twice: ({ value }) => Number(value) * 2 } });
surfaces.push(new Uint8Array()) satisfies SurfaceEvent[];
surfaces.tree("main") satisfies SurfaceNode | undefined;
surfaces.tree("main")?.children[0]?.slot satisfies string | undefined;
for (const event of surfaces.end()) if (event.type !== "diagnostic") event.nodes satisfies string[] | undefined;
(surfaces.tree("main")?.props ?? {}) satisfies Record<string, Json>;
surfaces.info("main")?.protocol satisfies "gulf" | "a2ui-0.8" | "a2ui-0.9" | "a2ui-1.0" | undefined;
// @ts-expect-error
surfaces.tree("main").id;
// @ts-expect-error
new SurfaceStream({ regex: true });
for (const event of surfaces.setData("main", "a", { b: [1] }))
  if (event.type === "diagnostic") event.code satisfies string;
const sent = surfaces.action("main", "go");
for (const node of surfaces.tree("main")?.children ?? []) surfaces.action("main", node) satisfies typeof sent;
// @ts-expect-error
surfaces.action("main", { id: "go" });
if ("actionName" in sent) sent.resolvedContext satisfies Record<string, Json>;

surfaces.respond("1", { value: 1 }).rendererFunctionResponse.functionCallId satisfies string;
surfaces.respond("1", { error: { code: "X", message: "Y" } });
// @ts-expect-error
surfaces.respond("1", { error: "X" });
// @ts-expect-error
surfaces.respond("1", { value: 1, error: { code: "X", message: "Y" } });
surfaces.callAgent("main", "f", { a: [1] }, { catalogId: "c" }).result satisfies Promise<Json>;
new SurfaceStream({ catalog: [{ catalogId: "a" }], functions: { a: { add: () => 1 } }, isUserActive: () => true });

const a2ui = new A2uiWriter({ version: "0.9.1", catalog: a2uiCatalog([{ catalogId: "c" }]) });
a2ui.createSurface({
  surfaceId: "s",
  components: [{ id: "root", component: "Text", text: { path: "/a" } }],
}) satisfies string;
// @ts-expect-error
a2ui.createSurface({ surfaceId: "s", components: [{ id: "root" }] });
// @ts-expect-error
new A2uiWriter({ version: "0.8" });
const ran = a2ui.run("createSurface", {});
if (ran.answer.status === "error") ran.answer.error.message satisfies string;
a2uiTools("anthropic")[0]?.input_schema satisfies object | undefined;
a2uiSystemPrompt({}, { writes: "text" }) satisfies string;
validateA2ui("", { catalog: {} }).diagnostics[0]?.code satisfies string | undefined;
correctA2ui("", { generate: async () => "" }) satisfies Promise<{
  isValid: boolean;
  content: string;
  corrected: boolean;
}>;

const writer = new GulfWriter();
writer.componentUpdate({
  components: [{ id: "a", componentProperties: { Text: { text: { path: "a" } } } }],
}) satisfies string;
// @ts-expect-error
writer.beginRendering({});
gulfSystemPrompt({}, { instructions: "Be brief." }) satisfies string;
pagePrompt(
  { blocks: { chart: { description: "A chart.", props: { type: "object" } } } },
  { language: "zh" },
) satisfies string;
// @ts-expect-error
pagePrompt({ charts: ["line"] });
gulfFlow({
  catalog: {},
  conversation: [{ role: "user" }],
  async *generate({ messages, tools, signal }) {
    messages satisfies readonly { role: string }[];
    signal satisfies AbortSignal;
    yield "text";
    for (const { execute } of tools) if (execute({}).status === "ok") yield { toolRequest: { name: "beginRendering" } };
  },
}) satisfies ReadableStream<string>;
toolDefinitions("gulf", "gemini") satisfies object[];
const { text, fixes, report }: ToolBlockRepair = repairToolBlock("", { complete: true, limits: { maxIssues: 5 } });
text satisfies string;
fixes satisfies Fix[];
report.call?.path satisfies string | undefined;
repairJson("", { complete: false }).ok satisfies boolean;
// @ts-expect-error
repairJson("", { tools: [] });
parsePartialJson("").value satisfies Json | undefined;
new ToolBlockStream({ repair: false }).end({ complete: true }) satisfies ToolBlockEvent[];

// Optional options may be undefined, since callers pass on options of their own.
declare const maybe: { flag?: boolean; text?: string; limits?: Partial<Limits> };
const { flag, text: word, limits: most } = maybe;
const lax = new PatchStore({
  freeze: flag,
  clientId: word,
  limits: most,
  displayLanguage: word,
  catalog: { blocks: undefined },
});
lax.setString("a", "b", "c", { optimistic: flag });
lax.receive({ type: "x" }, { instance: word });
lax.subscribe(() => {}, { instance: word, path: word });
lax.runAction("a", "b", { optimistic: flag, params: undefined });
lax.approve("p", { paths: undefined, edits: undefined });
new FlowStore({ displayLanguage: word, limits: most }).approve("p", { fields: undefined });
new SurfaceStream({ partial: flag, locale: word, timeZone: word, limits: most });
new ToolBlockStream({ contentDeltas: flag, limits: most });
toolDefinitions("ui", "openai", { strict: flag });
jsonDiff(1, 2, { fields: undefined });
