/** The contents of a wasm module: bytes of code by module of the crate, from the names of the functions. */

/** Reads the numbers and names of the binary format. */
class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++];
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  name() {
    const length = this.number();
    this.at += length;
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
  }
}

const [CUSTOM, CODE, DATA] = [0, 10, 11];
const FUNCTIONS = 1;

/** `{place: bytes}` of a module that still has the names of its functions. */
export function inside(bytes) {
  const sizes = [];
  const names = new Map();
  const places = { data: 0 };
  const reader = new Reader(bytes, 8);
  while (reader.at < bytes.length) {
    const kind = bytes[reader.at++];
    const end = reader.number() + reader.at;
    if (kind === CODE) {
      for (let count = reader.number(); count > 0; count--) {
        const size = reader.number();
        sizes.push(size);
        reader.at += size;
      }
    } else if (kind === DATA) places.data += end - reader.at;
    else if (kind === CUSTOM && reader.name() === "name") readNames(reader, end, names);
    reader.at = end;
  }
  // The names count the functions that are imported, too.
  const imported = WebAssembly.Module.imports(new WebAssembly.Module(bytes)).filter(({ kind }) => kind === "function");
  for (const [index, size] of sizes.entries()) {
    const place = placeOf(names.get(index + imported.length) ?? "");
    places[place] = (places[place] ?? 0) + size;
  }
  return places;
}

function readNames(reader, end, names) {
  while (reader.at < end) {
    const kind = reader.bytes[reader.at++];
    const size = reader.number();
    const next = reader.at + size;
    if (kind === FUNCTIONS) {
      for (let count = reader.number(); count > 0; count--) names.set(reader.number(), reader.name());
    }
    reader.at = next;
  }
}

/** The folder or file of `src/` that a function comes from. */
function placeOf(name) {
  const [, place] = /\bgenui_patch(?:\[\w+\])?::(\w+)/.exec(name) ?? [];
  return place ?? (/^(?:<)*(?:dlmalloc|talc)/.test(name) ? "allocator" : "the standard library");
}
