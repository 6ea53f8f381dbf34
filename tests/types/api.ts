/** What the types say. Compiled, never run; a line marked with @ts-expect-error must be refused. */
import {
  type Change,
  fromJsonPatch,
  type PatchResult,
  PatchStore,
  type ToolFormat,
  toJsonPatch,
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
