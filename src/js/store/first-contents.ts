/** `FirstContents`: what a page has loaded or restored first. A server has rendered the same, and React hydrates with it. */
import { getOrInsert } from "../core/kinds.js";
import type { Json, PendingCall } from "../types.js";
import { NO_CALLS } from "./pending-calls.js";

const isInPage = (): boolean => "document" in globalThis;

/**
 * Empty outside of pages: a server renders what its store contains at that moment. Snapshots share what does not change, so that
 * a first document takes little memory.
 */
export class FirstContents {
  /** By name of the instance. */
  readonly #documents = new Map<string, Json>();
  /** The calls that were pending when the page restored the store, of all instances. */
  #calls: readonly PendingCall[] = NO_CALLS;
  /** Cache of {@link pending} by name of the instance, "" for all. */
  readonly #callsOf = new Map<string, PendingCall[]>();

  addDocument(name: string, snapshot: Json | undefined): void {
    if (isInPage() && snapshot !== undefined) this.#documents.set(name, snapshot);
  }

  removeDocument(name: string): void {
    this.#documents.delete(name);
  }

  document(name: string): Json | undefined {
    return this.#documents.get(name);
  }

  setPending(calls: readonly PendingCall[]): void {
    if (isInPage()) this.#calls = calls;
  }

  /** The first pending calls of one instance or of all: the same list each time. `undefined` outside of pages. */
  pending(name: string | undefined): PendingCall[] | undefined {
    if (!isInPage()) return undefined;
    if (this.#calls.length === 0) return NO_CALLS;
    return getOrInsert(this.#callsOf, name ?? "", () =>
      this.#calls.filter(({ instance_name }) => name === undefined || instance_name === name),
    );
  }

  clear(): void {
    this.#documents.clear();
    this.#callsOf.clear();
    this.#calls = NO_CALLS;
  }
}
