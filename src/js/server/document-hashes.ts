/** `DocumentHashes`: hashes of a room's documents that pages get now and then, so that one that differs asks for a snapshot. */
import { hashOfJson } from "../core/json-hash.js";
import type { PatchStore } from "../store.js";

/** Documents that are hashed at a time, and the length of the largest: hashing holds up everybody else. */
const MOST_AT_ONCE = 20;
const MOST_LENGTH = 2 ** 20;

export class DocumentHashes {
  readonly #changed = new Set<string>();
  readonly #tooLong = new Set<string>();
  /** Where the round through the documents that have not changed is. */
  #next = 0;

  changed(name: string | undefined): void {
    if (name !== undefined) this.#changed.add(name);
  }

  /** Hashes of the documents that have changed since the last call, and of another one each time. */
  take(store: Pick<PatchStore, "names" | "confirmed">): { [name: string]: string } {
    const names = store.names();
    const known = new Set(names);
    for (const name of this.#tooLong) if (!known.has(name)) this.#tooLong.delete(name);
    const chosen = [...this.#changed].filter((name) => known.has(name)).slice(0, MOST_AT_ONCE);
    for (const name of this.#changed) if (chosen.includes(name) || !known.has(name)) this.#changed.delete(name);
    const another = names[this.#next % Math.max(1, names.length)];
    this.#next += 1;
    const hashes: [string, string][] = [];
    for (const name of new Set(another === undefined ? chosen : [...chosen, another])) {
      if (this.#tooLong.has(name)) continue;
      const hash = hashOfJson(store.confirmed(name), MOST_LENGTH);
      if (hash === undefined) this.#tooLong.add(name);
      else hashes.push([name, hash]);
    }
    return Object.fromEntries(hashes);
  }
}
