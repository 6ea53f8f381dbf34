/** Where modules come from. The build gives each entry its own: inlined, fetched, or imported where only that is allowed. */
import { unpacker } from "../generated/unpack.js";
import { GenuiPatchError } from "./errors.js";

/** Types that the platform may leave out: those of Node do not name them. */
type Compiled = typeof globalThis extends { WebAssembly: { Module: { prototype: infer T } } } ? T : object;
type Bytes = typeof globalThis extends { WebAssembly: { validate(bytes: infer T): boolean } } ? T : ArrayBufferView;

/** Where a module comes from: its address, a response, its bytes, or the compiled module. */
export type WasmSource = string | URL | Request | Response | Bytes | Compiled;

/** The compiled module: at once, or ahead. */
export interface Source {
  compile(): Compiled;
  load(from?: WasmSource | Promise<WasmSource>): Promise<Compiled>;
}

/** A module that is inlined, so that no bundler needs to know of it: packed, in base64. */
export function inlined(packed: string, size: number): Source {
  return {
    compile: () => new WebAssembly.Module(unpack(packed, size)),
    load: async () => WebAssembly.compile(unpack(packed, size)),
  };
}

interface Unpacker {
  memory: WebAssembly.Memory;
  input(): number;
  unpack(size: number): number;
}

/** Base64 hides what repeats, so LZMA goes first. A cold module unpacks in a third of the time of cold JavaScript. */
function unpack(packed: string, size: number): Uint8Array<ArrayBuffer> {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(decode(unpacker)));
  const { memory, input, unpack } = exports as unknown as Unpacker;
  const bytes = decode(packed);
  new Uint8Array(memory.buffer, input()).set(bytes);
  return new Uint8Array(memory.buffer as ArrayBuffer, unpack(size), size);
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  // Chrome 140, Firefox 133, Safari 18.2; not in TypeScript's ES2022.
  const { fromBase64 } = Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (fromBase64) return fromBase64.call(Uint8Array, text);
  const { Buffer } = globalThis as Node;
  if (Buffer) return Buffer.from(text, "base64");
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place++) bytes[place] = binary.charCodeAt(place);
  return bytes;
}

/** A module that the page loads: from where it is told, or from beside the package. */
export function loaded(init: string, beside: () => URL): Source {
  return {
    compile() {
      throw new GenuiPatchError("NOT_READY", `Call ${init}() of genui-patch/slim and await it before this.`);
    },
    load: async (from = beside()) => compiled(await from),
  };
}

/** What Node has of use here, without an import that bundlers would follow. */
interface Node {
  Buffer?: { from(text: string, encoding: "base64"): Uint8Array<ArrayBuffer> };
  process?: { getBuiltinModule?(name: "node:fs/promises"): { readFile(path: URL): Promise<BufferSource> } };
}

async function compiled(source: WasmSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  if (source instanceof Response) return fetched(source);
  const path = source instanceof Request ? source.url : String(source);
  // Node fetches no files.
  const files = path.startsWith("file:") && (globalThis as Node).process?.getBuiltinModule?.("node:fs/promises");
  if (files) return WebAssembly.compile(await files.readFile(new URL(path)));
  return fetched(await fetch(source));
}

async function fetched(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) throw new Error(`The module at ${response.url} could not be fetched: ${response.status}.`);
  // Engines refuse to compile a stream of another type.
  const streams = response.headers.get("content-type") === "application/wasm" && WebAssembly.compileStreaming;
  return streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** A module that the platform has compiled. */
export function given(module: Compiled): Source {
  return { compile: () => module, load: async () => module };
}
