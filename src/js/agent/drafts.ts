/**
 * `BlockDrafts`: shows the calls of a tool block while they still arrive, as drafts that the store keeps until they are
 * discarded.
 */
import type { ToolPatchEvent } from "../blocks/types.js";
import type { OpenDraft } from "../store/drafts.js";
import type { DraftOpener } from "../tools/tool-set.js";
import type { PatchOperation } from "../types.js";

/** A draft that is shown. */
interface ShownDraft {
  draft: OpenDraft;
  /** What has opened it. */
  owner: DraftOpener;
  /** How many patches of the call the draft has. */
  added: number;
  /** Stops listening for an abort. */
  unlisten(): void;
}

/** Decides whether a call may be shown before it is complete. `target` is the instance that it would change. */
export type DraftPolicy = (tool: string, target: string) => boolean;

export class BlockDrafts {
  /** The drafts that are shown, by `keyOf`. */
  readonly #open = new Map<string, ShownDraft>();

  constructor(
    /** Returns the opener of drafts for a tool's calls; `undefined` for a tool whose calls have no patches. */
    readonly ownerOf: (tool: string) => DraftOpener | undefined,
    readonly policy: DraftPolicy,
  ) {}

  /** Adds a patch to the draft of its call. The first patch opens the draft; an abort of the signal discards it. */
  add(event: ToolPatchEvent, tool: string, signal: AbortSignal | undefined): void {
    const { toolId, index, patchIndex, call, patch } = event;
    const key = keyOf(toolId, index);
    let shown = this.#open.get(key);
    // If the draft already has a patch with this index, a new message has begun, whose blocks have the same ids. The stream of the
    // message before it was abandoned without an end, and left its draft open.
    if (shown !== undefined && patchIndex < shown.added) {
      this.#discard(key);
      shown = undefined;
    }
    if (signal?.aborted) return;
    shown ??= this.#begin(key, call, tool, signal);
    if (shown === undefined) return;
    shown.added = patchIndex + 1;
    shown.draft.add(patch as unknown as PatchOperation);
  }

  /** Opens a draft; `undefined` if the tool has none, the target is still unknown, or the policy forbids it. */
  #begin(
    key: string,
    call: ToolPatchEvent["call"],
    tool: string,
    signal: AbortSignal | undefined,
  ): ShownDraft | undefined {
    const owner = this.ownerOf(tool);
    const target = owner?.targetOf(call);
    if (owner === undefined || target === undefined || !this.policy(tool, target)) return undefined;
    const discard = () => this.#discard(key);
    signal?.addEventListener("abort", discard);
    const unlisten = () => signal?.removeEventListener("abort", discard);
    const shown: ShownDraft = { draft: owner.open(call), owner, added: 0, unlisten };
    this.#open.set(key, shown);
    return shown;
  }

  /**
   * Passes the draft of a call to `execute`, which starts the call: it may take the place of the draft. A draft that is still
   * open then is discarded. Listeners get one event for both, so that the document does not flicker.
   */
  replace<Started>(toolId: string, index: number, execute: (draft: OpenDraft | undefined) => Started): Started {
    const shown = this.#forget(keyOf(toolId, index));
    if (shown === undefined) return execute(undefined);
    return shown.owner.batch(() => {
      try {
        return execute(shown.draft);
      } finally {
        shown.draft.discard();
      }
    });
  }

  /** Discards the drafts of all calls of a block. */
  discard(toolId: string): void {
    for (const key of [...this.#open.keys()]) if (key.startsWith(`${toolId}\n`)) this.#discard(key);
  }

  #discard(key: string): void {
    this.#forget(key)?.draft.discard();
  }

  /** Removes a draft from the list, and returns it. */
  #forget(key: string): ShownDraft | undefined {
    const shown = this.#open.get(key);
    this.#open.delete(key);
    shown?.unlisten();
    return shown;
  }
}

/** `index` is that of the call in its block. */
const keyOf = (toolId: string, index: number): string => `${toolId}\n${index}`;
