/** `Divergence`: whether a page's documents are those of the server, by the hashes that the server sends now and then. */
import { hashOfJson } from "../core/json-hash.js";
import { isObject } from "../core/kinds.js";
import type { PatchStore } from "../store.js";

/** How many snapshots in a row the page requests because of one instance. After that it keeps its document. */
const MOST_ASKED = 3;

export class Divergence {
  /** How often a snapshot was requested because of an instance, since it last equalled the server's. */
  readonly #asked = new Map<string, number>();

  constructor(private readonly store: Pick<PatchStore, "confirmed">) {}

  /** Whether a snapshot would help: an instance differs from its hash. The hashes must be of the page's revision. */
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

  /** Starts counting again: a new socket may lead to another server. */
  restart(): void {
    this.#asked.clear();
  }
}
