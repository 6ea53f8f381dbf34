/** Where modules come from. The build gives each entry its own: inlined, fetched, or imported where only that is allowed. */
import { GenuiPatchError } from "../errors.js";
import { inflate } from "./inflate.js";

/** Where a module comes from: its address, a response, its bytes, or the compiled module. */
export type WasmSource = string | URL | Request | Response | BufferSource | WebAssembly.Module;

/** The compiled module: at once, or ahead. */
export interface Source {
  compile(): WebAssembly.Module;
  load(from?: WasmSource | Promise<WasmSource>): Promise<WebAssembly.Module>;
}

/** A module that is inlined, so that no bundler needs to know of it: deflated, in base64. */
export function inlined(deflated: string, size: number): Source {
  return {
    compile: () => new WebAssembly.Module(inflate(decode(deflated), size)),
    async load() {
      const bytes = decode(deflated);
      return WebAssembly.compile(await inflateAhead(bytes).catch(() => inflate(bytes, size)));
    },
  };
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  // Chrome 140, Firefox 133, Safari 18.2; not in TypeScript's ES2022.
  const { fromBase64 } = Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (fromBase64) return fromBase64.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place++) bytes[place] = binary.charCodeAt(place);
  return bytes;
}

/** By the platform, beside the page's own work. Firefox before 113 and Safari before 16.4 cannot. */
async function inflateAhead(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).arrayBuffer();
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

async function compiled(source: WasmSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  if (source instanceof Response) return fetched(source);
  const path = source instanceof Request ? source.url : String(source);
  // Node fetches no files.
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: "node:fs/promises") => Files } };
  if (path.startsWith("file:") && process?.getBuiltinModule) {
    return WebAssembly.compile(await process.getBuiltinModule("node:fs/promises").readFile(new URL(path)));
  }
  return fetched(await fetch(source));
}

interface Files {
  readFile(path: URL): Promise<BufferSource>;
}

async function fetched(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) throw new Error(`The module at ${response.url} could not be fetched: ${response.status}.`);
  // Engines refuse to compile a stream of another type.
  const streams = response.headers.get("content-type") === "application/wasm" && WebAssembly.compileStreaming;
  return streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** A module that the platform has compiled. */
export function given(module: WebAssembly.Module): Source {
  return { compile: () => module, load: async () => module };
}
