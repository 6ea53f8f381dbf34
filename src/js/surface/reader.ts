/** From pieces of a stream to messages: plain lines by `JSON.parse`, all others by the module. */

import { blocksModule } from "../core/blocks.js";
import type { Handle } from "../core/module.js";
import type { RawSurfaceReader } from "../generated/blocks.js";
import type { Limits } from "../types.js";
import type { Said } from "./messages.js";
import { plain } from "./plain.js";

/** What is longer than that is not gathered: the module knows how much a message may be. */
const LONG = 1 << 16;
/** What the module tells of its state: whether lines may be gathered, and whether one begins. */
const BY_LINE = 1;
const BETWEEN = 2;

export class Reader {
  readonly #handle: Handle<RawSurfaceReader>;
  readonly #limits: Limits;
  /** What has come of a line, where nothing is seen of it before it ends. */
  #held = "";
  #state: number;
  /** The line that is being read, and as far as the module knows. */
  #line = 1;
  #told = 1;

  /** The options as JSON text, and what they say. */
  constructor(options: string, partial: boolean, limits: Limits) {
    this.#handle = blocksModule.make((glue) => new glue.RawSurfaceReader(blocksModule.send(options)));
    this.#limits = limits;
    this.#state = partial ? 0 : BETWEEN;
  }

  /** @throws GenuiPatchError `DISPOSED`, or `INTERNAL` after a failure. */
  check(): void {
    this.#handle.raw;
  }

  /** Takes a piece of text. */
  push(piece: string, take: (said: Said) => void): void {
    this.check();
    if ((this.#state & BY_LINE) !== 0 && this.#held.length < LONG && !piece.includes("\n")) {
      this.#held += piece;
      return;
    }
    const text = this.#held + piece;
    this.#held = "";
    let at = 0;
    for (let end = text.indexOf("\n"); end >= 0 && (this.#state & BETWEEN) !== 0; end = text.indexOf("\n", at)) {
      const from = text.startsWith("data:", at) ? at + 5 : at;
      const isPlain = from > at || text.charCodeAt(at) === BRACE;
      const message = isPlain ? plain(text.slice(from, end), this.#limits) : undefined;
      if (message) {
        message[1] = this.#line;
        this.#line += 1;
        this.#state = BY_LINE | BETWEEN;
        take(message);
      } else if (end === at && (this.#state & BY_LINE) !== 0) {
        // The end of an event that has been read.
        this.#line += 1;
      } else {
        this.#feed(text.slice(at, end + 1), take);
      }
      at = end + 1;
    }
    const rest = text.slice(at);
    if ((this.#state & BY_LINE) !== 0 && rest.length < LONG && !rest.includes("\n")) this.#held = rest;
    else if (rest !== "") this.#feed(rest, take);
  }

  /** The stream is over. */
  end(take: (said: Said) => void): void {
    const rest = this.#held;
    this.#held = "";
    this.#feed(rest, take);
    this.#hear(
      this.#handle.call((raw) => raw.end()),
      take,
    );
  }

  dispose(): void {
    this.#handle.dispose();
  }

  #feed(text: string, take: (said: Said) => void): void {
    const raw = this.#handle.raw;
    let length: number;
    try {
      length = raw.push(blocksModule.send(text), this.#line - this.#told);
      this.#line = raw.line();
      this.#told = this.#line;
      this.#state = raw.state();
    } catch (cause) {
      throw this.#handle.failed(cause);
    }
    this.#hear(length, take);
  }

  #hear(length: number, take: (said: Said) => void): void {
    if (length > 0) for (const said of blocksModule.receiveJson<Said[]>(length)) take(said);
  }
}

const BRACE = 0x7b;
