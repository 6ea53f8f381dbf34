/**
 * Where an entry of the package gets its WebAssembly modules from. `scripts/lib/variants.mjs` chooses for each entry: packed into
 * the script, read from a file, fetched, or imported as a module.
 */
import { unpacker } from "../generated/unpack.js";
import { GenuiPatchError } from "./errors.js";

/** `WebAssembly.Module` and `BufferSource`, where the platform's types have them: those of Node do not. */
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

/** The module as packed base64 text in the script, which works in any bundler. `size`: bytes of the unpacked module. */
export function inlined(packed: string, size: number): Source {
  return fromBytes(() => unpack(packed, size));
}

/**
 * The module as a file, for Node: compiling it takes a fraction of the time that unpacking takes. Without that file, as in a
 * bundle, the packed text is used. A file of another size belongs to another version of the package.
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

/** Undefined without that file, outside of Node, and in CommonJS bundles, where `import.meta.url` is undefined. */
function readFile(address: () => URL): Uint8Array<ArrayBuffer> | undefined {
  try {
    const platform: Globals = globalThis;
    return platform.process?.getBuiltinModule?.("node:fs").readFileSync(address());
  } catch {
    return undefined;
  }
}

type Unpacker = {
  memory: WebAssembly.Memory & { readonly buffer: ArrayBuffer };
  input(): number;
  unpack(size: number): number;
};

/** The packed text is LZMA in base64, the unpacker's is hexadecimal. In a new process a WebAssembly unpacker takes a third of the time of one in JavaScript. */
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

function decode(text: string): Uint8Array<ArrayBuffer> {
  // Chrome 140, Firefox 133, Safari 18.2, Node 25; not in TypeScript's ES2022. The loop below takes 2 ms more.
  const { Uint8Array: bytesFrom }: Globals = globalThis;
  if (bytesFrom.fromBase64) return bytesFrom.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place++) bytes[place] = binary.charCodeAt(place);
  return bytes;
}

/** The module for `genui-patch/slim`: loaded by `init(source)`, by default from the package's own file at `address`. */
export function loaded(init: string, address: () => URL): Source {
  return {
    compile() {
      throw new GenuiPatchError("NOT_READY", `Call ${init}() of genui-patch/slim and await it before this.`);
    },
    load: async (from = address()) => compiled(await from),
  };
}

/** Globals that not every platform has, without an import that bundlers would follow. */
interface Globals {
  Uint8Array: { fromBase64?(text: string): Uint8Array<ArrayBuffer> } & typeof globalThis.Uint8Array;
  process?: { getBuiltinModule?(name: "node:fs"): FileSystem };
}

interface FileSystem {
  readFileSync(path: URL): Uint8Array<ArrayBuffer>;
  promises: { readFile(path: URL): Promise<Uint8Array<ArrayBuffer>> };
}

async function compiled(source: WasmSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  if (source instanceof Response) return fetched(source);
  const path = source instanceof Request ? source.url : String(source);
  // Node's fetch does not support file URLs.
  const { process }: Globals = globalThis;
  const files = path.startsWith("file:") && process?.getBuiltinModule?.("node:fs").promises;
  if (files) return WebAssembly.compile(await files.readFile(new URL(path)));
  return fetched(await fetch(source));
}

async function fetched(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) throw new Error(`The module at ${response.url} could not be fetched: ${response.status}.`);
  // compileStreaming rejects any other content type.
  const streams = response.headers.get("content-type") === "application/wasm" && WebAssembly.compileStreaming;
  return streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** A module that the platform has compiled already, as workerd does with imported `.wasm` files. */
export function given(module: Compiled): Source {
  return { compile: () => module, load: async () => module };
}
