/** What wasm-bindgen writes out for each export of each module, once; what is called most often stays written out. */
import { decoder, encoder } from "./module.js";

type Result = number | number[];

type Exports = { readonly [name: string]: (...args: unknown[]) => Result } & {
  readonly memory: WebAssembly.Memory;
  readonly __wbindgen_externrefs: WebAssembly.Table;
};

/** Names in one text, with blanks between them. */
type Names = string;

interface Raw {
  __wbg_ptr: number;
}

/**
 * The glue of a module with one class: its constructor, its `methods`, and as static functions what gives a number and what
 * `makes` another object; and the module's own functions.
 */
export function glue(
  type: string,
  wasm: () => Exports,
  methods: Names,
  numbers: Names,
  makes: Names,
  functions: Names,
) {
  const prefix = `${type.toLowerCase()}_`;
  const free = `__wbg_${prefix}free`;
  const registry = globalThis.FinalizationRegistry && new FinalizationRegistry<number>((at) => wasm()[free]?.(at, 1));
  const bytes = () => new Uint8Array(wasm().memory.buffer);
  const pass = (text: string): [at: number, length: number] => {
    const encoded = encoder.encode(text);
    const at = (wasm().__wbindgen_malloc?.(encoded.length, 1) as number) >>> 0;
    bytes().set(encoded, at);
    return [at, encoded.length];
  };
  /**
   * One call, with at most four numbers: a list of arguments would cost as much as a short call. What may fail gives a list:
   * its value, if it has one, its error, and whether it has failed.
   */
  const call = (name: string, a?: unknown, b?: unknown, c?: unknown, d?: unknown): number => {
    const result = wasm()[name]?.(a, b, c, d) as Result;
    if (typeof result === "number" || result === undefined) return result >>> 0;
    if (result.at(-1) === 0) return result[0] as number;
    const index = result.at(-2) as number;
    const error = wasm().__wbindgen_externrefs.get(index);
    wasm().__externref_table_dealloc?.(index);
    throw error;
  };
  const own = <Own extends Raw>(raw: Own, at: number): Own => {
    raw.__wbg_ptr = at;
    registry?.register(raw, at, raw);
    return raw;
  };
  class Class implements Raw {
    __wbg_ptr!: number;
    constructor(bytes: number) {
      own(this, call(`${prefix}new`, bytes));
    }
    free(): void {
      const at = this.__wbg_ptr;
      this.__wbg_ptr = 0;
      registry?.unregister(this);
      wasm()[free]?.(at, 0);
    }
  }
  const define = (target: object, names: Names, value: (name: string) => unknown) => {
    for (const name of names.match(/\w+/g) ?? []) Object.assign(target, { [name]: value(name) });
  };
  define(Class.prototype, methods, (name) => {
    const full = prefix + name;
    return function (this: Raw, a: unknown, b: unknown, c: unknown) {
      return call(full, this.__wbg_ptr, a, b, c);
    };
  });
  define(Class, numbers, (name) => () => call(prefix + name));
  define(Class, makes, (name) => (text: string, bytes: number) => {
    const [at, length] = pass(text);
    return own(Object.create(Class.prototype), call(prefix + name, at, length, bytes));
  });
  const module = { [type]: Class };
  define(module, functions, (name) => (a: unknown, b: unknown) => call(name, a, b));
  return {
    module,
    Class,
    text: (at: number, length: number) => decoder.decode(bytes().subarray(at >>> 0, (at >>> 0) + length)),
    write(at: number, text: string) {
      const place = pass(text);
      new Int32Array(wasm().memory.buffer, at >>> 0, 2).set(place);
    },
    begin() {
      const table = wasm().__wbindgen_externrefs;
      for (const [index, value] of [undefined, null, true, false].entries()) table.set(1024 + index, value);
      table.set(0, undefined);
    },
  };
}
