/** `genui-patch/ag-ui`: the page's and the agent's side of AG-UI, versions 1.0 and 1.1. */
export type { SettledInterrupt, SettleOptions } from "./interrupts.js";
export { interruptsOf, settleInterrupts } from "./interrupts.js";
export type { AgUiOutcome, AgUiThreadOptions, AgUiWarning, AnswerOptions } from "./thread.js";
export { AgUiThread } from "./thread.js";
export type { Interrupt, InterruptProposal, ResumeEntry } from "./types.js";
