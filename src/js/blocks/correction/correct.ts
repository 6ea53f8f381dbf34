/** Corrects a tool block: first by the repair, then by a model. */
import { ANY, type ArgumentKind, FUNCTION, requireKind, requireOptions, requireText } from "../../core/require.js";
import { repairToolBlock } from "../repair.js";
import { ToolBlockStream, validateToolBlock } from "../stream.js";
import type { CorrectedToolBlock, CorrectionOptions, CorrectToolBlockOptions, ToolBlockOptions } from "../types.js";
import { departures, type Intent, intentOf } from "./intent.js";
import { correctionPrompt } from "./prompt.js";

/** A valid block and the report on it. */
type ValidBlock = Pick<CorrectedToolBlock, "content" | "report">;

/** The kinds of the options with which a model is asked. */
export const CORRECTION: { readonly [key in keyof CorrectionOptions]-?: ArgumentKind } = {
  generate: FUNCTION,
  maxAttempts: ["a whole number from 0", (value) => Number.isInteger(value) && (value as number) >= 0],
  signal: ["an AbortSignal", (value) => typeof (value as Partial<AbortSignal> | null)?.throwIfAborted === "function"],
};

/**
 * Corrects a block: by the repair if that is enough, else by asking the model, whose answer is validated like any block.
 * Returns a block unchanged if it is valid, cannot be corrected, or was truncated: the missing part would be invented.
 *
 * ```ts
 * const { content, report, by } = await correctToolBlock(block, {
 *   generate: ({ system, signal, ...request }) =>
 *     generateText({ model, instructions: system, ...request, abortSignal: signal }).then((result) => result.text),
 * });
 * ```
 * Rejects with the signal's reason when it is aborted; no answer of the model rejects.
 */
export async function correctToolBlock<Name extends string = never>(
  block: string,
  options: CorrectToolBlockOptions<Name>,
): Promise<CorrectedToolBlock<Name>>;
export async function correctToolBlock(block: string, options: CorrectToolBlockOptions): Promise<CorrectedToolBlock> {
  const method = "correctToolBlock";
  requireText(method, "block", block);
  requireOptions(method, options, { ...CORRECTION, tools: ANY, policy: ANY, limits: ANY });
  requireKind(method, "generate", options.generate, FUNCTION);
  const { generate, maxAttempts, signal, ...blockOptions } = options;
  const report = validateToolBlock(block, blockOptions);
  signal?.throwIfAborted();
  if (report.isValid) return { corrected: false, content: block, report, attempts: 0 };
  const repaired = repairToolBlock(block, blockOptions);
  if (repaired.report.isValid)
    return { corrected: true, by: "repair", ...inFence(repaired, blockOptions), attempts: 0 };
  return correctByModel(block, report, { generate, maxAttempts, signal }, blockOptions);
}

/**
 * Asks the model to correct a refused block, whose report is `report`. Each further attempt also tells the model what was wrong with
 * its last answer. Resolves with `corrected: false` if no answer is valid. `blockOptions`: by which the block was read.
 */
export async function correctByModel(
  block: string,
  report: CorrectedToolBlock["report"],
  { generate, maxAttempts = 1, signal }: CorrectionOptions,
  blockOptions: ToolBlockOptions,
): Promise<CorrectedToolBlock> {
  const failure = { corrected: false, content: block, report };
  // The missing part of a truncated block would be invented, and a block over the limit would not fit into the prompt.
  if (report.issues.some(({ code }) => code === "TRUNCATED" || code === "LIMIT_EXCEEDED"))
    return { ...failure, attempts: 0 };
  // Faults that the repair can mend may hide further errors.
  const repaired = repairToolBlock(block, blockOptions);
  const blockErrors = [...new Set([...report.errors, ...repaired.report.errors])];
  const intent = intentOf(repaired, blockOptions);
  let errors = blockErrors;
  for (let attempts = 1; attempts <= maxAttempts; attempts++) {
    signal?.throwIfAborted();
    const request = { ...correctionPrompt(block, errors, { tools: blockOptions.tools }), signal };
    // Called in a promise: an attempt fails in the same way if `generate` throws or rejects.
    const response = new Promise<unknown>((resolve) => resolve(generate(request))).catch(() => undefined);
    const answer = await orReject(response, signal);
    const result = typeof answer === "string" ? readAnswer(answer, intent, blockOptions) : ["there was none"];
    if (!Array.isArray(result)) return { corrected: true, by: "model", ...result, attempts };
    errors = [...blockErrors, ...result.map((error) => `Of the answer before this one: ${error}`)];
  }
  return { ...failure, attempts: maxAttempts };
}

/** Settles as `work` does, or rejects with the reason as soon as the signal is aborted: `work` may ignore the signal. */
export function orReject<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** The single valid block of an answer that keeps the intent of the refused one, or the errors of the answer. */
function readAnswer(answer: string, intent: Intent, blockOptions: ToolBlockOptions): ValidBlock | string[] {
  const result = blockIn(answer, blockOptions);
  const errors = Array.isArray(result) ? result : departures(intent, result.report, blockOptions);
  return errors.length > 0 ? errors : result;
}

/** The only valid block of an answer, which may be JSON without a fence; else the errors. */
function blockIn(answer: string, blockOptions: ToolBlockOptions): ValidBlock | string[] {
  const asJson = repairToolBlock(answer.trim(), blockOptions);
  if (asJson.report.isValid && asJson.report.jsonStart === 0) return inFence(asJson, blockOptions);
  const stream = new ToolBlockStream(blockOptions);
  const events = [...stream.push(answer), ...stream.end()];
  stream.dispose();
  const blocks = events.filter((event) => event.type === "json-tool-block");
  const [validBlock, ...otherValidBlocks] = blocks.filter(({ call, calls }) => call ?? calls);
  if (otherValidBlocks.length > 0) return ["there were several blocks"];
  return validBlock ? withReport(validBlock.content, blockOptions) : (blocks[0]?.errors ?? asJson.report.errors);
}

/** JSON without a fence gets one; no line of it can be a fence, since strings of valid JSON have no line ends. */
function inFence({ text, report }: ReturnType<typeof repairToolBlock>, blockOptions: ToolBlockOptions): ValidBlock {
  return report.jsonStart > 0 ? { content: text, report } : withReport(`\`\`\`json\n${text}\n\`\`\``, blockOptions);
}

/** A block with the report on it. */
function withReport(content: string, blockOptions: ToolBlockOptions): ValidBlock {
  return { content, report: validateToolBlock(content, blockOptions) };
}
