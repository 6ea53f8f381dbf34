/** GULF, written: lines from a server's own calls, or from those of a model. */
export * from "./flow.js";
export { type GulfPromptOptions, gulfSystemPrompt } from "./prompt.js";
export * from "./writer.js";
