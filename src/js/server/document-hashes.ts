/**
 * `DocumentHashes`: hashes of a room's documents that pages get now and then. A page whose documents differ asks for a snapshot.
 */
import { hashOfJson } from "../core/json-hash.js";
import type { PatchStore } from "../store.js";

/** Documents that are hashed at a time: hashing occupies the process. */
const MOST_DOCUMENTS = 20;
/** The length of the texts in a document that is hashed, in UTF-16 units. */
const MOST_LENGTH = 2 ** 20;

export class DocumentHashes {
  /** Names of instances that have changed since they were hashed last. */
  readonly #changedNames = new Set<string>();
  /** Names of instances that were too long once. They are not hashed again as long as they exist. */
  readonly #tooLongNames = new Set<string>();
  /**
   * The number of calls of `next`: each also hashes one document of the list of names, in turns, whether it has changed or not.
   */
  #round = 0;

  /** Notes that an instance has changed; `undefined` for a call that names none. */
  markChanged(name: string | undefined): void {
    if (name !== undefined) this.#changedNames.add(name);
  }

  /**
   * Hashes, by name, of documents that have changed since the last call, as many as the limit allows, and of the one whose turn
   * it is.
   */
  next(store: Pick<PatchStore, "names" | "confirmed">): { [name: string]: string } {
    const names = store.names();
    const existing = new Set(names);
    for (const name of this.#tooLongNames) if (!existing.has(name)) this.#tooLongNames.delete(name);
    // Names beyond the limit stay for the next call.
    const hashedNames = [...this.#changedNames].filter((name) => existing.has(name)).slice(0, MOST_DOCUMENTS);
    for (const name of this.#changedNames)
      if (hashedNames.includes(name) || !existing.has(name)) this.#changedNames.delete(name);
    const nameInTurn = names[this.#round % Math.max(1, names.length)];
    this.#round += 1;
    const hashes: [string, string][] = [];
    for (const name of new Set(nameInTurn === undefined ? hashedNames : [...hashedNames, nameInTurn])) {
      if (this.#tooLongNames.has(name)) continue;
      const hash = hashOfJson(store.confirmed(name), MOST_LENGTH);
      if (hash === undefined) this.#tooLongNames.add(name);
      else hashes.push([name, hash]);
    }
    return Object.fromEntries(hashes);
  }
}
