/// <reference lib="esnext.disposable" preserve="true" />
/** `GulfWriter`: writes messages of GULF 1.0, the Generative UI Language Format that preceded A2UI, as lines. */

import { disposed, GenuiPatchError } from "../core/errors.js";
import { isObject, type Members } from "../core/kinds.js";
import { bindMethods } from "../core/methods.js";
import { requireKeys } from "../core/require.js";
import type { GulfInputs } from "../definitions/gulf.js";
import { writeMessage } from "../surface/line.js";
import { orRefusal, Refusal } from "../surface/refusal.js";
import { componentsIn, dataIn, INVALID, renderIn } from "../surface/requests.js";
import type { Json } from "../types.js";

export type { GulfComponent, GulfInputs } from "../definitions/gulf.js";

/** The version of GULF in the header. */
const VERSION = "1.0.0";

/** The functions by which a client reads the body of each message; `at` is its JSON Pointer. @throws Refusal */
const READERS: Record<keyof GulfInputs, (body: Members, at: string) => unknown> = {
  componentUpdate: (body, at) => componentsIn(body, "gulf", at),
  dataModelUpdate: (body, at) => dataIn(body, "gulf", at),
  beginRendering: renderIn,
};

/** The keys that each input may have. */
const KEYS: Record<keyof GulfInputs, readonly string[]> = {
  componentUpdate: ["components"],
  dataModelUpdate: ["path", "contents"],
  beginRendering: ["root", "styles"],
};

/**
 * Writes a GULF stream: each method turns its input into a line, and validates it as a client does. The first method that
 * is called also returns the line of the header.
 *
 * ```ts
 * const writer = new GulfWriter();
 * writer.dataModelUpdate({ path: "user.name", contents: "Ada" });
 * // '{"streamHeader":{"version":"1.0.0"}}\n{"dataModelUpdate":{"path":"user.name","contents":"Ada"}}\n'
 * ```
 *
 * Invalid input throws a {@link GenuiPatchError} and changes nothing: `INVALID_ARGUMENT` for unknown keys and values that
 * JSON cannot carry, `INVALID_MESSAGE` and `INVALID_PATH` for input that a client would refuse, `LIMIT_EXCEEDED` for input
 * that is nested too deep, `NO_COMPONENTS` and `RENDERING_BEGUN` for a `beginRendering` that comes too early or twice.
 */
export class GulfWriter {
  /** The header has been written. */
  #hasHeader = false;
  /** `componentUpdate` has been called. */
  #hasComponents = false;
  /** `beginRendering` has been called. */
  #isRendering = false;
  #disposed = false;

  constructor() {
    bindMethods(this);
  }

  /** The line of the header; `""` if it was written before. */
  streamHeader(): string {
    if (this.#disposed) throw disposed();
    if (this.#hasHeader) return "";
    this.#hasHeader = true;
    return `${JSON.stringify({ streamHeader: { version: VERSION } })}\n`;
  }

  /** The line that defines components, in a flat list. */
  componentUpdate(input: GulfInputs["componentUpdate"]): string {
    const line = this.#line("componentUpdate", input);
    if (input.components.length === 0)
      throw new GenuiPatchError(
        "INVALID_MESSAGE",
        "componentUpdate: the list of components is empty; send at least one.",
      );
    this.#hasComponents = true;
    return this.streamHeader() + line;
  }

  /** The line that sets the data at `path`; without a path, all data. */
  dataModelUpdate(input: GulfInputs["dataModelUpdate"]): string {
    const line = this.#line("dataModelUpdate", input);
    return this.streamHeader() + line;
  }

  /** The line that makes the client render the component `root`. Once, after the first components. */
  beginRendering(input: GulfInputs["beginRendering"]): string {
    const line = this.#line("beginRendering", input);
    if (this.#isRendering)
      throw new GenuiPatchError("RENDERING_BEGUN", "beginRendering: rendering has begun; updates are shown at once.");
    if (!this.#hasComponents)
      throw new GenuiPatchError("NO_COMPONENTS", "beginRendering: there is no component yet; define some first.");
    this.#isRendering = true;
    return this.streamHeader() + line;
  }

  /** Ends the writer. May be called twice; all other methods throw `DISPOSED` afterwards. */
  dispose(): void {
    this.#disposed = true;
  }

  // Set by `bindMethods`. The reference at the top of the file has the symbol's type.
  declare [Symbol.dispose]: () => void;

  /** Writes one message, and validates it by reading it as a client does. */
  #line<Kind extends keyof GulfInputs>(kind: Kind, input: GulfInputs[Kind]): string {
    if (this.#disposed) throw disposed();
    requireKeys(kind, "input", input, KEYS[kind]);
    const { text, value } = writeMessage(kind, { [kind]: input });
    const body = value[kind];
    const at = `/${kind}`;
    const result = orRefusal(() => {
      if (!isObject<Json>(body)) throw new Refusal(INVALID, "The input must be an object.", at);
      return READERS[kind](body, at);
    });
    if (!(result instanceof Refusal)) return `${text}\n`;
    throw new GenuiPatchError(result.code, `${kind}: ${result.message}`, { path: result.path });
  }
}
