/**
 * Where an entry of the package gets its WebAssembly modules from. `scripts/lib/variants.mjs` chooses for each entry: packed into
 * the script, read from a file, fetched, or imported as a module.
 */
import { unpacker } from "../generated/unpack.js";
import { GenuiPatchError } from "./errors.js";

/** The types `WebAssembly.Module` and `BufferSource`, where the platform's types have them: those of Node do not. */
type Compiled = typeof globalThis extends { WebAssembly: { Module: { prototype: infer T } } } ? T : object;
type Bytes = typeof globalThis extends { WebAssembly: { validate(bytes: infer T): boolean } } ? T : ArrayBufferView;

/** A wasm module for `initStore` and `initBlocks`: its URL, a response, its bytes, or the compiled module. */
export type WasmSource = string | URL | Request | Response | Bytes | Compiled;

export interface Source {
  /** Compiles the module synchronously. */
  compile(): Compiled;
  /** Compiles the module in the background. */
  load(from?: WasmSource | Promise<WasmSource>): Promise<Compiled>;
}

/** The module packed (LZMA), as base64 text in the script, for any bundler. `size`: the bytes of the unpacked module. */
export function inlined(packed: string, size: number): Source {
  return fromBytes(() => unpack(packed, size));
}

/**
 * The module as a file, for Node: compiling it takes a fraction of the time that unpacking takes. Without that file, as in a
 * bundle, the packed text is used. A file of another size belongs to another version of the package. `address` is a function,
 * since `import.meta.url`, from which it is made, may be undefined.
 */
export function fileOrInlined(address: () => URL, packed: string, size: number): Source {
  return fromBytes(() => {
    const bytes = readFile(address);
    return bytes?.length === size ? bytes : unpack(packed, size);
  });
}

function fromBytes(bytes: () => Uint8Array<ArrayBuffer>): Source {
  return {
    compile: () => new WebAssembly.Module(bytes()),
    load: async () => WebAssembly.compile(bytes()),
  };
}

/** The bytes of the file; `undefined` if it is missing, outside of Node, and in CommonJS bundles, where `address` throws. */
function readFile(address: () => URL): Uint8Array<ArrayBuffer> | undefined {
  try {
    const platform: Globals = globalThis;
    return platform.process?.getBuiltinModule?.("node:fs").readFileSync(address());
  } catch {
    return undefined;
  }
}

/** The exports of the unpacker. */
type Unpacker = {
  memory: WebAssembly.Memory & { readonly buffer: ArrayBuffer };
  /** The address at which the packed bytes are written. */
  input(): number;
  /** Unpacks the packed bytes to `size` bytes, and returns the address of these. */
  unpack(size: number): number;
};

/**
 * The bytes of a packed text. The unpacker is a small wasm module, in hexadecimal digits: in a new process it takes a third of
 * the time of one in JavaScript.
 */
function unpack(packed: string, size: number): Uint8Array<ArrayBuffer> {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(fromHex(unpacker)));
  const { memory, input, unpack } = exports as Unpacker;
  const bytes = decode(packed);
  new Uint8Array(memory.buffer, input()).set(bytes);
  return new Uint8Array(memory.buffer, unpack(size), size);
}

function fromHex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
}

/** The bytes of a base64 text. */
function decode(text: string): Uint8Array<ArrayBuffer> {
  // `fromBase64` is in Chrome 140, Firefox 133, Safari 18.2 and Node 25; not in TypeScript's ES2022. The loop takes 2 ms more.
  const { Uint8Array: bytesFrom }: Globals = globalThis;
  if (bytesFrom.fromBase64) return bytesFrom.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/**
 * The module for `genui-patch/slim`, which the page loads, by default from the package's own file at `address`. `init`: the name
 * of the function that loads it, for the message.
 */
export function loaded(init: string, address: () => URL): Source {
  return {
    compile() {
      throw new GenuiPatchError("NOT_READY", `Call ${init}() of genui-patch/slim and await it before this.`);
    },
    load: async (from = address()) => compileSource(await from),
  };
}

/** Globals that not every platform has, without an import that bundlers would follow. */
interface Globals {
  Uint8Array: { fromBase64?(text: string): Uint8Array<ArrayBuffer> } & typeof globalThis.Uint8Array;
  process?: { getBuiltinModule?(name: "node:fs"): FileSystem };
}

/** What this file uses of `node:fs`. */
interface FileSystem {
  readFileSync(path: URL): Uint8Array<ArrayBuffer>;
  promises: { readFile(path: URL): Promise<Uint8Array<ArrayBuffer>> };
}

async function compileSource(source: WasmSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  if (source instanceof Response) return compileResponse(source);
  const path = source instanceof Request ? source.url : String(source);
  // Node's fetch does not support file URLs.
  const { process }: Globals = globalThis;
  const files = path.startsWith("file:") && process?.getBuiltinModule?.("node:fs").promises;
  if (files) return WebAssembly.compile(await files.readFile(new URL(path)));
  return compileResponse(await fetch(source));
}

async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) throw new Error(`The module at ${response.url} could not be fetched: ${response.status}.`);
  // compileStreaming rejects any other content type.
  const streams = response.headers.get("content-type") === "application/wasm" && WebAssembly.compileStreaming;
  return streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** A module that the platform has compiled already, as workerd does with imported `.wasm` files. */
export function given(module: Compiled): Source {
  return { compile: () => module, load: async () => module };
}
