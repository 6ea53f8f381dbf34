/**
 * `sha256`: the hash of a text at once. Node, Deno and Bun have it. The one of other platforms, in Web Crypto, answers later, and
 * costs more than the hash of a short entry: there it is computed here.
 */
import { isObject } from "../core/kinds.js";

/** The first 32 bits of the fractional parts of the cube roots (or the square roots) of the first primes. */
function fractions(count: number, exponent: number): Int32Array {
  const found = new Int32Array(count);
  let filled = 0;
  for (let candidate = 2; filled < count; candidate++) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) if (candidate % divisor === 0) isPrime = false;
    if (!isPrime) continue;
    const root = candidate ** exponent;
    found[filled] = ((root - Math.floor(root)) * 2 ** 32) | 0;
    filled += 1;
  }
  return found;
}

const ROUNDS = /* @__PURE__ */ fractions(64, 1 / 3);
const START = /* @__PURE__ */ fractions(8, 1 / 2);

const encoder = /* @__PURE__ */ new TextEncoder();

const rotated = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

type Hash = (text: string) => string;

/** The hash of the module `node:crypto`, several times as fast; `undefined` where there is none. */
function platformHash(): Hash | undefined {
  const platform: unknown = globalThis;
  const process = isObject(platform) ? platform.process : undefined;
  if (!isObject(process) || typeof process.getBuiltinModule !== "function") return undefined;
  const crypto: unknown = process.getBuiltinModule("node:crypto");
  if (!isObject(crypto) || typeof crypto.hash !== "function") return undefined;
  const { hash } = crypto;
  return (text) => String(hash("sha256", text, "hex"));
}

let chosen: Hash | undefined;

/** The SHA-256 of the UTF-8 bytes of a text, as 64 hexadecimal digits. */
export function sha256(text: string): string {
  chosen ??= platformHash() ?? computedSha256;
  return chosen(text);
}

/** The same, without the platform. */
export function computedSha256(text: string): string {
  const bytes = encoder.encode(text);
  const blocks = ((bytes.length + 8) >> 6) + 1;
  const padded = new Uint8Array(blocks * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  const state = Int32Array.from(START);
  for (let at = 0; at < padded.length; at += 64) mix(state, view, at);
  let digest = "";
  for (const word of state) digest += (word >>> 0).toString(16).padStart(8, "0");
  return digest;
}

/** The schedule of a block: one array for all of them. */
const words = /* @__PURE__ */ new Int32Array(64);

function mix(state: Int32Array, view: DataView, at: number): void {
  for (let index = 0; index < 16; index++) words[index] = view.getInt32(at + index * 4);
  for (let index = 16; index < 64; index++) {
    const early = words[index - 15] ?? 0;
    const late = words[index - 2] ?? 0;
    const low = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
    const high = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
    words[index] = ((words[index - 16] ?? 0) + low + (words[index - 7] ?? 0) + high) | 0;
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
    const sum = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const first = (h + sum + choice + (ROUNDS[index] ?? 0) + (words[index] ?? 0)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
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
