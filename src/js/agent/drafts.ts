/** Shows the calls of a block while they still arrive, as drafts. */
import type { ToolPatchEvent } from "../blocks/types.js";
import type { DraftOpener } from "./tool-set.js";

interface Open {
  draft: ReturnType<DraftOpener["open"]>;
  /** How many of the block's patches it has taken. */
  taken: number;
  /** Stops listening for an abort. */
  unlisten(): void;
}

/** Decides whether a call may be shown before it is whole. */
export type DraftPolicy = (tool: string, target: string) => boolean;

export class BlockDrafts {
  /** By the id of the block and the place of the call in it. */
  readonly #open = new Map<string, Open>();

  constructor(
    /** The owner of a tool's documents; nothing for a tool whose calls have no patches. */
    readonly ownerOf: (tool: string) => DraftOpener | undefined,
    readonly policy: DraftPolicy,
  ) {}

  /** Adds a patch to the draft of its call, which opens with the first one. */
  add(event: ToolPatchEvent, tool: string, signal: AbortSignal | undefined): void {
    const { toolId, index, patchIndex, call, patch } = event;
    const key = keyOf(toolId, index);
    let open = this.#open.get(key);
    // The ids of blocks repeat from one message to the next: a message that was never ended leaves its draft open.
    if (open !== undefined && patchIndex < open.taken) {
      this.end(toolId, index);
      open = undefined;
    }
    if (signal?.aborted) return;
    open ??= this.#begin(key, call, tool, signal);
    if (open === undefined) return;
    open.taken = patchIndex + 1;
    open.draft.add(patch);
  }

  #begin(key: string, call: ToolPatchEvent["call"], tool: string, signal: AbortSignal | undefined): Open | undefined {
    const owner = this.ownerOf(tool);
    const target = owner?.targetOf(call);
    if (owner === undefined || target === undefined || !this.policy(tool, target)) return undefined;
    const discard = () => this.#discard(key);
    signal?.addEventListener("abort", discard);
    const unlisten = () => signal?.removeEventListener("abort", discard);
    const open: Open = { draft: owner.open(call), taken: 0, unlisten };
    this.#open.set(key, open);
    return open;
  }

  /** Ends the draft of a call, or of all calls of a block, and runs what takes its place before any event is emitted. */
  end(toolId: string, index?: number, run: () => void = () => {}): void {
    const keys = [...this.#open.keys()].filter((key) =>
      index === undefined ? key.startsWith(`${toolId}\n`) : key === keyOf(toolId, index),
    );
    const [first] = keys.flatMap((key) => this.#open.get(key)?.draft ?? []);
    const replace = () => {
      for (const key of keys) this.#discard(key);
      run();
    };
    if (first === undefined) replace();
    else first.batch(replace);
  }

  #discard(key: string): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    this.#open.delete(key);
    open.unlisten();
    open.draft.discard();
  }
}

const keyOf = (toolId: string, index: number): string => `${toolId}\n${index}`;
