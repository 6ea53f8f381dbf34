/** `hashOfJson`: a short text that equal JSON values share, whatever the order of their keys. */
import { isObject } from "./kinds.js";

/**
 * A hash of 64 bits: two hashes of 32 bits, one as FNV-1a and one as MurmurHash compute it, with their constants. It finds
 * accidental differences; it does not protect against forgery.
 */
class Hash {
  #fnv = 0x811c9dc5;
  #murmur = 0x9747b28c;

  /** `unitsLeft`: the UTF-16 units that may still be hashed; negative once the value is over the limit. */
  constructor(private unitsLeft: number) {}

  /** Whether the value is longer than the limit. The hash then has no meaning. */
  get isOver(): boolean {
    return this.unitsLeft < 0;
  }

  /** Adds a text. Its length is hashed first, so that the boundary between two texts counts. */
  add(text: string): void {
    // An empty text counts too: a value may have any number of them.
    this.unitsLeft -= text.length + 1;
    if (this.isOver) return;
    this.#mix(text.length);
    for (let index = 0; index < text.length; index++) this.#mix(text.charCodeAt(index));
  }

  /** Adds a number. */
  #mix(code: number): void {
    this.#fnv = Math.imul(this.#fnv ^ code, 0x01000193);
    this.#murmur = Math.imul((this.#murmur << 13) | (this.#murmur >>> 19), 5) ^ Math.imul(code + 1, 0x85ebca6b);
  }

  /** The hash so far in 16 hexadecimal digits. */
  get text(): string {
    return [this.#fnv, this.#murmur].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
  }
}

/** Adds a value: a list or an object with its length, a scalar with its type, so that e.g. `1` and `"1"` differ. */
function addValue(hash: Hash, value: unknown): void {
  if (hash.isOver) return;
  if (Array.isArray(value)) {
    hash.add(`[${value.length}`);
    for (const item of value) addValue(hash, item);
  } else if (isObject(value)) {
    const keys = Object.keys(value).sort();
    hash.add(`{${keys.length}`);
    for (const key of keys) {
      hash.add(key);
      addValue(hash, value[key]);
    }
  } else {
    hash.add(typeof value);
    hash.add(String(value));
  }
}

/** The hash of a JSON value; `undefined` for one whose texts are longer than `maxUnits` UTF-16 units together. */
export function hashOfJson(value: unknown, maxUnits = Number.POSITIVE_INFINITY): string | undefined {
  const hash = new Hash(maxUnits);
  addValue(hash, value);
  return hash.isOver ? undefined : hash.text;
}
