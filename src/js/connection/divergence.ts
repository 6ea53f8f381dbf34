/** `Divergence`: whether a page's documents are those of the server, by the hashes that the server sends now and then. */
import { hashOfJson } from "../core/json-hash.js";
import { isObject } from "../core/kinds.js";
import type { PatchStore } from "../store.js";

/** How many snapshots in a row the page requests because of one instance. After that it keeps its document. */
const MAX_REQUESTS = 3;

export class Divergence {
  /** By name of an instance: how often its hash has differed since it last equalled the server's. */
  readonly #differences = new Map<string, number>();

  constructor(private readonly store: Pick<PatchStore, "confirmed">) {}

  /**
   * Whether to request a snapshot, since an instance differs from the server's. `hashes`: those of the server's documents by name
   * of the instance, at the revision that the page has applied.
   */
  differs(hashes: unknown): boolean {
    let isSnapshotNeeded = false;
    for (const [name, hash] of Object.entries(isObject(hashes) ? hashes : {})) {
      if (hashOfJson(this.store.confirmed(name)) === hash) {
        this.#differences.delete(name);
        continue;
      }
      const count = (this.#differences.get(name) ?? 0) + 1;
      this.#differences.set(name, count);
      isSnapshotNeeded ||= count <= MAX_REQUESTS;
    }
    return isSnapshotNeeded;
  }

  /** Starts counting again: a new socket may lead to another server. */
  restart(): void {
    this.#differences.clear();
  }
}
