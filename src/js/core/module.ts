/**
 * `WasmModule`: loads and instantiates a wasm module, passes text through its input and output buffers, and handles failures.
 * No other file of the package reads or writes wasm memory.
 */
import { disposed, GenuiPatchError } from "./errors.js";
import type { Source, WasmSource } from "./source.js";

/** The exports that every module has: see `src/wasm/io.rs`. */
export interface Base {
  /** To be called once, before anything else. The seed keeps hashes of names from being foreseen: see `src/value/names.rs`. */
  begin(seed: number): void;
  /** Makes room for this many bytes of input, keeps the bytes that are there, and returns their address. */
  input(bytes: number): number;
  /** The address at which the address of the last answer stands, as a little-endian number of 32 bits. */
  answer_address(): number;
}

/** The generated glue (functions that call the module) before it is connected to an instance. It has the module's imports too. */
interface Unbound {
  __wbg_set_wasm(exports: object): void;
}

/** What this file uses of an instance. A module that needs no initialization has no start function. */
type Exports = { memory: WebAssembly.Memory; __wbindgen_start?: () => void };

/** The part of `WebAssembly.Memory` that is used. Node's types do not declare it. */
interface Memory {
  readonly buffer: ArrayBuffer;
}

/** UTF-16 units. TextEncoder encodes longer texts; for shorter ones a loop is faster. */
const SHORT = 24;
/** UTF-16 units. Longer texts are sent in parts: reserving three bytes for each unit would enlarge the module's memory for good. */
const LONG = 1 << 18;
/** Bytes in which the length of a name is written. */
const NAME_LENGTH_BYTES = 4;
/** The order of the bytes of numbers in wasm memory. */
const LITTLE_ENDIAN = true;
/** Internal failures after which a module is not used any more. Each one leaks a part of its stack. */
const MAX_FAILURES = 8;

const encoder = /* @__PURE__ */ new TextEncoder();
const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { ignoreBOM: true });

/** All modules of the bundle, for {@link preload}. */
const modules: WasmModule<Base>[] = [];

/** Loads and compiles the modules of the bundle, so that their first use is faster. */
export async function preload(): Promise<void> {
  await Promise.all(modules.map((module) => module.load()));
}

/** The first use instantiates the module, unless {@link WasmModule.load} has done it. Creating the object costs nothing. */
export class WasmModule<Glue extends Base> {
  /** The result of the last {@link load}, unless it has failed. */
  #loading: Promise<void> | undefined;
  /** Undefined until the module is instantiated, as is the memory. */
  #glue: Glue | undefined;
  /** Only this class reads and writes it. Tests measure it. */
  memory: Memory | undefined;
  /** The last result of {@link view}. */
  #bytes = new Uint8Array();
  /** See {@link Base.answer_address}. */
  #answerAddress = 0;
  /** The address of the input, which moves when it grows: up to date after {@link encodeAt}. */
  protected inputAddress = 0;
  #failures = 0;
  /** True after too many failures, or one that leaves no memory: all further calls throw. */
  #isExhausted = false;

  /** `name`: what the generated imports are named after. `bind` creates glue. `source` has the code of the module. */
  constructor(
    private readonly name: string,
    private readonly bind: () => Glue,
    private readonly source: Source,
  ) {
    modules.push(this);
  }

