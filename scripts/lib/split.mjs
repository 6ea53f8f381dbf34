/**
 * A module's bytes in the order in which they pack best: what its functions do apart from what they do it with. Local
 * variables resemble each other, and so do offsets and constants, more than any of them resembles the instruction before it.
 *
 * The streams stand one behind the other, behind their lengths in three bytes each. How long a function is does not stand in
 * them: where its last block ends, it ends. `scripts/unpack` is the other half.
 */

/** Where each stream begins among the streams; what is rare goes with the instructions. */
const [OTHER, LOCALS, CODE, LOCAL, NUMBER, OFFSET, CALLED, BRANCH] = [0, 1, 2, 3, 4, 5, 6, 7];
const STREAMS = 8;

const CODE_SECTION = 10;

export function split(module) {
  const streams = Array.from({ length: STREAMS }, () => []);
  let place = 0;
  const bytes = (stream, count) => {
    for (const end = place + count; place < end; place++) streams[stream].push(module[place]);
  };
  const byte = (stream) => {
    bytes(stream, 1);
    return module[place - 1];
  };
  /** A number in LEB128. */
  const number = (stream) => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const next = byte(stream);
      value += (next & 127) * 2 ** shift;
      if (next < 128) return value;
    }
  };
  const numbers = (stream, count) => {
    for (let left = count; left > 0; left--) number(stream);
  };

  const instruction = () => {
    const code = byte(CODE);
    if (code >= 0x02 && code <= 0x04) number(CODE);
    else if (code === 0x0c || code === 0x0d) number(BRANCH);
    else if (code === 0x0e) numbers(BRANCH, number(BRANCH) + 1);
    else if (code === 0x10 || code === 0x11) numbers(CALLED, code - 0x0f);
    else if (code >= 0x20 && code <= 0x22) number(LOCAL);
    else if (code >= 0x28 && code <= 0x3e) [number(CODE), number(OFFSET)];
    else if (code === 0x41 || code === 0x42) number(NUMBER);
    else if (code === 0x43) bytes(NUMBER, 4);
    else if (code === 0x44) bytes(NUMBER, 8);
    else if (code === 0xfc) {
      const more = number(CODE);
      numbers(CODE, more < 8 ? 0 : more % 2 === 0 && more < 16 ? 2 : 1);
    } else if ([0x23, 0x24, 0x25, 0x26, 0x3f, 0x40, 0xd0, 0xd2].includes(code)) number(CODE);
    else if (code > 0xc4 || code === 0x1c) throw new Error(`split does not know the instruction ${code}`);
    return code;
  };

  bytes(OTHER, 8);
  while (place < module.length) {
    const section = byte(OTHER);
    const length = number(OTHER);
    if (section !== CODE_SECTION) {
      bytes(OTHER, length);
      continue;
    }
    for (let left = number(OTHER); left > 0; left--) {
      while (module[place++] > 127);
      for (let groups = number(LOCALS); groups > 0; groups--) [number(LOCALS), byte(LOCALS)];
      for (let depth = 1; depth > 0; ) {
        const code = instruction();
        if (code >= 0x02 && code <= 0x04) depth++;
        else if (code === 0x0b) depth--;
      }
    }
  }
  const lengths = streams.slice(0, -1).flatMap(({ length }) => [length & 255, (length >> 8) & 255, length >> 16]);
  return Uint8Array.from([...lengths, ...streams.flat()]);
}
