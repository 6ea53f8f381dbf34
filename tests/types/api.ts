/** What the types say. Compiled, never run; a line marked with @ts-expect-error must be refused. */
import {
  type Change,
  type CustomTool,
  correctionPrompt,
  correctToolBlock,
  fromJsonPatch,
  type Generate,
  type PatchResult,
  PatchStore,
  type ToolBlockEvent,
  type ToolFormat,
  toJsonPatch,
  toolBlockTransform,
  toolDefinitions,
  version,
} from "genui-patch";
import { init } from "genui-patch/slim";

version satisfies string;
init(fetch("core.wasm")) satisfies Promise<void>;
// @ts-expect-error
init();

toolDefinitions("ui", "anthropic" satisfies ToolFormat) satisfies object[];
// @ts-expect-error
toolDefinitions("ui", "xml");
// @ts-expect-error
toolDefinitions("ui", "openai", { api: "batch" });

const store = new PatchStore();
store.applyJsonPatch("a", [{ op: "move", from: "/a", path: "/b" }]) satisfies PatchResult;
// @ts-expect-error
store.applyJsonPatch("a", [{ op: "move", path: "/b" }]);
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