  /** Loads the module before its first use. Further calls wait for the first one; after a failure, a call tries again. */
  load(from?: WasmSource | Promise<WasmSource>): Promise<void> {
    this.#loading ??= this.#load(from).catch((cause: unknown) => {
      this.#loading = undefined;
      throw cause;
    });
    return this.#loading;
  }

  async #load(from: WasmSource | Promise<WasmSource> | undefined): Promise<void> {
    if (this.#glue !== undefined) return;
    const module = await this.source.load(from);
    const glue = this.bind();
    const instance = await WebAssembly.instantiate(module, this.#imports(glue));
    // A call may have instantiated the module in the meantime.
    if (this.#glue === undefined) this.#connect(glue, instance);
  }

  /** The functions of the module. Throws after too many internal failures. */
  get glue(): Glue {
    if (this.#isExhausted)
      throw new GenuiPatchError("INTERNAL", "genui-patch failed too often or ran out of memory: reload the page.");
    return this.#glue ?? this.#start();
  }

  /** Instantiates the module synchronously. */
  #start(): Glue {
    const module = this.source.compile();
    const glue = this.bind();
    this.#connect(glue, new WebAssembly.Instance(module, this.#imports(glue)));
    return glue;
  }

  /** The generated types do not declare that the glue has the imports, nor `__wbg_set_wasm`: hence the casts. */
  #imports(glue: Glue): WebAssembly.Imports {
    return { [`./${this.name}_bg.js`]: glue as unknown as WebAssembly.ModuleImports };
  }

  #connect(glue: Glue, { exports }: WebAssembly.Instance): void {
    (glue as unknown as Unbound).__wbg_set_wasm(exports);
    const { memory, __wbindgen_start: start } = exports as Exports;
    start?.();
    glue.begin(Math.floor(Math.random() * 2 ** 32));
    this.memory = memory;
    this.#answerAddress = glue.answer_address();
    this.#glue = glue;
  }

  /** The memory of the module. Growing detaches the last view, whose length is then 0: a new one replaces it. */
  protected view(): Uint8Array {
    if (this.#bytes.byteLength === 0 && this.memory) this.#bytes = new Uint8Array(this.memory.buffer);
    return this.#bytes;
  }

  /** Writes `head` and then a text into the module's input, and returns their length in bytes of UTF-8. */
  send(text: string, head = ""): number {
    return this.encodeAt(text, head === "" ? 0 : this.encodeAt(head, 0));
  }

  /** Encodes a text into the input after its first `start` bytes, which stay. Returns where the text ends. */
  protected encodeAt(text: string, start: number): number {
    if (text.length > LONG) return this.#sendLong(text, start);
    // A UTF-16 unit has at most three bytes. The getter also checks for failures, which each call of the module does once anyway.
    this.inputAddress = (this.#glue ?? this.glue).input(start + text.length * 3);
    return start + encodeInto(text, this.view(), this.inputAddress + start);
  }

  /** As {@link encodeAt}. */
  #sendLong(text: string, start: number): number {
    let unitsRead = 0;
    let bytesUsed = start;
    while (unitsRead < text.length) {
      const unitsLeft = text.length - unitsRead;
      // Room for mostly ASCII text. If it is full, the next round reserves more; 4 bytes always fit one character.
      const room = bytesUsed + unitsLeft + (unitsLeft >> 3) + 4;
      const address = (this.#glue ?? this.glue).input(room);
      this.inputAddress = address;
      const target = this.view().subarray(address + bytesUsed, address + room);
      const { read, written } = encoder.encodeInto(text.slice(unitsRead), target);
      unitsRead += read;
      bytesUsed += written;
    }
    return bytesUsed;
  }

  /** Reads an answer of `length` bytes. A negative length is that of a refusal, which is thrown. */
  receive(length: number): string {
    if (length < 0) throw refusalError(this.receive(-length));
    const view = this.view();
    const address = new DataView(view.buffer).getUint32(this.#answerAddress, LITTLE_ENDIAN);
    return decoder.decode(view.subarray(address, address + length));
  }

  /** Reads an answer of `length` bytes as JSON. `T`: its type, as the module writes it. */
  receiveJson<T>(length: number): T {
    return JSON.parse(this.receive(length)) as T;
  }

  /** Calls the module; an exception in it becomes an error of the package. */
  call<T>(run: (glue: Glue) => T): T {
    const glue = this.glue;
    try {
      return run(glue);
    } catch (cause) {
      throw this.failed(cause);
    }
  }

  /** Calls the module, and parses the JSON answer whose length `run` returns. */
  ask<T>(run: (glue: Glue) => number): T {
    return this.call((glue) => this.receiveJson<T>(run(glue)));
  }

  /** Creates an object in the module. */
  make<Raw extends { free(): void }>(make: (glue: Glue) => Raw): Handle<Raw> {
    return new Handle(this, this.call(make));
  }

  /** The error to throw for an exception of the module: a refusal, or an internal failure, which is counted. */
  failed(cause: unknown): unknown {
    if (cause instanceof GenuiPatchError) return cause;
    if (typeof cause === "string") return refusalError(cause);
    this.#failures += 1;
    this.#isExhausted ||= this.#failures >= MAX_FAILURES || !this.#hasMemory();
    const message = "genui-patch failed inside; this object can no longer be used.";
    return new GenuiPatchError("INTERNAL", message, { cause });
  }

  /** After a failure: whether the module can still allocate. */
  #hasMemory(): boolean {
    try {
      // 64 KB, one page of wasm memory.
      this.#glue?.input(1 << 16);
      return true;
    } catch {
      return false;
    }
  }
}

/** A module that takes names with texts. A separate class, so that bundles without such a module do not contain it. */
export class NamedModule<Glue extends Base> extends WasmModule<Glue> {
  /**
   * Puts the length of a name in bytes, the name and a text into the module's input, for `with_named_text` in
   * `src/wasm/io.rs`. Returns the length of all three in bytes.
   */
  sendNamed(name: string, text: string): number {
    const nameEnd = this.encodeAt(name, NAME_LENGTH_BYTES);
    const bytes = this.encodeAt(text, nameEnd);
    const { buffer } = this.view();
    new DataView(buffer).setUint32(this.inputAddress, nameEnd - NAME_LENGTH_BYTES, LITTLE_ENDIAN);
    return bytes;
  }
}

/** The error for an argument that a module refuses with `CODE: message`. */
function refusalError(answer: string): GenuiPatchError {
  const colon = answer.indexOf(": ");
  return new GenuiPatchError(answer.slice(0, colon), answer.slice(colon + 2));
}

/** Encodes a text into `target` from `start` on, and returns the number of bytes. A loop writes short ASCII texts. */
function encodeInto(text: string, target: Uint8Array, start: number): number {
  const { length } = text;
  if (length <= SHORT) {
    let written = 0;
    for (; written < length; written++) {
      const unit = text.charCodeAt(written);
      if (unit > 0x7f) break;
      target[start + written] = unit;
    }
    if (written === length) return length;
  }
  return encoder.encodeInto(text, target.subarray(start, start + length * 3)).written;
}

/** An object in a module. After an internal failure it is not used or freed any more: its memory may be inconsistent. */
export class Handle<Raw extends { free(): void }> {
  /** The internal failure after which the object cannot be used. */
  #failure: GenuiPatchError | undefined;

  /** `object`: what the glue has created; `undefined` once it is disposed of or has failed. */
  constructor(
    private readonly module: Pick<WasmModule<Base>, "glue" | "failed">,
    private object: Raw | undefined,
  ) {}

  /** The object, while it can be used. Throws as `check` does. */
  get raw(): Raw {
    // Throws after too many failures of the module.
    this.module.glue;
    if (this.object === undefined) throw this.#failure ?? disposed();
    return this.object;
  }

  /** Throws `DISPOSED`, or the internal failure after which the object cannot be used. */
  check(): void {
    this.raw;
  }

  /** The error to throw for an exception of the object. An internal failure makes the object unusable. */
  failed(cause: unknown): unknown {
    const error = this.module.failed(cause);
    if (error instanceof GenuiPatchError && error.code === "INTERNAL") {
      this.object = undefined;
      this.#failure = error;
    }
    return error;
  }

  /** One call into the module. */
  call<T>(run: (raw: Raw) => T): T {
    const raw = this.raw;
    try {
      return run(raw);
    } catch (cause) {
      throw this.failed(cause);
    }
  }

  /** Frees the object, once. */
  dispose(): void {
    const raw = this.object;
    this.object = undefined;
    raw?.free();
  }
}
