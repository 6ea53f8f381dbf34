/** Drafts: calls that are shown while they still arrive, and roll back if they turn out to be wrong. */
import { parseJson, toText } from "../core/json.js";
import { isObject } from "../core/kinds.js";
import { storeModule } from "../core/store-module.js";
import type { RawStore } from "../generated/store.js";
import type { PatchCall, PatchOperation, PatchResult, PendingCall } from "../types.js";
import type { Source } from "./history-types.js";
import type { StoreCore } from "./store-core.js";

/** A call that is still arriving. */
export interface Draft {
  /** The instance that it changes, or would create. */
  readonly instance_name: string;
  /** Whether it was neither committed nor discarded, and still takes patches. */
  readonly isOpen: boolean;
  /**
   * Shows a patch. A patch that fails is an error; nothing of it is shown, and the patches after it may still be added. The
   * result is always an error if the draft could not be opened, or if it no longer applies after a message of the server.
   */
  add(patch: PatchOperation): PatchResult;
  /**
   * Ends the draft and applies the call: the one given, or the patches that were added. The result is that of `apply` at
   * this moment; where it is an error, nothing of the draft remains.
   */
  commit(call?: PatchCall | string): PatchResult;
  /** Ends the draft. User edits that depend on it are dropped, and are `conflicts` of the result; the others remain. */
  discard(): PatchResult;
}

/** A draft that has ended in JavaScript, and not yet in the module. */
interface EndedDraft {
  /** The id of the draft in the module. */
  pendingId: string;
  instance_name: string;
}

/**
 * The drafts of a store, and the user's edits of instances or values that exist only in a draft. Such an edit, and each later one
 * in the same instance, is a held edit: a pending call that the store itself confirms when the last draft of the instance ends.
 */
export class Drafts {
  readonly #openDrafts = new Set<OpenDraft>();
  /** The names of the instances that have open drafts: the same list until they change. */
  #names: readonly string[] = Object.freeze([]);

  constructor(private readonly core: StoreCore) {}

  names(): readonly string[] {
    return this.#names;
  }

