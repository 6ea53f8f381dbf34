/**
 * The boundary to the module: text in and out through its two buffers, and what happens when it fails.
 * Nothing else in the package touches wasm memory.
 */
import { GenuiPatchError } from "./errors.js";
import * as glue from "./generated/glue.js";

/** Text longer than this is encoded by TextEncoder; for less, a loop over its units costs less. */
const SHORT = 24;
/** So many internal failures and the module is given up: each one leaks a little of its stack. */
const MAX_FAILURES = 8;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

let memory: WebAssembly.Memory | undefined;
let bytes = new Uint8Array();
let failures = 0;
let exhausted = false;

/** Called by the entry modules, once the module is instantiated. */
export function connect(exports: { memory: WebAssembly.Memory }): void {
  memory = exports.memory;
  glue.begin(Math.floor(Math.random() * 2 ** 32));
}

function ready(): WebAssembly.Memory {
  if (memory === undefined) {
    throw new GenuiPatchError("NOT_READY", "Call init() of genui-patch/slim and await it before anything else.");
  }
  if (exhausted) {
    throw new GenuiPatchError("INTERNAL", "genui-patch failed too often or ran out of memory: reload the page.");
  }
  return memory;
}

/** Memory that grows detaches the views on it. */
function view(): Uint8Array {
  if (bytes.byteLength === 0) {
    bytes = new Uint8Array(ready().buffer);
  }
  return bytes;
}

/** Puts a text, or two of them, into the module's input and returns the length in bytes of UTF-8. */
export function send(text: string, head = ""): number {
  const at = glue.input((head.length + text.length) * 3);
  const target = view();
  const own = head === "" ? 0 : put(head, target, at);
  return own + put(text, target, at + own);
}

/** Encodes a text; a short one by hand, since the encoder takes as long to begin. */
function put(text: string, target: Uint8Array, at: number): number {
  const { length } = text;
  if (length <= SHORT) {
    let place = 0;
    for (; place < length; place++) {
      const unit = text.charCodeAt(place);
      if (unit > 0x7f) break;
      target[at + place] = unit;
    }
    if (place === length) return length;
  }
  return encoder.encodeInto(text, target.subarray(at, at + length * 3)).written;
}

/** The text of the module's last answer. */
export function receive(length: number): string {
  const at = glue.output();
  return decoder.decode(view().subarray(at, at + length));
}

/** The module's last answer, read as JSON. */
export function receiveJson<T>(length: number): T {
  return JSON.parse(receive(length)) as T;
}

/** Calls into the module without a handle. */
export function call<T>(run: () => T): T {
  ready();
  try {
    return run();
  } catch (cause) {
    throw failed(cause);
  }
}

/**
 * Something that lives in the module. After an internal failure the handle is dead: every later call throws `INTERNAL`,
 * and dispose does nothing, since freeing what a failure left behind could do harm. Other handles go on.
 */
export class Handle<Raw extends { free(): void }> {
  #raw: Raw | undefined;
  #gone: GenuiPatchError | undefined;

  constructor(make: () => Raw) {
    this.#raw = call(make);
  }

  /** The object of the module, if it is still good. */
  get raw(): Raw {
    if (exhausted) ready();
    if (this.#raw === undefined)
      throw this.#gone ?? new GenuiPatchError("DISPOSED", "This was disposed of: make a new one.");
    return this.#raw;
  }

  /** To be thrown for whatever a call into the module threw. */
  failed(cause: unknown): unknown {
    const error = failed(cause);
    if (error instanceof GenuiPatchError && error.code === "INTERNAL") {
      this.#raw = undefined;
      this.#gone = error;
    }
    return error;
  }

  /** One call into the module. Hot paths write the same out, to save the closure. */
  call<T>(run: (raw: Raw) => T): T {
    const raw = this.raw;
    try {
      return run(raw);
    } catch (cause) {
      throw this.failed(cause);
    }
  }

  dispose(): void {
    const raw = this.#raw;
    this.#raw = undefined;
    raw?.free();
  }
}

function failed(cause: unknown): unknown {
  if (cause instanceof GenuiPatchError) return cause;
  // The module refuses an argument by throwing `CODE: message`.
  if (typeof cause === "string") {
    const colon = cause.indexOf(": ");
    return new GenuiPatchError(cause.slice(0, colon), cause.slice(colon + 2));
  }
  failures += 1;
  exhausted ||= failures >= MAX_FAILURES || !hasMemory();
  const error = new GenuiPatchError("INTERNAL", "genui-patch failed inside; this object can no longer be used.");
  error.cause = cause;
  return error;
}

/** After a failure: whether the module can still allocate. */
function hasMemory(): boolean {
  try {
    glue.input(1 << 16);
    return true;
  } catch {
    return false;
  }
}
