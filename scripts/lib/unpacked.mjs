/** What `src/core/source.ts` does: a module of so many bytes, from its packed ones, by the module that unpacks. */
export function unpacked(unpacker, packed, size) {
  const { memory, input, unpack } = new WebAssembly.Instance(new WebAssembly.Module(unpacker)).exports;
  new Uint8Array(memory.buffer, input()).set(packed);
  return Buffer.from(memory.buffer, unpack(size), size);
}
