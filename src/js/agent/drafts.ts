/**
 * `BlockDrafts`: shows the calls of a tool block while they still arrive, as drafts that the store keeps until they are
 * discarded.
 */
import type { ToolPatchEvent } from "../blocks/types.js";
import type { DraftOpener } from "./tool-set.js";

/** A draft that is shown. */
interface OpenDraft {
  draft: ReturnType<DraftOpener["open"]>;
  /** How many patches of the call the draft has. */
  added: number;
  /** Stops listening for an abort. */
  unlisten(): void;
}

/** Decides whether a call may be shown before it is complete. `target` is the instance that it would change. */
export type DraftPolicy = (tool: string, target: string) => boolean;

export class BlockDrafts {
  /** The drafts that are shown, by `keyOf`. */
  readonly #open = new Map<string, OpenDraft>();

  constructor(
    /** Returns the opener of drafts for a tool's calls; `undefined` for a tool whose calls have no patches. */
    readonly ownerOf: (tool: string) => DraftOpener | undefined,
    readonly policy: DraftPolicy,
  ) {}

  /** Adds a patch to the draft of its call. The first patch opens the draft; an abort of the signal discards it. */
  add(event: ToolPatchEvent, tool: string, signal: AbortSignal | undefined): void {
    const { toolId, index, patchIndex, call, patch } = event;
    const key = keyOf(toolId, index);
    let openDraft = this.#open.get(key);
    // If the draft already has a patch with this index, a new message has begun, whose blocks have the same ids. The stream of the
    // message before it was abandoned without an end, and left its draft open.
    if (openDraft !== undefined && patchIndex < openDraft.added) {
      this.end(toolId, index);
      openDraft = undefined;
    }
    if (signal?.aborted) return;
    openDraft ??= this.#begin(key, call, tool, signal);
    if (openDraft === undefined) return;
    openDraft.added = patchIndex + 1;
    openDraft.draft.add(patch);
  }

  /** Opens a draft; `undefined` if the tool has none, the target is still unknown, or the policy forbids it. */
  #begin(
    key: string,
    call: ToolPatchEvent["call"],
    tool: string,
    signal: AbortSignal | undefined,
  ): OpenDraft | undefined {
    const owner = this.ownerOf(tool);
    const target = owner?.targetOf(call);
    if (owner === undefined || target === undefined || !this.policy(tool, target)) return undefined;
    const discard = () => this.#discard(key);
    signal?.addEventListener("abort", discard);
    const unlisten = () => signal?.removeEventListener("abort", discard);
    const openDraft: OpenDraft = { draft: owner.open(call), added: 0, unlisten };
    this.#open.set(key, openDraft);
    return openDraft;
  }

  /**
   * Discards the draft of a call, or without `index` the drafts of all calls of a block, then calls `run`. Listeners get one event
   * for both, so that the document does not flicker when `run` executes the call.
   */
  end(toolId: string, index?: number, run: () => void = () => {}): void {
    const keys = [...this.#open.keys()].filter((key) =>
      index === undefined ? key.startsWith(`${toolId}\n`) : key === keyOf(toolId, index),
    );
    // All drafts are of one store, so any of them can group its events.
    const [anyDraft] = keys.flatMap((key) => this.#open.get(key)?.draft ?? []);
    const replace = () => {
      for (const key of keys) this.#discard(key);
      run();
    };
    if (anyDraft === undefined) replace();
    else anyDraft.batch(replace);
  }

  #discard(key: string): void {
    const openDraft = this.#open.get(key);
    if (openDraft === undefined) return;
    this.#open.delete(key);
    openDraft.unlisten();
    openDraft.draft.discard();
  }
}

/** `index` is that of the call in its block. */
const keyOf = (toolId: string, index: number): string => `${toolId}\n${index}`;
