/** Types of native calls and of tools of the host. Compiled, never run. */
import {
  type CustomTool,
  NativeCallStream,
  type NativeFormat,
  type ToolBlockEvent,
  toolDefinitions,
} from "genui-patch";

const tools: CustomTool[] = [{ name: "run", fields: { command: "string" } }];
const calls = new NativeCallStream({ format: "openai-chat" satisfies NativeFormat, tools, contentDeltas: true });
calls.push({ choices: [] }) satisfies ToolBlockEvent[];
calls.end() satisfies ToolBlockEvent[];
// @ts-expect-error
calls.push("data: {}");
// @ts-expect-error
new NativeCallStream({ format: "open-ai" });
// @ts-expect-error
new NativeCallStream({ format: "ag-ui", tool: "run" });
toolDefinitions("files", "gemini", { tools }) satisfies object[];
