/** Drafts: calls that are shown while they still arrive, and roll back if they turn out to be wrong. */
import { parseJson, toText } from "../core/json.js";
import { storeModule } from "../core/store-module.js";
import type { OptimisticResult, PatchCall, PatchOperation, PatchResult } from "../types.js";
import type { Source } from "./history-types.js";
import type { StoreCore } from "./store-core.js";

/** A call that is still arriving. */
export interface Draft {
  /** The instance that it changes, or would create. */
  readonly instance_name: string;
  /** Whether it was neither committed nor discarded, and still takes patches. */
  readonly isOpen: boolean;
  /**
   * Shows a patch. One that fails is an error; nothing of it is shown, and the patches after it may still be added. A draft
   * that could not be opened answers the reason, as does one that a server's push has overtaken.
   */
  add(patch: PatchOperation): PatchResult;
  /**
   * Ends the draft and applies the call: the one given, or the patches that were added. The result is that of `apply` at
   * this moment; where it is an error, nothing of the draft remains.
   */
  commit(call?: PatchCall | string): PatchResult;
  /** Ends the draft. The user's edits that depend on nothing of it remain; the others are `conflicts` of the result. */
  discard(): PatchResult;
}

/** The drafts of a store. */
export class Drafts {
  readonly #open = new Set<OpenDraft>();
  #names: readonly string[] = Object.freeze([]);
  /** The pending ids of edits that the user made in what only a draft has. They are confirmed when the last draft ends. */
  readonly #held = new Set<string>();
  /** Whether a call takes the place of its draft: what goes with the draft is about to be made again. */
  isReplacing = false;

  names(): readonly string[] {
    return this.#names;
  }

  set(draft: OpenDraft, isOpen: boolean): void {
    if (isOpen) this.#open.add(draft);
    else this.#open.delete(draft);
    const names = new Set([...this.#open].map(({ instance_name }) => instance_name));
    if (names.size !== this.#names.length || this.#names.some((name) => !names.has(name)))
      this.#names = Object.freeze([...names]);
  }

  /** Applies an edit over the draft, where what it changes exists. It is confirmed with the draft's own call. */
  hold(core: StoreCore, call: unknown, by: Source | undefined): OptimisticResult {
    const result = core.applyOptimistic(call, by);
    if (result.status === "success" && result.pendingId !== undefined) this.#held.add(result.pendingId);
    return result;
  }

  holds(pendingId: string): boolean {
    return this.#held.has(pendingId);
  }

  /** Confirms the edits in instances that have no draft any more, and forgets those that went with theirs. */
  settle(core: StoreCore): void {
    if (this.#held.size === 0) return;
    const pending = new Map(core.pending().map((call) => [call.pendingId, call.instance_name]));
    for (const id of this.#held) {
      const name = pending.get(id);
      if (name !== undefined && this.#names.includes(name)) continue;
      this.#held.delete(id);
      if (name !== undefined) core.run("confirm", (raw) => raw.confirm(storeModule.send(id)));
    }
  }
}

/**
 * Runs a function that discards drafts and applies their calls, with one event for each instance. Edits of the user that go
 * with a draft, such as those in an instance that it creates, are made again on the instance as the call leaves it.
 */
export function replaceDraft(core: StoreCore, run: () => void): void {
  const { drafts } = core;
  core.batch(() => {
    const before = core.pending().map((pending) => ({ ...pending, by: core.callerOf(pending.pendingId) }));
    drafts.isReplacing = true;
    try {
      run();
    } finally {
      drafts.isReplacing = false;
    }
    const kept = new Set(core.pending().map(({ pendingId }) => pendingId));
    for (const { pendingId, call, by } of before) {
      if (kept.has(pendingId)) continue;
      if (drafts.holds(pendingId)) core.apply(call, by);
      else core.applyOptimistic(call, by);
    }
    drafts.settle(core);
  });
}

export function openDraft(core: StoreCore, call: PatchCall, by: Source): Draft {
  const { patches = [], ...others } = call;
  const draft = new OpenDraft(core, others, by);
  for (const patch of patches) draft.add(patch);
  return draft;
}

class OpenDraft implements Draft {
  readonly instance_name: string;
  readonly #core: StoreCore;
  readonly #call: PatchCall;
  readonly #by: Source;
  readonly #patches: PatchOperation[] = [];
  /** The answer to the opening: an error where it failed. */
  readonly #opened: PatchResult & { pendingId?: string };
  #isOpen = true;

  constructor(core: StoreCore, call: PatchCall, by: Source) {
    this.#core = core;
    this.#call = call;
    this.#by = by;
    this.#opened = core.send(
      { ...call, patches: [] },
      { what: "call", origin: "optimistic", call: (raw, bytes) => raw.open_draft(bytes), by: { ...by, draft: "" } },
    );
    this.instance_name = this.#opened.instance_name ?? "";
    if (this.isOpen) this.#mark(true);
  }

  get isOpen(): boolean {
    return this.#isOpen && this.#opened.pendingId !== undefined;
  }

  add(patch: PatchOperation): PatchResult {
    const text = toText(patch, "patch");
    const { pendingId } = this.#opened;
    if (pendingId === undefined) return this.#opened;
    // A copy: the caller may change the patch before the commit.
    this.#patches.push(parseJson(text) as unknown as PatchOperation);
    const refused = this.#core.refuseLong(text);
    if (refused !== undefined) return { ...refused, instance_name: this.instance_name };
    const extend = () => storeModule.sendNamed(pendingId, text);
    return this.#core.run("optimistic", (raw) => raw.extend_draft(extend()), {
      by: { ...this.#by, draft: pendingId },
    });
  }

  commit(call: PatchCall | string = { ...this.#call, patches: this.#patches }): PatchResult {
    let result: PatchResult = this.#opened;
    replaceDraft(this.#core, () => {
      this.discard();
      result = this.#core.apply(call, this.#by);
    });
    return result;
  }

  discard(): PatchResult {
    const { pendingId } = this.#opened;
    if (pendingId === undefined || !this.#isOpen) return this.#opened;
    this.#isOpen = false;
    const result = this.#core.run("reject", (raw) => raw.reject(storeModule.send(pendingId)), {
      by: { ...this.#by, ends: pendingId },
    });
    this.#mark(false);
    if (!this.#core.drafts.isReplacing) this.#core.drafts.settle(this.#core);
    return result;
  }

  /** Whether the draft is open shows in `drafts()`, which listeners read again after an event. */
  #mark(isOpen: boolean): void {
    this.#core.drafts.set(this, isOpen);
    const revision = this.#core.revision(this.instance_name);
    this.#core.emit("pending", this.instance_name, { revision, by: this.#by }, "optimistic");
  }
}
