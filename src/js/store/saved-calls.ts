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

/** Milliseconds from a change to the saving, so that one save covers several changes. */
const COLLECT = 100;

const isCall = (value: unknown): value is PatchCall =>
  isObject(value) && (isText(value.instance_name) || isText(value.instanceId));
const isSavedCall = (value: unknown): value is SavedCall =>
  isObject(value) && isText(value.pendingId) && isCall(value.call);

export class SavedCalls {
  /** Calls of the page before the reload, until the server has said which of them it has. */
  #old: SavedCall[] = [];
  isLoading = true;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly storage: PendingStorage,
    private readonly key: string,
    onLoaded: () => void,
  ) {
    void this.#load().then(onLoaded);
  }

  async #load(): Promise<void> {
    try {
      const saved: unknown = parseJson((await this.storage.getItem(this.key)) ?? "");
      if (Array.isArray(saved)) this.#old = saved.filter(isSavedCall);
    } catch {
      // Without access to the storage the page goes on without its old calls.
    }
    this.isLoading = false;
  }

  /** The ids of all calls that the server may have. */
  ids(store: Pick<PatchStore, "pending">): string[] {
    const current = store.pending().filter(({ sent }) => sent);
    return [...this.#old, ...current].map(({ pendingId }) => pendingId);
  }

  /** Removes and returns the calls from before the reload that the server does not have. The store gives them new ids. */
  drain(settles: readonly string[]): PatchCall[] {
    const open = this.#old.filter(({ pendingId }) => !settles.includes(pendingId));
    this.#old = [];
    return open.map(({ call }) => call);
  }

  saveSoon(store: Pick<PatchStore, "pending">): void {
    this.#timer ??= setTimeout(() => this.#save(store.pending()), COLLECT);
  }

  #save(pending: readonly PendingCall[]): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const unconfirmed = pending
      .filter(({ confirmed }) => !confirmed)
      .map(({ pendingId, call }) => ({ pendingId, call }));
    try {
      const done = this.storage.setItem(this.key, JSON.stringify([...this.#old, ...unconfirmed]));
      if (done instanceof Promise) done.catch(() => {});
    } catch {
      // A storage that is full: the calls are still in the store.
    }
  }

  close(store: Pick<PatchStore, "pending">): void {
    if (this.#timer !== undefined && !this.isLoading) this.#save(store.pending());
    clearTimeout(this.#timer);
  }
}
