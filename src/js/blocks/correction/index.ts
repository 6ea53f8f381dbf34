/** Correcting tool blocks by a model: what it is asked, what is made of its answer, and the same within a stream. */
export type {
  CorrectedToolBlock,
  CorrectionOptions,
  CorrectToolBlockOptions,
  Generate,
  GenerateRequest,
} from "./correct.js";
export { correctToolBlock } from "./correct.js";
export type { CorrectionPrompt } from "./prompt.js";
export { correctionPrompt } from "./prompt.js";
export type { ToolBlockTransformOptions } from "./transform.js";
export { toolBlockTransform } from "./transform.js";
