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
    compile: () => new WebAssembly.Module(byNode(deflated) ?? inflate(decode(deflated), size)),
    async load() {
      const bytes = decode(deflated);
      return WebAssembly.compile(await inflateAhead(bytes).catch(() => inflate(bytes, size)));
    },
  };
}

/** What Node has of use here, without an import that bundlers would follow. */
interface Builtins {
  "node:buffer": { Buffer: { from(text: string, encoding: "base64"): Uint8Array } };
  "node:fs/promises": { readFile(path: URL): Promise<BufferSource> };
  "node:zlib": { inflateRawSync(bytes: Uint8Array): BufferSource };
}

function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] | undefined {
  type Node = { process?: { getBuiltinModule?(name: Name): Builtins[Name] } };
  return (globalThis as Node).process?.getBuiltinModule?.(name);
}

/** Node inflates at once, in a tenth of the time. */
function byNode(deflated: string): BufferSource | undefined {
  const bytes = builtin("node:buffer")?.Buffer.from(deflated, "base64");
  return bytes && builtin("node:zlib")?.inflateRawSync(bytes);
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
  const files = path.startsWith("file:") && builtin("node:fs/promises");
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
export function given(module: WebAssembly.Module): Source {
  return { compile: () => module, load: async () => module };
}
