/**
 * DEFLATE (RFC 1951), for the inlined module alone. Base64 hides from a server's compression what repeats in the module,
 * and costs a third more than the module; of a module that is compressed already it costs nothing. Platforms inflate
 * only asynchronously, and an import should not have to wait.
 */

const LENGTHS = /* @__PURE__ */ bases(
  [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0],
  3,
);
const DISTANCES = /* @__PURE__ */ bases(
  [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13],
  1,
);
/** The order in which the lengths of the codes for code lengths come. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** Codes by the next bits of the stream: `symbol << 4 | bits`, in a table of a power of two. */
type Codes = Uint16Array;

/** Inflates data of a known size. It comes from this package's own build and is not checked. */
export function inflate(data: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(size);
  let at = 0;
  let bit = 0;
  const peek = (): number => {
    const byte = bit >> 3;
    return ((data[byte] as number) | ((data[byte + 1] ?? 0) << 8) | ((data[byte + 2] ?? 0) << 16)) >> (bit & 7);
  };
  const take = (bits: number): number => {
    const value = peek() & ((1 << bits) - 1);
    bit += bits;
    return value;
  };
  const decode = (codes: Codes): number => {
    const code = codes[peek() & (codes.length - 1)] as number;
    bit += code & 15;
    return code >> 4;
  };

  let last = 0;
  while (last === 0) {
    last = take(1);
    const kind = take(2);
    if (kind === 0) {
      const from = ((bit + 7) >> 3) + 4;
      const length = (data[from - 4] as number) | ((data[from - 3] as number) << 8);
      out.set(data.subarray(from, from + length), at);
      at += length;
      bit = (from + length) << 3;
      continue;
    }
    const [literals, distances] = kind === 1 ? fixed() : dynamic(take, decode);
    for (let symbol = decode(literals); symbol !== 256; symbol = decode(literals)) {
      if (symbol < 256) {
        out[at++] = symbol;
        continue;
      }
      const [lengthBase, lengthBits] = LENGTHS[symbol - 257] as [number, number];
      const length = symbol === 285 ? 258 : lengthBase + take(lengthBits);
      const [distanceBase, distanceBits] = DISTANCES[decode(distances)] as [number, number];
      const from = at - distanceBase - take(distanceBits);
      for (let place = 0; place < length; place++) out[at + place] = out[from + place] as number;
      at += length;
    }
  }
  return out;
}

function bases(extra: readonly number[], first: number): [base: number, bits: number][] {
  let base = first;
  return extra.map((bits) => {
    const row: [number, number] = [base, bits];
    base += 1 << bits;
    return row;
  });
}

function fixed(): [Codes, Codes] {
  const lengths = Uint8Array.from({ length: 288 }, (_, symbol) =>
    symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8,
  );
  return [codes(lengths), codes(new Uint8Array(30).fill(5))];
}

function dynamic(take: (bits: number) => number, decode: (codes: Codes) => number): [Codes, Codes] {
  const literals = take(5) + 257;
  const distances = take(5) + 1;
  const lengths = new Uint8Array(19);
  const count = take(4) + 4;
  for (const symbol of ORDER.slice(0, count)) lengths[symbol] = take(3);
  const forLengths = codes(lengths);
  const all = new Uint8Array(literals + distances);
  for (let at = 0; at < all.length; ) {
    const symbol = decode(forLengths);
    if (symbol < 16) {
      all[at++] = symbol;
      continue;
    }
    const repeated = symbol === 16 ? (all[at - 1] as number) : 0;
    const times = symbol === 16 ? 3 + take(2) : symbol === 17 ? 3 + take(3) : 11 + take(7);
    all.fill(repeated, at, at + times);
    at += times;
  }
  return [codes(all.subarray(0, literals)), codes(all.subarray(literals))];
}

/** Canonical Huffman codes (RFC 1951, 3.2.2), their bits in the order of the stream. */
function codes(lengths: Uint8Array): Codes {
  const longest = Math.max(1, ...lengths);
  const table = new Uint16Array(1 << longest);
  let code = 0;
  for (let bits = 1; bits <= longest; bits++) {
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== bits) continue;
      let reversed = 0;
      for (let place = 0; place < bits; place++) reversed |= ((code >> place) & 1) << (bits - 1 - place);
      for (let slot = reversed; slot < table.length; slot += 1 << bits) table[slot] = (symbol << 4) | bits;
      code += 1;
    }
    code <<= 1;
  }
  return table;
}
