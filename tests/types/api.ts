/** What the types say. Compiled, never run; a line marked with @ts-expect-error must be refused. */
import { type ToolFormat, toolDefinitions, version } from "genui-patch";
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
