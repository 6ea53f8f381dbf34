/** `SavedCalls`: pending calls that survive a reload of the page. */
import { parseJson } from "../core/json.js";
import { isObject, isText } from "../core/kinds.js";
import type { PatchStore } from "../store.js";
import type { PatchCall, PendingCall } from "../types.js";

/** `localStorage`, or a stand-in for it that may be asynchronous. */
export interface PendingStorage {
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>;
  setItem(key: string, text: string): unknown;
}

interface SavedCall {
  pendingId: string;
  call: PatchCall;
}

/** Milliseconds from a change until the calls are saved, so that one save covers several changes. */
const SAVE_DELAY = 100;

// Another program, or another version of the page, may have written to the storage.
const isCall = (value: unknown): value is PatchCall =>
  isObject(value) && (isText(value.instance_name) || isText(value.instanceId));
const isSavedCall = (value: unknown): value is SavedCall =>
  isObject(value) && isText(value.pendingId) && isCall(value.call);

export class SavedCalls {
  /** Calls from before the reload, until a snapshot says which of them the server has. They are saved again with the new ones. */
  #oldCalls: SavedCall[] = [];
  /** True until the storage was read, or has failed. */
  isLoading = true;
  readonly #loading: Promise<void>;
  /** Set while a save is due. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly storage: PendingStorage,
    private readonly key: string,
    onLoaded: () => void,
  ) {
    this.#loading = this.#load();
    void this.#loading.then(onLoaded);
  }

  async #load(): Promise<void> {
    try {
      const saved: unknown = parseJson((await this.storage.getItem(this.key)) ?? "");
      if (Array.isArray(saved)) this.#oldCalls = saved.filter(isSavedCall);
    } catch {
      // Without access to the storage the page goes on without its old calls.
    }
    this.isLoading = false;
  }

  /** The ids of all calls that the server may have: those from before the reload, and those that were sent since. */
  ids(store: Pick<PatchStore, "pending">): string[] {
    const sentCalls = store.pending().filter(({ sent }) => sent);
    return [...this.#oldCalls, ...sentCalls].map(({ pendingId }) => pendingId);
  }

  /**
   * Removes and returns the calls from before the reload that the server does not have: all but those with the ids `settles`. The
   * store gives them new ids.
   */
  drain(settles: readonly string[]): PatchCall[] {
    const unsettled = this.#oldCalls.filter(({ pendingId }) => !settles.includes(pendingId));
    this.#oldCalls = [];
    return unsettled.map(({ call }) => call);
  }

  /**
   * Saves the pending calls after a moment. A save before the old calls are loaded would overwrite them, so it waits for them.
   */
  saveSoon(store: Pick<PatchStore, "pending">): void {
    const save = () => {
      // `close` may have saved the calls, or given up, in the meantime.
      if (this.#timer !== undefined) this.#save(store.pending());
    };
    this.#timer ??= setTimeout(() => void this.#loading.then(save), SAVE_DELAY);
  }

  #save(pending: readonly PendingCall[]): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const unconfirmed = pending
      .filter(({ confirmed }) => !confirmed)
      .map(({ pendingId, call }) => ({ pendingId, call }));
    try {
      const saving = this.storage.setItem(this.key, JSON.stringify([...this.#oldCalls, ...unconfirmed]));
      if (saving instanceof Promise) saving.catch(() => {});
    } catch {
      // A storage may be full. The calls are still in the store.
    }
  }

  /** Saves at once if a save is due and the old calls are loaded. */
  close(store: Pick<PatchStore, "pending">): void {
    if (this.#timer !== undefined && !this.isLoading) this.#save(store.pending());
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
