/** Blocks that a model was asked to correct, and what became of them. */
import { correctToolBlock, type ToolBlockEndEvent } from "genui-patch";
import { useCallback, useSyncExternalStore } from "react";
import { recordedCorrections } from "../data/corrections";
import { takeCalls } from "../files/work";
import { log } from "../log/log";
import { generate as askEndpoint, faultOf } from "../model/endpoint";
import type { Words } from "../words/words";
import { turnOf } from "./engine";

/** `by`: the name of the model; undefined for a recorded one. */
export type Correction = { by: string | undefined } & (
  | { state: "asking" }
  | { state: "over"; result: Awaited<ReturnType<typeof correctToolBlock>> }
  | { state: "failed"; why: Words }
);

type Generate = Parameters<typeof correctToolBlock>[1]["generate"];

const corrections = new WeakMap<ToolBlockEndEvent, Correction>();
const listeners = new Set<() => void>();

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useCorrection = (end: ToolBlockEndEvent | undefined): Correction | undefined =>
  useSyncExternalStore(
    subscribe,
    useCallback(() => end && corrections.get(end), [end]),
  );

function set(end: ToolBlockEndEvent, correction: Correction): void {
  corrections.set(end, correction);
  for (const listener of [...listeners]) listener();
}

/** Milliseconds that a recorded model takes to answer. */
const thinking = 900;

/** A recorded model for this block; undefined without a recorded answer. */
export function recordedModel({ path }: ToolBlockEndEvent): Generate | undefined {
  const answer = path === null ? undefined : recordedCorrections[path];
  if (answer === undefined) return undefined;
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, thinking));
    return answer;
  };
}

export const liveModel: Generate = askEndpoint;

/** Asks a model to correct a block. Its answer is validated like any block. */
export async function correct(end: ToolBlockEndEvent, by: string | undefined, generate: Generate): Promise<void> {
  set(end, { state: "asking", by });
  const subject = `${end.toolId} · ${by ?? "recorded"}`;
  log("chat", "correct", subject);
  try {
    const result = await correctToolBlock(end.raw, { generate });
    set(end, { state: "over", by, result });
    log("chat", result.corrected ? "corrected" : "not-corrected", subject, {
      tone: result.corrected ? "good" : "bad",
      detail: result,
    });
    const { call, calls } = result.report;
    if (result.corrected) takeCalls(calls ?? (call ? [call] : []), turnOf(end));
  } catch (error) {
    set(end, { state: "failed", by, why: faultOf(error) });
    log("chat", "correction-failed", `${end.toolId} · ${error}`, { tone: "bad" });
  }
}