  /** Lists a draft if it is open, else unlists it. */
  update(draft: OpenDraft): void {
    if (draft.isOpen) this.#openDrafts.add(draft);
    else this.#openDrafts.delete(draft);
    const names = new Set([...this.#openDrafts].map(({ instance_name }) => instance_name));
    if (names.size !== this.#names.length || this.#names.some((name) => !names.has(name)))
      this.#names = Object.freeze([...names]);
  }

  /**
   * Whether an edit of an instance may be held: the instance has a draft, only drafts and held edits are pending in it, and the
   * page has no connection.
   */
  canHold(name: string): boolean {
    // A page with a connection sends its pending calls, so the server decides on them.
    const isDraftAlone = this.core.connections === 0 && this.#names.includes(name);
    return isDraftAlone && this.core.pendingCalls.list(name).every(this.#isHeld);
  }

  /**
   * Whether edits are held in the instance of a call, which is JSON text. If the call were applied to the confirmed document,
   * these edits could hide it.
   */
  hasHeldEdits(call: string): boolean {
    if (this.#names.length === 0) return false;
    const parsed = parseJson(call);
    if (!isObject(parsed)) return false;
    const target = parsed.instance_name ?? parsed.instanceId;
    return this.#heldEdits().some(({ instance_name: name }) => name === target);
  }

  readonly #isHeld = ({ pendingId }: PendingCall) => this.core.pendingCalls.callerOf(pendingId)?.isHeld;

  #heldEdits(): PendingCall[] {
    return this.core.pendingCalls.list().filter(this.#isHeld);
  }

  /** Applies a call, which is JSON text, in place of a draft that has ended. The result is that of the call alone. */
  commit({ pendingId, instance_name: name }: EndedDraft, call: string, by: Source): PatchResult {
    const { core } = this;
    // For the result: the module reports only the changes that the draft has not shown already.
    const { changes } = core.preview(call);
    const commitDraft = (raw: RawStore) => raw.commit_draft(storeModule.sendNamed(pendingId, call));
    const result = core.run("apply", commitDraft, { by: { ...by, commits: pendingId } });
    // The module has ended the draft only if the call succeeded in its instance.
    if (result.status === "error" || result.instance_name !== name) this.end(pendingId, by);
    return { ...this.#confirmHeldEdits(result), ...(changes && { changes }) };
  }

  /** Reverts a draft or a held edit of this author, and confirms held edits that no longer wait for a draft. */
  end(pendingId: string, { author }: Source): PatchResult {
    const by = { author, ends: pendingId };
    return this.#confirmHeldEdits(this.core.run("reject", (raw) => raw.reject(storeModule.send(pendingId)), { by }));
  }

  /**
   * Reverts held undos of edits that a change has dropped: without these edits they make no sense. Returns the result of the
   * change.
   */
  dropUndos(result: PatchResult): PatchResult {
    const droppedIds = result.status === "success" ? result.conflicts.map(({ pendingId }) => pendingId) : [];
    const isDropped = (id: string) => droppedIds.includes(id);
    if (droppedIds.length === 0) return result;
    // The last one first: it may be the undo of an undo.
    for (const { pendingId } of this.#heldEdits().reverse()) {
      const caller = this.core.pendingCalls.callerOf(pendingId);
      if (caller?.undoes?.some(isDropped)) this.end(pendingId, caller);
    }
    return result;
  }

  /** Confirms the held edits in instances that have no draft any more. Returns the result that it is given. */
  #confirmHeldEdits(result: PatchResult): PatchResult {
    this.dropUndos(result);
    for (const { pendingId, instance_name: name } of this.#heldEdits())
      if (!this.#names.includes(name)) this.core.run("confirm", (raw) => raw.confirm(storeModule.send(pendingId)));
    return result;
  }
}

/** Opens a draft, and adds the patches of the call to it. */
export function openDraft(core: StoreCore, call: PatchCall, by: Source): OpenDraft {
  const { patches = [], ...others } = call;
  const draft = new OpenDraft(core, others, by);
  try {
    for (const patch of patches) draft.add(patch);
  } catch (cause) {
    // The caller gets no draft to discard.
    draft.discard();
    throw cause;
  }
  return draft;
}

/** The implementation of {@link Draft}. */
export class OpenDraft implements Draft {
  readonly instance_name: string;
  readonly #core: StoreCore;
  /** The call without its patches. */
  readonly #call: PatchCall;
  readonly #by: Source;
  readonly #patches: PatchOperation[] = [];
  /** The reply to the opening, with the id of the draft; an error, without an id, if the draft could not be opened. */
  readonly #openReply: PatchResult & { pendingId?: string };
  /** False once the draft was committed or discarded. */
  #isOpen = true;

  constructor(core: StoreCore, call: PatchCall, by: Source) {
    this.#core = core;
    this.#call = call;
    this.#by = by;
    // `draft` is empty: the id of the draft is only in the module's reply.
    this.#openReply = core.send(
      { ...call, patches: [] },
      {
        argument: "call",
        origin: "optimistic",
        sender: (raw, bytes) => raw.open_draft(bytes),
        by: { ...by, draft: "" },
      },
    );
    this.instance_name = this.#openReply.instance_name ?? "";
    if (this.isOpen) this.#report();
  }

  get isOpen(): boolean {
    return this.#isOpen && this.#openReply.pendingId !== undefined;
  }

  add(patch: PatchOperation): PatchResult {
    const text = toText(patch, "patch");
    const { pendingId } = this.#openReply;
    if (pendingId === undefined) return this.#openReply;
    // A copy: the caller may change the patch before the commit. Patches that are refused now are committed too, so that the
    // result of the commit says what is wrong with them.
    this.#patches.push(parseJson(text) as unknown as PatchOperation);
    const refused = this.#core.refuseLong(text);
    if (refused !== undefined) return { ...refused, instance_name: this.instance_name };
    const extendDraft = (raw: RawStore) => raw.extend_draft(storeModule.sendNamed(pendingId, text));
    const result = this.#core.run("optimistic", extendDraft, { by: { ...this.#by, draft: pendingId } });
    return this.#core.drafts.dropUndos(result);
  }

  commit(call: PatchCall | string = { ...this.#call, patches: this.#patches }): PatchResult {
    return this.replaceBy(call, this.#by);
  }

  /**
   * Ends the draft and applies a call in its place, as `by`: until then the draft stays, so that the user's edits over it are
   * never without what it has shown. Without an open draft, the call is applied alone.
   */
  replaceBy(call: unknown, by: Source): PatchResult {
    const { pendingId } = this.#openReply;
    if (pendingId === undefined || !this.#isOpen) return this.#core.apply(call, by);
    const text = typeof call === "string" ? call : toText(call, "call");
    return this.#core.batch(() => {
      this.#close();
      return this.#core.drafts.commit({ pendingId, instance_name: this.instance_name }, text, by);
    });
  }

  discard(): PatchResult {
    const { pendingId } = this.#openReply;
    if (pendingId === undefined || !this.#isOpen) return this.#openReply;
    this.#close();
    return this.#core.drafts.end(pendingId, this.#by);
  }

  #close(): void {
    this.#isOpen = false;
    this.#report();
  }

  /** Lists or unlists the draft, and emits an event, after which listeners read `store.drafts()` again. */
  #report(): void {
    this.#core.drafts.update(this);
    const revision = this.#core.revision(this.instance_name);
    this.#core.emit("pending", this.instance_name, { revision, by: this.#by }, "optimistic");
  }
}
