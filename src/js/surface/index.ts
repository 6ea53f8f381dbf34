/** Surfaces: streams of GULF and A2UI, read and written. */
export * from "./flow.js";
export { type GulfPromptOptions, gulfSystemPrompt } from "./prompt.js";
export { SurfaceStream } from "./stream.js";
export type * from "./types.js";
export * from "./writer.js";
