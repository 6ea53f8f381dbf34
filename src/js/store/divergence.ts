/** `Divergence`: whether a page's documents are those of the server, by the hashes that the server sends now and then. */
import { hashOfJson } from "../core/json-hash.js";
import { isObject } from "../core/kinds.js";
import type { PatchStore } from "../store.js";

/** Snapshots that are asked for because of one instance, one after the other, before the page goes on with what it has. */
const MOST_ASKED = 3;

export class Divergence {
  /** How often a snapshot was asked for because of an instance, since it last was as on the server. */
  readonly #asked = new Map<string, number>();

  constructor(private readonly store: Pick<PatchStore, "confirmed">) {}

  /** Whether a snapshot would help: an instance differs from its hash. Both have to be of the same revision. */
  differs(hashes: unknown): boolean {
    let isWorthAsking = false;
    for (const [name, hash] of Object.entries(isObject(hashes) ? hashes : {})) {
      if (hashOfJson(this.store.confirmed(name)) === hash) {
        this.#asked.delete(name);
        continue;
      }
      const asked = (this.#asked.get(name) ?? 0) + 1;
      this.#asked.set(name, asked);
      isWorthAsking ||= asked <= MOST_ASKED;
    }
    return isWorthAsking;
  }

  /** A new socket, perhaps to another server. */
  restart(): void {
    this.#asked.clear();
  }
}
