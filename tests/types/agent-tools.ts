/** The tools, actions and templates of a store. Compiled, never run. */
import { type PatchResult, PatchStore } from "genui-patch";

const store = new PatchStore();

const tool = store.callTool("list_instances", {});
if (tool.status === "success" && "instances" in tool) tool.instances[0]?.blocks_count satisfies number | undefined;
if (tool.status === "error") tool.error.code satisfies string;
const action = store.runAction("a", "save", { params: { n: 1 }, rowData: {}, optimistic: true });
if (action.status === "success" && action.kind === "patch") action.result satisfies PatchResult;
if (action.status === "success" && action.kind === "api") action.instruction.urls satisfies object;
// @ts-expect-error
store.runAction("a", "save", { param: {} });
store.setField("a", "form", "age", "42").status satisfies "success" | "error";
store.render("a", "", { escape: "none", missing: "keep" }) satisfies string;
new PatchStore({ criteria: { done: (document, criterion) => document !== null && criterion.type === "custom" } });
