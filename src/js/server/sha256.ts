/**
 * `sha256`: the hash of a text, synchronously. Node, Deno and Bun have such a function. Other platforms have only that of Web
 * Crypto, which is asynchronous, and whose call costs more than the hash of a short entry: for them the hash is computed here, as
 * FIPS 180-4 has it.
 */
import { isObject } from "../core/kinds.js";

/**
 * The constants of SHA-256: the first 32 bits of the fractional parts of the roots of the first primes. `exponent`: 1/3 for cube
 * roots, 1/2 for square roots.
 */
function fractions(count: number, exponent: number): Int32Array {
  const constants = new Int32Array(count);
  let filled = 0;
  for (let candidate = 2; filled < count; candidate++) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) if (candidate % divisor === 0) isPrime = false;
    if (!isPrime) continue;
    const root = candidate ** exponent;
    constants[filled] = ((root - Math.floor(root)) * 2 ** 32) | 0;
    filled += 1;
  }
  return constants;
}

/** The constant of each round, and the state before the first block. */
const ROUNDS = /* @__PURE__ */ fractions(64, 1 / 3);
const START = /* @__PURE__ */ fractions(8, 1 / 2);

const encoder = /* @__PURE__ */ new TextEncoder();

/** A word of 32 bits, rotated to the right. */
const rotateRight = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

type Hash = (text: string) => string;

/** The hash of the module `node:crypto`, several times as fast; `undefined` where none exists. */
function platformHash(): Hash | undefined {
  const platform: unknown = globalThis;
  const process = isObject(platform) ? platform.process : undefined;
  if (!isObject(process) || typeof process.getBuiltinModule !== "function") return undefined;
  const crypto: unknown = process.getBuiltinModule("node:crypto");
  if (!isObject(crypto) || typeof crypto.hash !== "function") return undefined;
  const { hash } = crypto;
  return (text) => String(hash("sha256", text, "hex"));
}

/** The function that `sha256` uses; `undefined` before its first call. */
let hashFunction: Hash | undefined;

/** The SHA-256 of the UTF-8 bytes of a text, as 64 hexadecimal digits. */
export function sha256(text: string): string {
  hashFunction ??= platformHash() ?? computedSha256;
  return hashFunction(text);
}

/** The same as `sha256`, computed here. */
export function computedSha256(text: string): string {
  const bytes = encoder.encode(text);
  // The bytes, 0x80, zeros, and the number of bits in the last 8 bytes, in blocks of 64 bytes.
  // 0x80 and the number of bits take 9 bytes: the blocks are (length + 9) / 64, rounded up.
  const blockCount = ((bytes.length + 8) >> 6) + 1;
  const padded = new Uint8Array(blockCount * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  // The number of bits, 8 * length, as two words of 32 bits.
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  const state = Int32Array.from(START);
  for (let at = 0; at < padded.length; at += 64) mix(state, view, at);
  let digest = "";
  for (const word of state) digest += (word >>> 0).toString(16).padStart(8, "0");
  return digest;
}

/** The message schedule of a block. One array serves all blocks. */
const words = /* @__PURE__ */ new Int32Array(64);

/** Mixes the block at an offset into the state. The names are those of the standard. */
function mix(state: Int32Array, view: DataView, at: number): void {
  for (let index = 0; index < 16; index++) words[index] = view.getInt32(at + index * 4);
  for (let index = 16; index < 64; index++) {
    const w15 = words[index - 15] ?? 0;
    const w2 = words[index - 2] ?? 0;
    const sigma0 = rotateRight(w15, 7) ^ rotateRight(w15, 18) ^ (w15 >>> 3);
    const sigma1 = rotateRight(w2, 17) ^ rotateRight(w2, 19) ^ (w2 >>> 10);
    words[index] = ((words[index - 16] ?? 0) + sigma0 + (words[index - 7] ?? 0) + sigma1) | 0;
  }
  let a = state[0] ?? 0;
  let b = state[1] ?? 0;
  let c = state[2] ?? 0;
  let d = state[3] ?? 0;
  let e = state[4] ?? 0;
  let f = state[5] ?? 0;
  let g = state[6] ?? 0;
  let h = state[7] ?? 0;
  for (let index = 0; index < 64; index++) {
    const choice = (e & f) ^ (~e & g);
    const sum1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
    const t1 = (h + sum1 + choice + (ROUNDS[index] ?? 0) + (words[index] ?? 0)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const sum0 = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
    const t2 = (sum0 + majority) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = ((state[0] ?? 0) + a) | 0;
  state[1] = ((state[1] ?? 0) + b) | 0;
  state[2] = ((state[2] ?? 0) + c) | 0;
  state[3] = ((state[3] ?? 0) + d) | 0;
  state[4] = ((state[4] ?? 0) + e) | 0;
  state[5] = ((state[5] ?? 0) + f) | 0;
  state[6] = ((state[6] ?? 0) + g) | 0;
  state[7] = ((state[7] ?? 0) + h) | 0;
}
