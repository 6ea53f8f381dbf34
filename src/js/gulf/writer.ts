/// <reference lib="esnext.disposable" preserve="true" />
/** `GulfWriter`: messages of GULF 1.0 as lines. */

import { disposed, GenuiPatchError } from "../core/errors.js";
import { writeText } from "../core/json.js";
import { bindMethods } from "../core/methods.js";
import { requireKeys } from "../core/require.js";
import { readMessage } from "../surface/messages.js";
import { Refusal } from "../surface/refusal.js";
import { readJson } from "../surface/text.js";
import type { Json } from "../types.js";

export interface GulfComponent {
  id: string;
  weight?: number;
  /** One key, the type; its value the properties. */
  componentProperties: { [type: string]: { [property: string]: Json } };
}

export interface GulfInputs {
  componentUpdate: { components: readonly GulfComponent[] };
  dataModelUpdate: { path?: string; contents: Json };
  beginRendering: { root: string; styles?: { [name: string]: Json } };
}

const VERSION = "1.0.0";
/** What every client takes: see `maxDepth` in {@link Limits}. */
const MAX_DEPTH = 128;

const KEYS: Record<keyof GulfInputs, readonly string[]> = {
  componentUpdate: ["components"],
  dataModelUpdate: ["path", "contents"],
  beginRendering: ["root", "styles"],
};

/**
 * Writes a GULF stream: each method turns the input of one tool into a line, checked as a client checks it. The header
 * is first and stands there once: whatever is written first has its line in front.
 *
 * ```ts
 * const writer = new GulfWriter();
 * writer.dataModelUpdate({ path: "user.name", contents: "Ada" });
 * // '{"streamHeader":{"version":"1.0.0"}}\n{"dataModelUpdate":{"path":"user.name","contents":"Ada"}}\n'
 * ```
 *
 * What cannot be written throws a {@link GenuiPatchError}, and nothing has changed then: `INVALID_ARGUMENT` for values
 * that JSON cannot carry and for unknown keys, `INVALID_MESSAGE` and `INVALID_PATH` for what a client would refuse,
 * `LIMIT_EXCEEDED` for what is too deep, `NO_COMPONENTS` and `RENDERING_BEGUN` for a `beginRendering` too early and once more.
 */
export class GulfWriter {
  #begun = false;
  #hasComponents = false;
  #rendering = false;
  #disposed = false;

  constructor() {
    bindMethods(this);
  }

  /** The header; nothing if it was written already. */
  streamHeader(): string {
    if (this.#disposed) throw disposed();
    if (this.#begun) return "";
    this.#begun = true;
    return `${JSON.stringify({ streamHeader: { version: VERSION } })}\n`;
  }

  /** The line that defines components, in a flat list; behind the header, if that has not been written. */
  componentUpdate(input: GulfInputs["componentUpdate"]): string {
    const line = this.#line("componentUpdate", input);
    if (input.components.length === 0)
      throw new GenuiPatchError("INVALID_MESSAGE", "componentUpdate: there is no component.");
    this.#hasComponents = true;
    return this.streamHeader() + line;
  }

  /** The line that sets data: `contents` at `path`, without one the whole. */
  dataModelUpdate(input: GulfInputs["dataModelUpdate"]): string {
    const line = this.#line("dataModelUpdate", input);
    return this.streamHeader() + line;
  }

  /** The line with which the client begins to render, from the component `root`. Once, and after the first components. */
  beginRendering(input: GulfInputs["beginRendering"]): string {
    const line = this.#line("beginRendering", input);
    if (this.#rendering)
      throw new GenuiPatchError("RENDERING_BEGUN", "beginRendering: rendering has begun; updates are shown at once.");
    if (!this.#hasComponents)
      throw new GenuiPatchError("NO_COMPONENTS", "beginRendering: there is no component yet; define some first.");
    this.#rendering = true;
    return this.streamHeader() + line;
  }

  /** Ends the writer. May be called twice; everything else then throws `DISPOSED`. */
  dispose(): void {
    this.#disposed = true;
  }

  declare [Symbol.dispose]: () => void;

  #line<Kind extends keyof GulfInputs>(kind: Kind, input: GulfInputs[Kind]): string {
    if (this.#disposed) throw disposed();
    requireKeys(kind, "input", input, KEYS[kind]);
    const line = writeText({ [kind]: input }, kind);
    const value = readJson(line, MAX_DEPTH);
    if (typeof value === "symbol") {
      throw new GenuiPatchError("LIMIT_EXCEEDED", `${kind}: the input has more than ${MAX_DEPTH} levels.`);
    }
    const message = readMessage(value, 1);
    const problem = message instanceof Refusal ? message : message.warnings[0];
    if (problem === undefined) return `${line}\n`;
    throw new GenuiPatchError(problem.code, `${kind}: ${problem.message}`, { path: problem.path });
  }
}
